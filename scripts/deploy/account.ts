import { join } from "node:path";
import { z } from "zod";
import { captureCommand } from "../local/command.ts";
import { ROOT, TOOL_FOLDER, WRANGLER } from "../local/paths.ts";
import { SetUpError } from "../local/set-up-error.ts";
import { wranglerEnvironment } from "../local/wrangler-environment.ts";
import { type Account, Cloudflare, listAccounts, type Wrangler } from "./cloudflare.ts";
import { CloudflareAPI } from "./cloudflare-api.ts";
import { choose } from "./prompt.ts";

/** The configuration with a placeholder for the id of the database. */
export const TEMPLATE = join(ROOT, "wrangler.toml");

/** The configuration with the account's ids. It is in the template's folder: its paths are relative. */
export const DEPLOYED_CONFIG = join(ROOT, "wrangler.deployed.toml");

/** Wrangler's logs, and the bundle of a dry run. */
export const DEPLOY_FOLDER = join(TOOL_FOLDER, "deploy");

/** What `wrangler auth token --json` prints. */
const loginSchema = z.union([
  z.object({ token: z.string() }),
  z.object({ type: z.literal("api_key"), key: z.string(), email: z.string() }),
]);

/** Wrangler without an account. */
export const WRANGLER_ALONE: Wrangler = { config: TEMPLATE, env: wranglerEnvironment(DEPLOY_FOLDER) };

/**
 * Opens the account CLOUDFLARE_ACCOUNT_ID, the only one of the login, or the one that the user selects.
 *
 * @param usage is printed without a login.
 * @throws SetUpError without a login or an account.
 */
export async function openAccount(usage: string, config = TEMPLATE): Promise<Cloudflare> {
  const api = new CloudflareAPI(await readLogin(usage));
  const account = await chooseAccount(api);
  // Otherwise, wrangler asks for it again.
  const env = { ...WRANGLER_ALONE.env, CLOUDFLARE_ACCOUNT_ID: account.id };
  return new Cloudflare(api, account, { config, env });
}

/** Returns the headers that authenticate requests. */
async function readLogin(usage: string): Promise<Record<string, string>> {
  const { code, stdout } = await captureCommand(process.execPath, [WRANGLER, "auth", "token", "--json"], {
    title: "Reading the Cloudflare login",
    env: WRANGLER_ALONE.env,
  });
  if (code !== 0) throw new SetUpError(`You are not logged in to Cloudflare.\n\n${usage}`);
  const login = loginSchema.parse(JSON.parse(stdout));
  return "token" in login
    ? { authorization: `Bearer ${login.token}` }
    : { "x-auth-key": login.key, "x-auth-email": login.email };
}

async function chooseAccount(api: CloudflareAPI): Promise<Account> {
  const requestedId = process.env.CLOUDFLARE_ACCOUNT_ID;
  // A token for one account may not be allowed to list accounts.
  if (requestedId) {
    const accounts = await listAccounts(api).catch(() => []);
    const unnamed = { id: requestedId, name: "CLOUDFLARE_ACCOUNT_ID" };
    return accounts.find(({ id }) => id === requestedId) ?? unnamed;
  }
  const accounts = await listAccounts(api);
  const [first, ...others] = accounts;
  if (first === undefined) throw new SetUpError("This login has no account. Set CLOUDFLARE_ACCOUNT_ID.");
  if (others.length === 0) return first;
  return await choose("Which account?", accounts, "Set CLOUDFLARE_ACCOUNT_ID.");
}

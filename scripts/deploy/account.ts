import { join } from "node:path";
import { ROOT, TOOL_FOLDER, WRANGLER } from "../local/paths.ts";
import { SetUpError } from "../local/set-up-error.ts";
import { wranglerEnvironment } from "../local/wrangler-environment.ts";
import { type Account, Cloudflare } from "./cloudflare.ts";
import { choose } from "./prompt.ts";

/** The configuration with a placeholder for the id of the database. */
export const TEMPLATE = join(ROOT, "wrangler.toml");

/** The configuration with the account's ids. It is in the template's folder because its paths are relative. */
export const DEPLOYED_CONFIG = join(ROOT, "wrangler.deployed.toml");

/** Wrangler's logs, and the bundle of a dry run. */
export const DEPLOY_FOLDER = join(TOOL_FOLDER, "deploy");

/** Wrangler without an account. */
export function openWrangler(config: string = TEMPLATE): Cloudflare {
  return new Cloudflare({
    // Tests set BERTH_WRANGLER to a fake.
    program: [process.env.BERTH_WRANGLER || WRANGLER],
    config,
    env: wranglerEnvironment(DEPLOY_FOLDER),
  });
}

/** Wrangler with an account. */
export interface AccountAccess {
  account: Account;
  cloudflare: Cloudflare;
}

/**
 * Chooses the account: CLOUDFLARE_ACCOUNT_ID, the only one of the login, or the one that the user selects.
 *
 * @param usage is printed without a login.
 * @throws SetUpError without a login or an account.
 */
export async function openAccount(usage: string, config?: string): Promise<AccountAccess> {
  const wrangler = openWrangler(config);
  const account = await chooseAccount(wrangler, usage);
  // Captured commands cannot ask for the account.
  const env = { ...wranglerEnvironment(DEPLOY_FOLDER), CLOUDFLARE_ACCOUNT_ID: account.id };
  return { account, cloudflare: wrangler.with({ env }) };
}

async function chooseAccount(cloudflare: Cloudflare, usage: string): Promise<Account> {
  const accounts = await cloudflare.accounts();
  if (accounts === undefined) throw new SetUpError(`You are not logged in to Cloudflare.\n\n${usage}`);
  const requestedId = process.env.CLOUDFLARE_ACCOUNT_ID;
  if (requestedId)
    return (
      accounts.find(({ id }) => id === requestedId) ?? { id: requestedId, name: "CLOUDFLARE_ACCOUNT_ID" }
    );
  const [first, ...others] = accounts;
  if (first === undefined) throw new SetUpError("This login has no account. Set CLOUDFLARE_ACCOUNT_ID.");
  if (others.length === 0) return first;
  return await choose("Which account?", accounts, "Set CLOUDFLARE_ACCOUNT_ID.");
}

import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { ROOT } from "../local/paths.ts";
import { SetUpError } from "../local/set-up-error.ts";
import type { Cloudflare } from "./cloudflare.ts";
import { confirm, printPlan } from "./prompt.ts";
import { showSecrets, upload } from "./upload.ts";

/** The Worker that offers the browsers of another account. */
export const BROWSER_ACCOUNT = {
  worker: "berth-browser-account",
  config: join(ROOT, "packages", "browser-account", "wrangler.toml"),
} as const;

const SECRET = "ACCOUNT_TOKEN";
const MIN_TOKEN_BYTES = 32;

/** Deploys it. An existing token is kept unless `BROWSER_ACCOUNTS_TOKEN` is set: all accounts share one. */
export async function deployBrowserAccount(cloudflare: Cloudflare, isConfirmed: boolean): Promise<void> {
  const { account, wrangler } = cloudflare;
  await cloudflare.requireBrowsersAndSubdomain();
  const secrets = await cloudflare.workerSecrets(BROWSER_ACCOUNT.worker);
  const given = process.env.BROWSER_ACCOUNTS_TOKEN;
  if (given && Buffer.byteLength(given) < MIN_TOKEN_BYTES)
    throw new SetUpError(`BROWSER_ACCOUNTS_TOKEN has less than ${MIN_TOKEN_BYTES} bytes.`);
  const isKept = !given && secrets?.includes(SECRET) === true;
  const token = given || randomBytes(MIN_TOKEN_BYTES).toString("base64url");
  printPlan(`Changes to the account ${account.name} (${account.id}):`, [
    `${secrets === undefined ? "create " : "replace"}  the Worker ${BROWSER_ACCOUNT.worker}`,
    `${isKept ? "keep   " : "set    "}  its secret ${SECRET}`,
  ]);
  if (!isConfirmed) await confirm("Continue?");
  const newSecrets: Record<string, string> = isKept ? {} : { [SECRET]: token };
  if (!given) showSecrets(newSecrets);
  const url = upload(wrangler, newSecrets);
  const entry = { name: "second", url: url ?? "https://<address of the Worker>" };
  console.log(`
The browsers of this account are available at ${entry.url}

Set in wrangler.toml of the main deployment, with a name of your choice and next to other accounts:

  BROWSER_ACCOUNTS = '${JSON.stringify([entry])}'

${
  isKept
    ? "The token is unchanged."
    : `Set its secret, log in to the main account and deploy it again:

  npm run wrangler -- secret put BROWSER_ACCOUNTS_TOKEN
  ${given ? "(the one in the environment)" : `(${SECRET} above)`}

All accounts share this token: for the next one, set it as BROWSER_ACCOUNTS_TOKEN in the environment.`
}`);
}

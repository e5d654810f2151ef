import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { z } from "zod";
import { buildAssets } from "./build-assets.ts";
import { buildPageScripts } from "./build-page-scripts.ts";
import { choose, confirm } from "./deploy/ask.ts";
import { type Account, Cloudflare } from "./deploy/cloudflare.ts";
import { describeDeployment, describeRemoval, type Inventory, NAMES } from "./deploy/plan.ts";
import { trySession, untilHealthy } from "./deploy/try-service.ts";
import { freshSecretLines, SECRET_NAMES } from "./local/dev-vars.ts";
import { readSwitches } from "./local/options.ts";
import { ROOT, TOOL_FOLDER, WRANGLER } from "./local/paths.ts";
import { runScript, SetUpError } from "./local/set-up-error.ts";
import { listenForStop } from "./local/stop-request.ts";
import { makeTemporaryFolder, removeTemporaryFolder } from "./local/temporary-folder.ts";
import { wranglerEnvironment } from "./local/wrangler-environment.ts";

const USAGE = `Deploys Berth to your Cloudflare account: the database, its migrations, the bucket, the secrets, the Worker.
Says what it will do and asks first; afterwards it starts one session to see that the service works.

  npm run deploy                   also for every new version; data and secrets stay
  npm run deploy -- --yes          does not ask, for CI
  npm run deploy -- --dry-run      only what needs no account: the assets and the bundle
  npm run deploy -- --destroy      deletes what it made, after asking

Log in first with \`npm run wrangler -- login\`, or set CLOUDFLARE_API_TOKEN and CLOUDFLARE_ACCOUNT_ID.

Environment:
  CLOUDFLARE_ACCOUNT_ID  account to use, where the login is good for several
  ADMIN_TOKEN            of an earlier deployment, to try a session after an upgrade`;

const TEMPLATE = join(ROOT, "wrangler.toml");
const PLACEHOLDER_DATABASE_ID = "00000000-0000-0000-0000-000000000000";
/** The configuration with the account's own ids. It lies beside its template, because its paths are relative. */
const DEPLOYED_CONFIG = join(ROOT, "wrangler.deployed.toml");
const FOLDER = join(TOOL_FOLDER, "deploy");

const deploymentSchema = z.object({ type: z.literal("deploy"), targets: z.array(z.string()).nullish() });

await runScript(async () => {
  const switches = readSwitches(USAGE, ["dry-run", "yes", "destroy"]);
  // Signals end wrangler, and so this; the file with the secrets is removed before.
  listenForStop();
  const cloudflare = new Cloudflare({
    // The tests put a stand-in in its place.
    program: [process.env.BERTH_WRANGLER || WRANGLER],
    config: TEMPLATE,
    env: wranglerEnvironment(FOLDER),
  });
  if (switches.has("dry-run")) {
    buildPageScripts();
    buildAssets();
    cloudflare.run(["deploy", "--dry-run", "--outdir", join(FOLDER, "bundle")]);
    return 0;
  }
  const account = await chooseAccount(cloudflare);
  const ofAccount = cloudflare.with({
    env: { ...wranglerEnvironment(FOLDER), CLOUDFLARE_ACCOUNT_ID: account.id },
  });
  const found = await ofAccount.takeInventory(account);
  if (switches.has("destroy")) await destroy(ofAccount, found, switches.has("yes"));
  else await deploy(ofAccount, found, switches.has("yes"));
  return 0;
});

async function chooseAccount(cloudflare: Cloudflare): Promise<Account> {
  const accounts = await cloudflare.accounts();
  if (accounts === undefined) throw new SetUpError(`You are not logged in to Cloudflare.\n\n${USAGE}`);
  const wanted = process.env.CLOUDFLARE_ACCOUNT_ID;
  if (wanted)
    return accounts.find(({ id }) => id === wanted) ?? { id: wanted, name: "CLOUDFLARE_ACCOUNT_ID" };
  const [first, ...others] = accounts;
  if (first === undefined)
    throw new SetUpError("This login is good for no account: set CLOUDFLARE_ACCOUNT_ID.");
  if (others.length === 0) return first;
  return await choose("Which account?", accounts, "Set CLOUDFLARE_ACCOUNT_ID.");
}

async function deploy(cloudflare: Cloudflare, found: Inventory, isConfirmed: boolean): Promise<void> {
  await cloudflare.requireBrowsers();
  const missing = SECRET_NAMES.filter((name) => found.workerSecrets?.includes(name) !== true);
  tell(
    `In the account ${found.account.name} (${found.account.id}) this will`,
    describeDeployment(found, missing),
  );
  if (!isConfirmed) await confirm("Go on?");
  buildPageScripts();
  buildAssets();
  const configured = cloudflare.with({ config: await writeConfig(cloudflare, found) });
  if (!found.hasBucket) cloudflare.run(["r2", "bucket", "create", NAMES.bucket, "--update-config=false"]);
  configured.run(["d1", "migrations", "apply", "DB", "--remote"], { CI: "true" });
  const secrets = freshSecretLines(missing);
  const url = upload(configured, secrets);
  const made = parseEnv(secrets);
  console.log(closingWords(url, made));
  if (url !== undefined) await tryOut(url, made.ADMIN_TOKEN ?? process.env.ADMIN_TOKEN);
}

/** Writes the configuration with the database's id, which it creates where there is none. @returns its path. */
async function writeConfig(cloudflare: Cloudflare, { databaseId }: Inventory): Promise<string> {
  const template = readFileSync(TEMPLATE, "utf8");
  // Somebody has written an id of their own.
  if (!template.includes(PLACEHOLDER_DATABASE_ID)) return TEMPLATE;
  if (databaseId === undefined) cloudflare.run(["d1", "create", NAMES.database, "--update-config=false"]);
  const id = databaseId ?? (await cloudflare.findDatabase());
  if (id === undefined)
    throw new SetUpError(`\`wrangler d1 list\` does not name a database ${NAMES.database}.`);
  writeFileSync(DEPLOYED_CONFIG, template.replace(PLACEHOLDER_DATABASE_ID, id));
  return DEPLOYED_CONFIG;
}

/** Uploads the Worker, together with the secrets it lacks; answers its address when wrangler tells one. */
function upload(cloudflare: Cloudflare, secrets: string): string | undefined {
  const folder = makeTemporaryFolder();
  try {
    const secretsFile = join(folder, "secrets.env");
    writeFileSync(secretsFile, secrets, { mode: 0o600 });
    const reportFile = join(folder, "report.ndjson");
    cloudflare.run(["deploy", ...(secrets === "" ? [] : ["--secrets-file", secretsFile])], {
      WRANGLER_OUTPUT_FILE_PATH: reportFile,
    });
    return existsSync(reportFile) ? readAddress(readFileSync(reportFile, "utf8")) : undefined;
  } finally {
    removeTemporaryFolder(folder);
  }
}

function readAddress(report: string): string | undefined {
  for (const line of report.trim().split("\n")) {
    const entry = deploymentSchema.safeParse(JSON.parse(line));
    if (entry.success) return entry.data.targets?.find((target) => /^https?:\/\//.test(target));
  }
  return undefined;
}

async function tryOut(url: string, adminToken: string | undefined): Promise<void> {
  console.log("\nWaiting until the service answers …");
  await untilHealthy(url);
  if (adminToken === undefined) {
    console.log("It is healthy. No session was tried: set ADMIN_TOKEN for that.");
    return;
  }
  const tookMs = await trySession(url, adminToken);
  console.log(`It is healthy, and a first session started in ${(tookMs / 1000).toFixed(1)} s.`);
}

async function destroy(cloudflare: Cloudflare, found: Inventory, isConfirmed: boolean): Promise<void> {
  const lines = describeRemoval(found);
  const { name, id } = found.account;
  if (lines.length === 0) {
    console.log(`The account ${name} (${id}) has nothing of Berth.`);
    return;
  }
  tell(`In the account ${name} (${id}) this will, for good,`, lines);
  if (!isConfirmed) await confirm("Delete all of this?");
  if (found.workerSecrets !== undefined) cloudflare.run(["delete", "--force"]);
  if (found.databaseId !== undefined) cloudflare.run(["d1", "delete", NAMES.database, "--skip-confirmation"]);
  if (found.hasBucket) destroyBucket(cloudflare);
}

/** Cloudflare deletes no bucket with files in it. */
function destroyBucket(cloudflare: Cloudflare): void {
  try {
    cloudflare.run(["r2", "bucket", "delete", NAMES.bucket]);
  } catch {
    throw new SetUpError(
      `The R2 bucket ${NAMES.bucket} was not deleted. If it has files in it, empty it in the Cloudflare dashboard under
Storage & databases > R2, then run this again. Everything else is gone.`,
    );
  }
}

function tell(title: string, lines: readonly string[]): void {
  console.log(`\n${title}\n\n${lines.map((line) => `  ${line}`).join("\n")}\n`);
}

/** @param made the secrets that were made now. */
function closingWords(url: string | undefined, made: NodeJS.Dict<string>): string {
  const address = url ?? "https://<address of your Worker>";
  const lines = Object.entries(made).map(([name, value]) => `  export ${name}=${value}`);
  const token =
    lines.length > 0
      ? `These secrets were made. They are shown this once: keep them where you keep secrets.\n\n${lines.join("\n")}`
      : "The secrets stayed as they were. ADMIN_TOKEN is the one of the first deployment\n(`npm run wrangler -- secret put ADMIN_TOKEN` sets another).";
  return `
Berth runs at ${address}

${token}

An organization and its first API key are made with:

  curl -X POST ${address}/admin/organizations -H "Authorization: Bearer $ADMIN_TOKEN" \\
    -H "Content-Type: application/json" -d '{"name": "my organization"}'`;
}

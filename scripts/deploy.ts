import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { z } from "zod";
import { buildAssets } from "./build-assets.ts";
import { buildPageScripts } from "./build-page-scripts.ts";
import { DEPLOY_FOLDER, openAccount, openWrangler, TEMPLATE } from "./deploy/account.ts";
import type { Cloudflare } from "./deploy/cloudflare.ts";
import { describeDeployment, describeRemoval, type Inventory, NAMES } from "./deploy/plan.ts";
import { confirm } from "./deploy/prompt.ts";
import { runTestSession, waitUntilHealthy } from "./deploy/smoke-test.ts";
import { generateSecretLines, SECRET_NAMES } from "./local/dev-vars.ts";
import { readSwitches } from "./local/options.ts";
import { ROOT } from "./local/paths.ts";
import { runScript, SetUpError } from "./local/set-up-error.ts";
import { listenForStop } from "./local/stop-request.ts";
import { makeTemporaryFolder, removeTemporaryFolder } from "./local/temporary-folder.ts";

const USAGE = `Deploys Berth to your Cloudflare account: database, migrations, bucket, secrets and Worker.
Shows the plan and asks before it changes anything. Afterwards starts one session to check the service.

  npm run deploy                   deploys or upgrades; an upgrade keeps data and secrets
  npm run deploy -- --yes          skips the confirmation, for CI
  npm run deploy -- --dry-run      only builds the assets and the bundle; needs no account
  npm run deploy -- --destroy      deletes the deployment and its data, after a confirmation

Log in first with \`npm run wrangler -- login\`, or set CLOUDFLARE_API_TOKEN and CLOUDFLARE_ACCOUNT_ID.

Environment:
  CLOUDFLARE_ACCOUNT_ID  account to use if the login has several
  ADMIN_TOKEN            token of the existing deployment, to test a session after an upgrade`;

const PLACEHOLDER_DATABASE_ID = "00000000-0000-0000-0000-000000000000";
/** The configuration with the account's ids. It is in the template's folder because its paths are relative. */
const DEPLOYED_CONFIG = join(ROOT, "wrangler.deployed.toml");

const deploymentSchema = z.object({ type: z.literal("deploy"), targets: z.array(z.string()).nullish() });

await runScript(async () => {
  const switches = readSwitches(USAGE, ["dry-run", "yes", "destroy"]);
  // A signal ends wrangler, which ends this script after it has removed the file with the secrets.
  const { requested: signal } = listenForStop();
  if (switches.has("dry-run")) {
    buildPageScripts();
    await buildAssets(signal);
    openWrangler().run(["deploy", "--dry-run", "--outdir", join(DEPLOY_FOLDER, "bundle")]);
    return 0;
  }
  const { account, cloudflare } = await openAccount(USAGE);
  const inventory = await cloudflare.takeInventory(account);
  if (switches.has("destroy")) await destroy(cloudflare, inventory, switches.has("yes"));
  else await deploy(cloudflare, inventory, { isConfirmed: switches.has("yes"), signal });
  return 0;
});

async function deploy(
  cloudflare: Cloudflare,
  inventory: Inventory,
  { isConfirmed, signal }: { isConfirmed: boolean; signal: AbortSignal },
): Promise<void> {
  await cloudflare.requireBrowsers();
  const missing = SECRET_NAMES.filter((name) => inventory.workerSecrets?.includes(name) !== true);
  printPlan(
    `Changes to the account ${inventory.account.name} (${inventory.account.id}):`,
    describeDeployment(inventory, missing),
  );
  if (!isConfirmed) await confirm("Continue?");
  buildPageScripts();
  await buildAssets(signal);
  const configured = cloudflare.with({ config: await writeConfig(cloudflare, inventory) });
  if (!inventory.hasBucket) cloudflare.run(["r2", "bucket", "create", NAMES.bucket, "--update-config=false"]);
  configured.run(["d1", "migrations", "apply", "DB", "--remote"], { CI: "true" });
  const secrets = generateSecretLines(missing);
  const url = upload(configured, secrets);
  const newSecrets = parseEnv(secrets);
  console.log(describeResult(url, newSecrets));
  if (url !== undefined) await smokeTest(url, newSecrets.ADMIN_TOKEN ?? process.env.ADMIN_TOKEN);
}

/** Creates the database if it is missing. @returns the path of a configuration with its id. */
async function writeConfig(cloudflare: Cloudflare, { databaseId }: Inventory): Promise<string> {
  const template = readFileSync(TEMPLATE, "utf8");
  // The user has set an id.
  if (!template.includes(PLACEHOLDER_DATABASE_ID)) return TEMPLATE;
  if (databaseId === undefined) cloudflare.run(["d1", "create", NAMES.database, "--update-config=false"]);
  const id = databaseId ?? (await cloudflare.findDatabase());
  if (id === undefined)
    throw new SetUpError(`\`wrangler d1 list\` does not list the database ${NAMES.database}.`);
  writeFileSync(DEPLOYED_CONFIG, template.replace(PLACEHOLDER_DATABASE_ID, id));
  return DEPLOYED_CONFIG;
}

/** Uploads the Worker and its missing secrets. @returns its address, if wrangler reports one. */
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

async function smokeTest(url: string, adminToken: string | undefined): Promise<void> {
  console.log("\nWaiting for the service …");
  await waitUntilHealthy(url);
  if (adminToken === undefined) {
    console.log("The service is healthy. Set ADMIN_TOKEN to test a session, too.");
    return;
  }
  const tookMs = await runTestSession(url, adminToken);
  console.log(`The service is healthy. A test session started in ${(tookMs / 1000).toFixed(1)} s.`);
}

async function destroy(cloudflare: Cloudflare, inventory: Inventory, isConfirmed: boolean): Promise<void> {
  const lines = describeRemoval(inventory);
  const { name, id } = inventory.account;
  if (lines.length === 0) {
    console.log(`Berth is not deployed in the account ${name} (${id}).`);
    return;
  }
  printPlan(`Permanent changes to the account ${name} (${id}):`, lines);
  if (!isConfirmed) await confirm("Delete all of it?");
  if (inventory.workerSecrets !== undefined) cloudflare.run(["delete", "--force"]);
  if (inventory.databaseId !== undefined)
    cloudflare.run(["d1", "delete", NAMES.database, "--skip-confirmation"]);
  if (inventory.hasBucket) destroyBucket(cloudflare);
}

/** Cloudflare deletes only empty buckets. */
function destroyBucket(cloudflare: Cloudflare): void {
  try {
    cloudflare.run(["r2", "bucket", "delete", NAMES.bucket]);
  } catch {
    throw new SetUpError(
      `The R2 bucket ${NAMES.bucket} was not deleted. If it contains files, empty it in the Cloudflare dashboard under
Storage & databases > R2, then run this again. Everything else was deleted.`,
    );
  }
}

function printPlan(title: string, lines: readonly string[]): void {
  console.log(`\n${title}\n\n${lines.map((line) => `  ${line}`).join("\n")}\n`);
}

function describeResult(url: string | undefined, newSecrets: NodeJS.Dict<string>): string {
  const address = url ?? "https://<address of your Worker>";
  const lines = Object.entries(newSecrets).map(([name, value]) => `  export ${name}=${value}`);
  const token =
    lines.length > 0
      ? `New secrets. Store them safely: they are not shown again.\n\n${lines.join("\n")}`
      : "The secrets are unchanged. ADMIN_TOKEN is still the one of the first deployment\n(`npm run wrangler -- secret put ADMIN_TOKEN` sets another).";
  return `
Berth is running at ${address}

${token}

Create an organization and its first API key:

  curl -X POST ${address}/admin/organizations -H "Authorization: Bearer $ADMIN_TOKEN" \\
    -H "Content-Type: application/json" -d '{"name": "my organization"}'`;
}

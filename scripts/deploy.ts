import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DEPLOY_FOLDER, DEPLOYED_CONFIG, openAccount, TEMPLATE, WRANGLER_ALONE } from "./deploy/account.ts";
import { BROWSER_ACCOUNT, deployBrowserAccount } from "./deploy/browser-account.ts";
import { type Cloudflare, runWrangler } from "./deploy/cloudflare.ts";
import { describeDeployment } from "./deploy/plan.ts";
import { confirm, printPlan } from "./deploy/prompt.ts";
import { runTestSession, waitUntilHealthy } from "./deploy/smoke-test.ts";
import { showSecrets, upload } from "./deploy/upload.ts";
import { generateSecrets, SECRET_NAMES } from "./local/dev-vars.ts";
import { readSwitches } from "./local/options.ts";
import { prepareBuild } from "./local/service-build.ts";
import { BUILD_FILES } from "./local/service-options.ts";
import { runScript } from "./local/set-up-error.ts";
import { listenForStop } from "./local/stop-request.ts";

const USAGE = `Deploys Berth to your Cloudflare account: database, migrations, bucket, secrets and Worker.
Shows the plan and asks before it changes anything. Afterwards starts one session to check the service.

  npm run deploy                   deploys or upgrades; an upgrade keeps data and secrets
  npm run deploy -- --yes          skips the confirmation, for CI
  npm run deploy -- --dry-run      only builds the assets and the bundle; needs no account
  npm run deploy -- --account      only offers the browsers of this account to a deployment in another account

Log in first with \`npm run wrangler -- login\`, or set CLOUDFLARE_API_TOKEN and CLOUDFLARE_ACCOUNT_ID.

Environment:
  CLOUDFLARE_ACCOUNT_ID  account to use if the login has several
  ADMIN_TOKEN            token of the existing deployment, to test a session after an upgrade
  TOKEN_SECRET, ENCRYPTION_KEY, ADMIN_TOKEN
                         used instead of new secrets if the deployment has none yet, as after a restore
  BROWSER_ACCOUNTS_TOKEN for --account: the token of the main deployment (a new one)

\`npm run remove\` deletes a deployment.`;

const PLACEHOLDER_DATABASE_ID = "00000000-0000-0000-0000-000000000000";

await runScript(async () => {
  const switches = readSwitches(USAGE, ["dry-run", "yes", "account"]);
  // A signal ends wrangler, which ends this script after it has removed the file with the secrets.
  const { requested: signal } = listenForStop();
  const isConfirmed = switches.has("yes");
  if (switches.has("dry-run")) {
    const args = ["deploy", "--dry-run", "--outdir", join(DEPLOY_FOLDER, "bundle")];
    runWrangler(WRANGLER_ALONE, "Bundling", "the Worker", [...args, ...(await prepareAssets(signal))]);
  } else if (switches.has("account")) {
    await deployBrowserAccount(await openAccount(USAGE, BROWSER_ACCOUNT.config), isConfirmed);
  } else await deploy(await openAccount(USAGE), { isConfirmed, signal });
  return 0;
});

async function deploy(
  cloudflare: Cloudflare,
  { isConfirmed, signal }: { isConfirmed: boolean; signal: AbortSignal },
): Promise<void> {
  const { account, wrangler } = cloudflare;
  const [inventory] = await Promise.all([
    cloudflare.takeInventory(),
    cloudflare.requireBrowsersAndSubdomain(),
  ]);
  const missing = SECRET_NAMES.filter((name) => inventory.workerSecrets?.includes(name) !== true);
  const given = missing.filter((name) => process.env[name]);
  const generated = missing.filter((name) => !given.includes(name));
  printPlan(
    `Changes to the account ${account.name} (${account.id}):`,
    describeDeployment(inventory, { generated, given }),
  );
  if (!isConfirmed) await confirm("Continue?");
  const assets = await prepareAssets(signal);
  // First, because a plan may allow no more databases.
  const config = writeConfig(inventory.databaseId ?? (await cloudflare.createDatabase()));
  if (!inventory.hasBucket) await cloudflare.createBucket();
  const withoutQuestions = { config, env: { ...wrangler.env, CI: "true" } };
  const migrations = ["d1", "migrations", "apply", "DB", "--remote"];
  runWrangler(withoutQuestions, "Migrating", "the D1 database", migrations);
  const newSecrets = generateSecrets(generated);
  const givenSecrets = Object.fromEntries(given.map((name) => [name, process.env[name] ?? ""]));
  showSecrets(newSecrets);
  const url = upload({ ...wrangler, config }, { ...newSecrets, ...givenSecrets }, assets);
  console.log(describeResult(url, generated, given));
  if (url !== undefined) await smokeTest(url, newSecrets.ADMIN_TOKEN ?? process.env.ADMIN_TOKEN);
}

/** Builds the assets of `npm start`. @returns arguments of `wrangler deploy`. */
async function prepareAssets(signal: AbortSignal): Promise<string[]> {
  return ["--assets", join(await prepareBuild(signal), BUILD_FILES.assets)];
}

/** @returns the path of a configuration with the database's id. */
function writeConfig(databaseId: string): string {
  const template = readFileSync(TEMPLATE, "utf8");
  // The user has set an id.
  if (!template.includes(PLACEHOLDER_DATABASE_ID)) return TEMPLATE;
  writeFileSync(DEPLOYED_CONFIG, template.replace(PLACEHOLDER_DATABASE_ID, databaseId));
  return DEPLOYED_CONFIG;
}

async function smokeTest(url: string, adminToken: string | undefined): Promise<void> {
  console.log("\nWaiting for the service …");
  await waitUntilHealthy(url);
  if (adminToken === undefined) {
    console.log("The service is healthy. Set ADMIN_TOKEN to test a session as well.");
    return;
  }
  const tookMs = await runTestSession(url, adminToken);
  console.log(`The service is healthy. A test session started in ${(tookMs / 1000).toFixed(1)} s.`);
}

function describeResult(
  url: string | undefined,
  generated: readonly string[],
  given: readonly string[],
): string {
  const address = url ?? "https://<address of your Worker>";
  return `
Berth is running at ${address}

${describeSecrets(generated, given)}

Create an organization and its first API key:

  curl -X POST ${address}/admin/organizations -H "Authorization: Bearer $ADMIN_TOKEN" \\
    -H "Content-Type: application/json" -d '{"name": "my organization"}'`;
}

function describeSecrets(generated: readonly string[], given: readonly string[]): string {
  if (generated.length > 0) return `The new secrets above are now in effect: ${generated.join(", ")}.`;
  if (given.length === SECRET_NAMES.length)
    return `The secrets come from the environment: ${given.join(", ")}.`;
  if (given.length > 0)
    return `Set from the environment: ${given.join(", ")}. The other secrets are unchanged.`;
  return `The secrets are unchanged. ADMIN_TOKEN is still the one from the first deployment
(\`npm run wrangler -- secret put ADMIN_TOKEN\` sets another).`;
}

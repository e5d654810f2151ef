import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildAssets } from "./build-assets.ts";
import { buildPageScripts } from "./build-page-scripts.ts";
import { DEPLOY_FOLDER, DEPLOYED_CONFIG, openAccount, openWrangler, TEMPLATE } from "./deploy/account.ts";
import { BROWSER_ACCOUNT, deployBrowserAccount } from "./deploy/browser-account.ts";
import type { Cloudflare } from "./deploy/cloudflare.ts";
import { describeDeployment, type Inventory, NAMES } from "./deploy/plan.ts";
import { confirm, printPlan } from "./deploy/prompt.ts";
import { runTestSession, waitUntilHealthy } from "./deploy/smoke-test.ts";
import { upload } from "./deploy/upload.ts";
import { generateSecrets, SECRET_NAMES } from "./local/dev-vars.ts";
import { readSwitches } from "./local/options.ts";
import { runScript, SetUpError } from "./local/set-up-error.ts";
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
  if (switches.has("dry-run")) {
    buildPageScripts();
    await buildAssets(signal);
    openWrangler().run(["deploy", "--dry-run", "--outdir", join(DEPLOY_FOLDER, "bundle")]);
    return 0;
  }
  const isConfirmed = switches.has("yes");
  if (switches.has("account")) {
    const { account, cloudflare } = await openAccount(USAGE, BROWSER_ACCOUNT.config);
    await deployBrowserAccount(cloudflare, account, isConfirmed);
    return 0;
  }
  const { account, cloudflare } = await openAccount(USAGE);
  await deploy(cloudflare, await cloudflare.takeInventory(account), { isConfirmed, signal });
  return 0;
});

async function deploy(
  cloudflare: Cloudflare,
  inventory: Inventory,
  { isConfirmed, signal }: { isConfirmed: boolean; signal: AbortSignal },
): Promise<void> {
  await cloudflare.requireBrowsers();
  const missing = SECRET_NAMES.filter((name) => inventory.workerSecrets?.includes(name) !== true);
  const given = missing.filter((name) => process.env[name]);
  const generated = missing.filter((name) => !given.includes(name));
  printPlan(
    `Changes to the account ${inventory.account.name} (${inventory.account.id}):`,
    describeDeployment(inventory, { generated, given }),
  );
  if (!isConfirmed) await confirm("Continue?");
  buildPageScripts();
  await buildAssets(signal);
  const configured = cloudflare.with({ config: await writeConfig(cloudflare, inventory) });
  if (!inventory.hasBucket) cloudflare.run(["r2", "bucket", "create", NAMES.bucket, "--update-config=false"]);
  configured.run(["d1", "migrations", "apply", "DB", "--remote"], { CI: "true" });
  const newSecrets = generateSecrets(generated);
  const givenSecrets = Object.fromEntries(given.map((name) => [name, process.env[name] ?? ""]));
  const url = upload(configured, { ...newSecrets, ...givenSecrets });
  console.log(describeResult(url, newSecrets, given));
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

function describeResult(
  url: string | undefined,
  newSecrets: Readonly<Record<string, string>>,
  given: readonly string[],
): string {
  const address = url ?? "https://<address of your Worker>";
  const token = describeSecrets(newSecrets, given);
  return `
Berth is running at ${address}

${token}

Create an organization and its first API key:

  curl -X POST ${address}/admin/organizations -H "Authorization: Bearer $ADMIN_TOKEN" \\
    -H "Content-Type: application/json" -d '{"name": "my organization"}'`;
}

function describeSecrets(newSecrets: Readonly<Record<string, string>>, given: readonly string[]): string {
  const lines = Object.entries(newSecrets).map(([name, value]) => `  export ${name}=${value}`);
  if (lines.length > 0)
    return `New secrets. Store them safely: they are not shown again.\n\n${lines.join("\n")}`;
  if (given.length === SECRET_NAMES.length)
    return `The secrets are those of the environment: ${given.join(", ")}.`;
  if (given.length > 0)
    return `Set from the environment: ${given.join(", ")}. The other secrets are unchanged.`;
  return `The secrets are unchanged. ADMIN_TOKEN is still the one of the first deployment
(\`npm run wrangler -- secret put ADMIN_TOKEN\` sets another).`;
}

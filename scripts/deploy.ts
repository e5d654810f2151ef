import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { z } from "zod";
import { buildAssets } from "./build-assets.ts";
import { captureCommand, runCommand } from "./local/command.ts";
import { freshSecretLines, SECRET_NAMES } from "./local/dev-vars.ts";
import { readSwitches } from "./local/options.ts";
import { ROOT, TOOL_FOLDER, WRANGLER } from "./local/paths.ts";
import { runScript, SetUpError } from "./local/set-up-error.ts";
import { listenForStop } from "./local/stop-request.ts";
import { makeTemporaryFolder, removeTemporaryFolder } from "./local/temporary-folder.ts";
import { wranglerEnvironment } from "./local/wrangler-environment.ts";

const USAGE = `Deploys Berth to your Cloudflare account: the database, its migrations, the bucket, the secrets, the Worker.

  npm run deploy                   also for every new version; data and secrets stay
  npm run deploy -- --dry-run      only what needs no account: the assets and the bundle

Log in first with \`npm run wrangler -- login\`, or set CLOUDFLARE_API_TOKEN and CLOUDFLARE_ACCOUNT_ID.`;

const CONFIG = join(ROOT, "wrangler.toml");
const DATABASE_NAME = "berth";
const BUCKET_NAME = "berth";
const PLACEHOLDER_DATABASE_ID = "00000000-0000-0000-0000-000000000000";
const FOLDER = join(TOOL_FOLDER, "deploy");

const databaseListSchema = z.array(z.object({ name: z.string(), uuid: z.string() }));
const secretListSchema = z.array(z.object({ name: z.string() }));
const deploymentSchema = z.object({ type: z.literal("deploy"), targets: z.array(z.string()).nullish() });

await runScript(async () => {
  const switches = readSwitches(USAGE, ["dry-run"]);
  // Signals end wrangler, and so this; the file with the secrets is removed before.
  listenForStop();
  buildAssets();
  if (switches.has("dry-run")) {
    runInTerminal(["deploy", "--dry-run", "--outdir", join(FOLDER, "bundle")]);
    return 0;
  }
  await requireLogin();
  await requireDatabase();
  await requireBucket();
  runInTerminal(["d1", "migrations", "apply", "DB", "--remote"]);
  const secrets = await freshMissingSecrets();
  const url = deploy(secrets);
  console.log(closingWords(url, secrets));
  return 0;
});

async function requireLogin(): Promise<void> {
  const { code } = await captureWrangler(["whoami", "--json"], "Asking Cloudflare who you are");
  if (code !== 0) throw new SetUpError(`You are not logged in to Cloudflare.\n\n${USAGE}`);
}

/** Finds or creates the database, when wrangler.toml does not name one yet, and writes its id there. */
async function requireDatabase(): Promise<void> {
  const config = readFileSync(CONFIG, "utf8");
  if (!config.includes(PLACEHOLDER_DATABASE_ID)) return;
  let id = await findDatabase();
  if (id === undefined) {
    runInTerminal(["d1", "create", DATABASE_NAME, "--update-config=false"]);
    id = await findDatabase();
  }
  if (id === undefined)
    throw new SetUpError(`\`wrangler d1 list\` does not name a database ${DATABASE_NAME}.`);
  writeFileSync(CONFIG, config.replace(PLACEHOLDER_DATABASE_ID, id));
  console.log(`wrangler.toml now names the D1 database ${id}; keep that change.`);
}

async function findDatabase(): Promise<string | undefined> {
  const output = await runCommand(process.execPath, [WRANGLER, "d1", "list", "--json", "--config", CONFIG], {
    title: "Listing the D1 databases",
    env: wranglerEnvironment(FOLDER),
  });
  const databases = databaseListSchema.parse(JSON.parse(output));
  return databases.find(({ name }) => name === DATABASE_NAME)?.uuid;
}

/** Creates the bucket for files that outlive sessions, where there is none yet. */
async function requireBucket(): Promise<void> {
  const { code } = await captureWrangler(["r2", "bucket", "info", BUCKET_NAME], "Looking for the R2 bucket");
  if (code !== 0) runInTerminal(["r2", "bucket", "create", BUCKET_NAME, "--update-config=false"]);
}

/** Lines `NAME=value` for the secrets that the deployed Worker lacks: all of them before the first deployment. */
async function freshMissingSecrets(): Promise<string> {
  const title = "Listing the Worker's secrets";
  const { code, output, everything } = await captureWrangler(["secret", "list", "--format", "json"], title);
  if (code !== 0 && !/10007|does not exist/.test(everything))
    throw new SetUpError(`${title} failed:\n\n${everything}`);
  const present = code === 0 ? secretListSchema.parse(JSON.parse(output)).map(({ name }) => name) : [];
  return freshSecretLines(SECRET_NAMES.filter((name) => !present.includes(name)));
}

/** Uploads the Worker, together with the secrets it lacks; answers its address when wrangler tells one. */
function deploy(secrets: string): string | undefined {
  const folder = makeTemporaryFolder();
  try {
    const secretsFile = join(folder, "secrets.env");
    writeFileSync(secretsFile, secrets, { mode: 0o600 });
    const reportFile = join(folder, "report.ndjson");
    runInTerminal(["deploy", ...(secrets === "" ? [] : ["--secrets-file", secretsFile])], {
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
    if (entry.success) return entry.data.targets?.find((target) => target.startsWith("https://"));
  }
  return undefined;
}

/** @param secrets lines `NAME=value` of those that were made now. */
function closingWords(url: string | undefined, secrets: string): string {
  const address = url ?? "https://<address of your Worker>";
  const made = Object.entries(parseEnv(secrets)).map(([name, value]) => `  export ${name}=${value}`);
  const token =
    made.length > 0
      ? `These secrets were made. They are shown this once: keep them where you keep secrets.\n\n${made.join("\n")}`
      : "The secrets stayed as they were. ADMIN_TOKEN is the one of the first deployment\n(`npm run wrangler -- secret put ADMIN_TOKEN` sets another).";
  return `
Berth runs at ${address}

${token}

An organization and its first API key are made with:

  curl -X POST ${address}/admin/organizations -H "Authorization: Bearer $ADMIN_TOKEN" \\
    -H "Content-Type: application/json" -d '{"name": "my organization"}'`;
}

function captureWrangler(args: string[], title: string) {
  return captureCommand(process.execPath, [WRANGLER, ...args, "--config", CONFIG], {
    title,
    env: wranglerEnvironment(FOLDER),
  });
}

/** Shows wrangler's output and lets it ask, as for the account to use. */
function runInTerminal(args: string[], variables: Record<string, string> = {}): void {
  console.log(`\n> wrangler ${args.slice(0, 3).join(" ")}`);
  const { status } = spawnSync(process.execPath, [WRANGLER, ...args, "--config", CONFIG], {
    stdio: "inherit",
    env: { ...wranglerEnvironment(FOLDER), ...variables },
  });
  if (status !== 0) throw new SetUpError(`wrangler ${args[0]} failed, see above.`);
}

import { join } from "node:path";
import { describeManifest } from "./backup/manifest.ts";
import { requireFreeFolder, requireTables, saveBackup } from "./backup/save.ts";
import { openDeployedStorage, openLocalStorage } from "./backup/storage.ts";
import { openAccount } from "./deploy/account.ts";
import { NAMES } from "./deploy/plan.ts";
import { readEncryptionKey } from "./local/dev-vars.ts";
import { readArguments } from "./local/options.ts";
import { ROOT } from "./local/paths.ts";
import { runScript, SetUpError } from "./local/set-up-error.ts";
import { openStateDirectory } from "./local/state-directory.ts";

const USAGE = `Copies the database and the files of Berth into a folder, while the service continues to run.
\`npm run restore\` puts them back, also into another account or on this machine.

  npm run backup                      the deployment in your Cloudflare account
  npm run backup -- --local           the data of \`npm start\`, which must not run
  npm run backup -- [--local] <folder>
                                      a new folder (backups/<time>). The folder of an interrupted backup
                                      continues it.

The backup contains API keys only as hashes, and proxy passwords, profiles and env_vars encrypted. It does not contain
the secrets: keep ENCRYPTION_KEY elsewhere. Running sessions and what is in Durable Objects are not in it.

Environment:
  CLOUDFLARE_ACCOUNT_ID  account to use if the login has several
  ENCRYPTION_KEY         the key of the deployment: only a fingerprint of it is stored, which a restore compares
  BERTH_STATE_DIRECTORY  folder of \`npm start\` (.wrangler/local)`;

await runScript(async () => {
  const { switches, positionals } = readArguments(USAGE, ["local"], 1);
  const time = new Date().toISOString().slice(0, 19).replaceAll(":", "-");
  const folder = positionals[0] ?? join(ROOT, "backups", time);
  const isLocal = switches.has("local");
  requireFreeFolder(folder);
  const { storage, source } = isLocal ? await openLocal() : await openDeployment();
  await using _ = storage;
  await requireTables(storage.database);
  const again = `npm run backup -- ${isLocal ? "--local " : ""}${folder}`;
  console.log(`Writing the backup to ${folder}\nIf it is interrupted, continue it: ${again}\n`);
  const manifest = await saveBackup(storage, { folder, source, encryptionKey: readEncryptionKey(isLocal) });
  console.log(`\n${describeManifest(manifest)}\n\nThe backup is complete: ${folder}`);
  if (manifest.encryption_key_fingerprint === null)
    console.log("ENCRYPTION_KEY was not set. A restore cannot check whether it has the right key.");
  return 0;
});

async function openLocal() {
  const state = openStateDirectory(process.env);
  return { storage: await openLocalStorage(state), source: "npm start" };
}

async function openDeployment() {
  const cloudflare = await openAccount(USAGE);
  const { account } = cloudflare;
  const { databaseId, hasBucket } = await cloudflare.takeInventory();
  if (databaseId === undefined || !hasBucket)
    throw new SetUpError(`Berth is not deployed in the account ${account.name} (${account.id}).`);
  const storage = await openDeployedStorage(account.id, databaseId);
  return { storage, source: `${NAMES.worker} in the account ${account.name} (${account.id})` };
}

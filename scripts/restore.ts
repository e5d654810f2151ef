import { rmSync } from "node:fs";
import { describeManifest, readVerifiedManifest } from "./backup/manifest.ts";
import { openDump, requireEmpty, requireUsable, restoreBackup } from "./backup/restore.ts";
import { openDeployedStorage, openLocalStorage } from "./backup/storage.ts";
import { openAccount } from "./deploy/account.ts";
import { NAMES } from "./deploy/plan.ts";
import { confirm, printPlan } from "./deploy/prompt.ts";
import { readEncryptionKey } from "./local/dev-vars.ts";
import { readArguments } from "./local/options.ts";
import { runScript, SetUpError } from "./local/set-up-error.ts";
import { openStateDirectory } from "./local/state-directory.ts";

const USAGE = `Restores a backup of \`npm run backup\`. It checks the backup first, and the result at the end.

  npm run restore -- <folder>            into your Cloudflare account. Then run \`npm run deploy\`
  npm run restore -- <folder> --local    on this machine. Then run \`npm start\`
  npm run restore -- <folder> --dry-run  only checks the backup
     --overwrite                         also if the target contains data, which is deleted, and to continue an
                                         interrupted restore. With --local, it also deletes the Durable Objects
     --yes                               skips the confirmation

The backup may be of an older version: the next deployment or start applies the missing migrations.

Environment:
  CLOUDFLARE_ACCOUNT_ID  account to use if the login has several
  ENCRYPTION_KEY         the key of the service that was backed up (for --local: the one in .dev.vars)
  BERTH_STATE_DIRECTORY  folder of \`npm start\` (.wrangler/local)`;

await runScript(async () => {
  const names = ["local", "dry-run", "overwrite", "yes"] as const;
  const { switches, positionals } = readArguments(USAGE, names, 1);
  const [folder] = positionals;
  if (folder === undefined) throw new SetUpError(`Name the folder of the backup.\n\n${USAGE}`);
  const isLocal = switches.has("local");
  const manifest = await readVerifiedManifest(folder);
  console.log(`${describeManifest(manifest)}\n`);
  requireUsable(manifest, readEncryptionKey(isLocal));
  if (switches.has("dry-run")) {
    console.log("The backup is complete and unchanged.");
    return 0;
  }
  // Before anything is changed, because it may fail.
  using dump = await openDump(folder);
  const isOverwriting = switches.has("overwrite");
  const options = { isOverwriting, isConfirmed: switches.has("yes") };
  const { storage, next } = isLocal ? await openLocal(options) : await openTarget(options);
  await using _ = storage;
  if (!isOverwriting) await requireEmpty(storage);
  await restoreBackup(storage, { folder, manifest, dump });
  console.log(`\nRestored: all rows and files are there. ${next}`);
  return 0;
});

interface TargetOptions {
  isOverwriting: boolean;
  isConfirmed: boolean;
}

/** @returns the storage, and what the user should do next. */
async function openLocal({ isOverwriting, isConfirmed }: TargetOptions) {
  const state = openStateDirectory(process.env);
  if (isOverwriting) {
    // Opened first, because this fails if a service runs.
    await using _ = await openLocalStorage(state);
    if (!isConfirmed) await confirm(`Delete all local data in ${state.data}?`);
    // With the Durable Objects, which belong to the deleted data.
    rmSync(state.data, { recursive: true, force: true });
  }
  return { storage: await openLocalStorage(state), next: "Now run `npm start`." };
}

async function openTarget({ isOverwriting, isConfirmed }: TargetOptions) {
  const cloudflare = await openAccount(USAGE);
  const { account } = cloudflare;
  const { databaseId, hasBucket, workerSecrets } = await cloudflare.takeInventory();
  const existing = isOverwriting ? "empty and fill" : "fill           ";
  printPlan(`Changes to the account ${account.name} (${account.id}):`, [
    `${databaseId === undefined ? "create and fill" : existing}  the D1 database ${NAMES.database}`,
    `${hasBucket ? existing : "create and fill"}  the R2 bucket ${NAMES.bucket}`,
  ]);
  if (workerSecrets !== undefined) {
    console.log(`The Worker ${NAMES.worker} is deployed. It fails until the restore has ended, and keeps its Durable Objects.
Delete its pools and sessions first.\n`);
  }
  if (!isConfirmed) await confirm("Continue?");
  const id = databaseId ?? (await cloudflare.createDatabase());
  if (!hasBucket) await cloudflare.createBucket();
  const next = "Now run `npm run deploy` with the ENCRYPTION_KEY of the backup in the environment.";
  return { storage: await openDeployedStorage(account.id, id), next };
}

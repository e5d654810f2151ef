import { rmSync } from "node:fs";
import { emptyBucket } from "./backup/objects.ts";
import { openDeployedBucket } from "./backup/storage.ts";
import { DEPLOYED_CONFIG, openAccount } from "./deploy/account.ts";
import { BROWSER_ACCOUNT } from "./deploy/browser-account.ts";
import type { Cloudflare } from "./deploy/cloudflare.ts";
import { endAllSessions } from "./deploy/end-sessions.ts";
import { describeRemoval, type Inventory, NAMES } from "./deploy/plan.ts";
import { confirmByName, printPlan } from "./deploy/prompt.ts";
import type { Operator } from "./deploy/service.ts";
import { readSwitches } from "./local/options.ts";
import { runScript, SetUpError } from "./local/set-up-error.ts";

const USAGE = `Deletes Berth and all of its data from your Cloudflare account. Nothing can be restored without a backup.
Shows what it deletes, and asks for the name of the Worker before it does.

  npm run remove                 ends all sessions, if it has the token of the service (see below), then deletes the
                                 Worker, the database, the bucket and its files
  npm run remove -- --dry-run    only shows what it would delete
  npm run remove -- --yes        skips the confirmation
  npm run remove -- --account    deletes the Worker of \`npm run deploy -- --account\` instead

Environment:
  CLOUDFLARE_ACCOUNT_ID         account to use if the login has several
  KERNEL_BASE_URL, ADMIN_TOKEN  address and token of the service, to end its sessions. Without them, Cloudflare closes
                                the running browsers after BROWSER_KEEP_ALIVE_SECONDS (10 minutes), and bills them`;

await runScript(async () => {
  const switches = readSwitches(USAGE, ["dry-run", "yes", "account"]);
  const isAccount = switches.has("account");
  const cloudflare = await openAccount(USAGE);
  const { account } = cloudflare;
  const inventory = isAccount ? undefined : await cloudflare.takeInventory();
  const name = isAccount ? BROWSER_ACCOUNT.worker : NAMES.worker;
  const lines =
    inventory === undefined
      ? await describeAccountRemoval(cloudflare)
      : describeRemoval(inventory, readOperator()?.url);
  if (lines.length === 0) {
    console.log(`${name} is not deployed in the account ${account.name} (${account.id}).`);
    return 0;
  }
  printPlan(`Permanent changes to the account ${account.name} (${account.id}):`, lines);
  if (switches.has("dry-run")) return 0;
  if (!switches.has("yes")) await confirmByName(name);
  if (inventory === undefined) await cloudflare.deleteWorker(name);
  else await remove(cloudflare, inventory);
  console.log("\nRemoved.");
  return 0;
});

async function describeAccountRemoval(cloudflare: Cloudflare): Promise<string[]> {
  const secrets = await cloudflare.workerSecrets(BROWSER_ACCOUNT.worker);
  return secrets === undefined ? [] : [`delete  the Worker ${BROWSER_ACCOUNT.worker}`];
}

/** The Worker goes first, so nothing writes to the rest. Another run continues an interrupted removal. */
async function remove(cloudflare: Cloudflare, inventory: Inventory): Promise<void> {
  const operator = readOperator();
  if (inventory.workerSecrets !== undefined) {
    if (operator !== undefined) await endAllSessions(operator);
    await cloudflare.deleteWorker(NAMES.worker);
  }
  if (inventory.hasBucket) {
    await deleteFiles(inventory.account.id);
    await cloudflare.deleteBucket();
  }
  if (inventory.databaseId !== undefined) await cloudflare.deleteDatabase(inventory.databaseId);
  rmSync(DEPLOYED_CONFIG, { force: true });
}

async function deleteFiles(accountId: string): Promise<void> {
  console.log("\nDeleting the files …");
  await using storage = await openDeployedBucket(accountId);
  await emptyBucket(storage.bucket);
}

function readOperator(): Operator | undefined {
  const { KERNEL_BASE_URL: url, ADMIN_TOKEN: token } = process.env;
  if (!url || !token) return undefined;
  if (!URL.canParse(url)) throw new SetUpError(`KERNEL_BASE_URL is not an address: ${url}`);
  return { url, token };
}

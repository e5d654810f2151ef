import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { D1Database, R2Bucket } from "@cloudflare/workers-types";
import { z } from "zod";
import { CloudflareError } from "../deploy/cloudflare-api.ts";
import { NAMES } from "../deploy/plan.ts";
import { ROOT } from "../local/paths.ts";
import { ServiceLock } from "../local/service-lock.ts";
import { errorText } from "../local/set-up-error.ts";
import type { StateDirectory } from "../local/state-directory.ts";
import { makeTemporaryFolder, removeTemporaryFolder } from "../local/temporary-folder.ts";

/** Wrangler's temporary Worker in front of the resources. Its name must differ from the deployed one's. */
const REMOTE_NAME = `${NAMES.worker}-storage`;

const configSchema = z.object({
  name: z.string(),
  d1_databases: z.tuple([z.object({ database_id: z.string() })]),
});

/** The database and the bucket of a deployment, or of a state folder of `npm start`. */
export interface Storage extends AsyncDisposable {
  database: D1Database;
  bucket: R2Bucket;
}

/** Opens a state folder's storage and keeps services from running on it. @throws SetUpError when one runs. */
export async function openLocalStorage(state: StateDirectory): Promise<Storage> {
  await using cleanUp = new AsyncDisposableStack();
  cleanUp.use(await ServiceLock.acquire(state.lockFile, "no address, for a backup or a restore"));
  const { experimental_readRawConfig } = await loadWrangler();
  const { rawConfig } = experimental_readRawConfig({ config: join(ROOT, "wrangler.toml") });
  const { name, d1_databases } = configSchema.parse(rawConfig);
  const config = { name, databaseId: d1_databases[0].database_id, isRemote: false };
  const { database, bucket } = cleanUp.use(await openBindings(config, { path: state.persistence }));
  const opened = cleanUp.move();
  return { database, bucket, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

/** Opens a deployment's storage with wrangler and its login. @throws SetUpError if Cloudflare refuses it. */
export function openDeployedStorage(accountId: string, databaseId: string): Promise<Storage> {
  return openRemoteBindings({ name: REMOTE_NAME, accountId, databaseId, isRemote: true });
}

/** As {@link openDeployedStorage}, without the database. */
export function openDeployedBucket(accountId: string): Promise<Omit<Storage, "database">> {
  return openRemoteBindings({ name: REMOTE_NAME, accountId, isRemote: true });
}

async function openRemoteBindings(config: BindingsConfig): Promise<Storage> {
  try {
    return await openBindings(config, false);
  } catch (error) {
    throw new CloudflareError("Opening", "the files and rows", {
      code: findCode(error),
      message: errorText(error),
    });
  }
}

/** Returns Cloudflare's error code, which is in one of the causes of wrangler's errors. */
function findCode(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined;
  return "code" in error && typeof error.code === "number" ? error.code : findCode(error.cause);
}

interface BindingsConfig {
  /** Local data is in a folder of this name. */
  name: string;
  accountId?: string;
  databaseId?: string;
  isRemote: boolean;
}

async function openBindings(config: BindingsConfig, persist: false | { path: string }): Promise<Storage> {
  const { name, accountId, databaseId, isRemote } = config;
  await using cleanUp = new AsyncDisposableStack();
  const configPath = join(cleanUp.adopt(makeTemporaryFolder(), removeTemporaryFolder), "wrangler.json");
  const database = { binding: "DB", database_name: NAMES.database, database_id: databaseId };
  const wranglerConfig = {
    name,
    account_id: accountId,
    compatibility_date: "2026-08-01",
    d1_databases: databaseId === undefined ? [] : [{ ...database, remote: isRemote }],
    r2_buckets: [{ binding: "FILES", bucket_name: NAMES.bucket, remote: isRemote }],
  };
  writeFileSync(configPath, JSON.stringify(wranglerConfig));
  const { getPlatformProxy } = await loadWrangler();
  const proxy = await getPlatformProxy<{ DB: D1Database; FILES: R2Bucket }>({ configPath, persist });
  cleanUp.defer(() => proxy.dispose());
  const opened = cleanUp.move();
  const { DB, FILES } = proxy.env;
  return { database: DB, bucket: FILES, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

/** Loaded only when needed, because it is slow. */
function loadWrangler(): Promise<typeof import("wrangler")> {
  return import("wrangler");
}

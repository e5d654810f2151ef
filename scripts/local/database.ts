import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { eq } from "drizzle-orm";
import { type DrizzleD1Database, drizzle } from "drizzle-orm/d1";
import { sqliteTable, text } from "drizzle-orm/sqlite-core";
import { getPlatformProxy } from "wrangler";
import { apiKeys, organizations } from "../../src/database/schema/organizations.ts";
import { sha256 } from "../../src/hash.ts";
import { maskAPIKey } from "../../src/organizations/api-key.ts";
import { runCommand } from "./command.ts";
import { WRANGLER } from "./paths.ts";
import type { StateDirectory } from "./state-directory.ts";
import type { WranglerConfig } from "./wrangler-config.ts";

const LOCAL_ORGANIZATION_ID = "localorganization0000000";
const LOCAL_API_KEY_ID = "localapikey0000000000000";

const tables = sqliteTable("sqlite_master", { name: text("name").notNull() });

/** Where wrangler keeps the names of the migrations it has applied. */
const appliedMigrations = sqliteTable("d1_migrations", { name: text("name").notNull() });

/** Applies the migrations that are new, and makes the local organization with its key. */
export async function prepareDatabase(
  config: WranglerConfig,
  state: StateDirectory,
  apiKey: string,
): Promise<void> {
  const { name, compatibility_date, d1_databases } = config;
  const [{ binding, migrations_dir }] = d1_databases;
  // With the rest of the configuration, wrangler would complain of objects without a Worker.
  const configPath = join(state.snapshot, "database.json");
  writeFileSync(configPath, JSON.stringify({ name, compatibility_date, d1_databases }));

  const withLocal = <Result>(work: (database: DrizzleD1Database) => Promise<Result>) =>
    withLocalDatabase({ configPath, binding, data: state.data }, work);
  const migrations = readdirSync(migrations_dir).filter((file) => file.endsWith(".sql"));
  const applied = await withLocal(listAppliedMigrations);
  if (migrations.some((file) => !applied.includes(file))) {
    const target = ["--local", "--persist-to", state.data, "--config", configPath];
    await runCommand(process.execPath, [WRANGLER, "d1", "migrations", "apply", binding, ...target], {
      title: "Applying the database migrations",
    });
  }
  await withLocal((database) => seed(database, apiKey));
}

interface LocalDatabase {
  configPath: string;
  binding: string;
  data: string;
}

async function withLocalDatabase<Result>(
  { configPath, binding, data }: LocalDatabase,
  work: (database: DrizzleD1Database) => Promise<Result>,
): Promise<Result> {
  const proxy = await getPlatformProxy<Record<string, Parameters<typeof drizzle>[0]>>({
    configPath,
    // `--persist-to` of wrangler's commands means the folder above the one that this wants.
    persist: { path: join(data, "v3") },
    remoteBindings: false,
  });
  try {
    const database = proxy.env[binding];
    if (database === undefined) throw new Error(`wrangler gave no binding ${binding}`);
    return await work(drizzle(database));
  } finally {
    await proxy.dispose();
  }
}

async function listAppliedMigrations(database: DrizzleD1Database): Promise<string[]> {
  const [exists] = await database.select().from(tables).where(eq(tables.name, "d1_migrations"));
  if (exists === undefined) return [];
  const rows = await database.select().from(appliedMigrations);
  return rows.map(({ name }) => name);
}

/** The key has one row of a fixed id, so that another BERTH_API_KEY takes the place of the former. */
async function seed(database: DrizzleD1Database, apiKey: string): Promise<void> {
  const createdAt = Date.now();
  const key = {
    keyHash: await sha256(apiKey),
    maskedKey: maskAPIKey(apiKey),
    expiresAt: null,
    deletedAt: null,
  };
  await database.batch([
    database
      .insert(organizations)
      .values({ id: LOCAL_ORGANIZATION_ID, name: "local", createdAt })
      .onConflictDoNothing(),
    database
      .insert(apiKeys)
      .values({
        ...key,
        id: LOCAL_API_KEY_ID,
        organizationId: LOCAL_ORGANIZATION_ID,
        name: "npm start",
        createdAt,
        createdBy: "operator",
      })
      .onConflictDoUpdate({ target: apiKeys.id, set: key }),
  ]);
}

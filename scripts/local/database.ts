import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { D1Database } from "@cloudflare/workers-types";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { z } from "zod";
import { maskAPIKey } from "../../src/features/organizations/api-keys/api-key.ts";
import { sha256 } from "../../src/lib/common/hash.ts";
import { ROOT } from "./paths.ts";

const LOCAL_ORGANIZATION_ID = "localorganization0000000";
/** Of the API key that the service is started with. */
export const LOCAL_API_KEY_ID = "localapikey0000000000000";

const MIGRATIONS = join(ROOT, "migrations");

/** Drizzle separates the statements of a migration with it. */
const STATEMENT_BREAKPOINT = "--> statement-breakpoint";

/** Wrangler's table of applied migrations. */
const CREATE_APPLIED_MIGRATIONS = `CREATE TABLE IF NOT EXISTS d1_migrations (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT UNIQUE,
  applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL
)`;

const appliedSchema = z.array(z.object({ name: z.string() }));

export interface LocalDatabase {
  /** The path of the data depends on the name of the Worker and the id of the database. */
  worker: string;
  id: string;
  /** Folder of persistent data. */
  data: string;
}

/** Applies new migrations and creates the local organization and key, unless a marker says it is done. */
export async function prepareDatabase(location: LocalDatabase, apiKey: string): Promise<void> {
  const migrations = readMigrations();
  const markerFile = join(location.data, "prepared");
  const hash = createHash("sha256")
    .update(JSON.stringify([migrations, apiKey]))
    .digest("hex");
  if (existsSync(markerFile) && readFileSync(markerFile, "utf8") === hash) return;
  await withDatabase(location, async (database) => {
    await migrate(database, migrations);
    await seed(database, apiKey);
  });
  mkdirSync(location.data, { recursive: true });
  writeFileSync(markerFile, hash, { mode: 0o600 });
}

/** Opens the database of a stopped service. */
export async function withDatabase<Result>(
  { worker, id, data }: LocalDatabase,
  work: (database: D1Database) => Promise<Result>,
): Promise<Result> {
  const runtime = new Miniflare(
    convertV4MiniflareOptions({
      resourcePersistencePath: data,
      workers: [{ name: worker, modules: true, script: "export default {}", d1Databases: { DB: { id } } }],
    }),
  );
  try {
    return await work(await runtime.getD1Database("DB"));
  } finally {
    await runtime.dispose();
  }
}

interface Migration {
  name: string;
  statements: string[];
}

function readMigrations(): Migration[] {
  const files = readdirSync(MIGRATIONS).filter((file) => file.endsWith(".sql"));
  return files.sort().map((name) => {
    const text = readFileSync(join(MIGRATIONS, name), "utf8");
    return { name, statements: text.split(STATEMENT_BREAKPOINT) };
  });
}

async function migrate(database: D1Database, migrations: readonly Migration[]): Promise<void> {
  await database.prepare(CREATE_APPLIED_MIGRATIONS).run();
  const { results } = await database.prepare("SELECT name FROM d1_migrations").all();
  const applied = new Set(appliedSchema.parse(results).map(({ name }) => name));
  for (const { name, statements } of migrations) {
    if (applied.has(name)) continue;
    const recordMigration = database.prepare("INSERT INTO d1_migrations (name) VALUES (?)").bind(name);
    await database.batch([...statements.map((statement) => database.prepare(statement)), recordMigration]);
  }
}

/** The key has a fixed id, so that a changed BERTH_API_KEY replaces the previous one. */
async function seed(client: D1Database, apiKey: string): Promise<void> {
  // Imported only when needed, because Drizzle is slow to load.
  const { drizzle } = await import("drizzle-orm/d1");
  const { apiKeys, organizations } = await import("../../src/lib/database/schema/organizations.ts");
  const database = drizzle(client);
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

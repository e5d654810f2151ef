import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { D1Database } from "@cloudflare/workers-types";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { z } from "zod";
import { sha256 } from "../../src/common/hash.ts";
import { maskAPIKey } from "../../src/organizations/api-key.ts";
import { ROOT } from "./paths.ts";

const LOCAL_ORGANIZATION_ID = "localorganization0000000";
const LOCAL_API_KEY_ID = "localapikey0000000000000";

const MIGRATIONS = join(ROOT, "migrations");

/** Between the statements of a migration that Drizzle has made. */
const STATEMENT_BREAKPOINT = "--> statement-breakpoint";

/** The table in which wrangler keeps the names of the migrations it has applied. */
const CREATE_APPLIED_MIGRATIONS = `CREATE TABLE IF NOT EXISTS d1_migrations (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT UNIQUE,
  applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL
)`;

const appliedSchema = z.array(z.object({ name: z.string() }));

export interface LocalDatabase {
  /** Name of the Worker and id of its database, which say where the data lies. */
  worker: string;
  id: string;
  /** Folder of what outlives the runtime. */
  data: string;
}

/**
 * Applies the migrations that are new, and makes the local organization with its key. What has been prepared is noted
 * beside the data, so that the next start need not look.
 */
export async function prepareDatabase(location: LocalDatabase, apiKey: string): Promise<void> {
  const migrations = readMigrations();
  const note = join(location.data, "prepared");
  const prepared = createHash("sha256")
    .update(JSON.stringify([migrations, apiKey]))
    .digest("hex");
  if (existsSync(note) && readFileSync(note, "utf8") === prepared) return;
  await withDatabase(location, async (database) => {
    await migrate(database, migrations);
    await seed(database, apiKey);
  });
  mkdirSync(location.data, { recursive: true });
  writeFileSync(note, prepared, { mode: 0o600 });
}

/** Opens the database of a service that does not run. */
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
    const note = database.prepare("INSERT INTO d1_migrations (name) VALUES (?)").bind(name);
    await database.batch([...statements.map((statement) => database.prepare(statement)), note]);
  }
}

/** The key has one row of a fixed id, so that another BERTH_API_KEY takes the place of the former. */
async function seed(client: D1Database, apiKey: string): Promise<void> {
  // A start that has nothing to prepare does without Drizzle, which takes long to load.
  const { drizzle } = await import("drizzle-orm/d1");
  const { apiKeys, organizations } = await import("../../src/database/schema/organizations.ts");
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

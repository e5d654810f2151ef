import { createReadStream, createWriteStream } from "node:fs";
import { constants, DatabaseSync, type SQLOutputValue } from "node:sqlite";
import { pipeline } from "node:stream/promises";
import type { D1Database } from "@cloudflare/workers-types";
import { z } from "zod";
import { errorText, SetUpError } from "../local/set-up-error.ts";

/** Rows that are read by one query. */
const PAGE_ROWS = 500;

/** Rows and characters that are written by one transaction. */
const BATCH_ROWS = 100;
const BATCH_CHARACTERS = 1_000_000;

const MIGRATIONS_TABLE = "d1_migrations";

/** Tables of the platform and of SQLite itself are left out. */
const SCHEMA_QUERY = `SELECT type, name, sql FROM sqlite_schema
  WHERE sql IS NOT NULL AND name NOT LIKE '\\_cf\\_%' ESCAPE '\\' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY type <> 'table', rowid`;

const schemaEntriesSchema = z.array(z.object({ type: z.string(), name: z.string(), sql: z.string() }));
const valueSchema = z.union([z.string(), z.number(), z.null()]);
const pageSchema = z.array(z.array(valueSchema));
const countSchema = z.object({ count: z.number() });

type SchemaEntry = z.infer<typeof schemaEntriesSchema>[number];
type Value = z.infer<typeof valueSchema>;

/**
 * Writes a database as SQL, one table after the other: the service continues meanwhile. Not with `wrangler d1
 * export`, which corrupts text that contains both a line break and a literal `\n`, and writes statements that
 * are too long to import.
 */
export async function saveDatabase(database: D1Database, path: string): Promise<void> {
  await pipeline(dumpStatements(database), createWriteStream(path, { mode: 0o600 }));
}

async function* dumpStatements(database: D1Database): AsyncGenerator<string> {
  const schema = await readSchema(database);
  for (const { sql } of schema.filter(isTable)) yield `${sql};\n`;
  for (const { name } of schema.filter(isTable)) {
    console.log(`  ${name}`);
    for await (const row of readRows(database, name)) {
      yield `INSERT INTO ${quoteName(name)} VALUES (${row.map(toLiteral).join(", ")});\n`;
    }
  }
  for (const { sql } of schema.filter((entry) => !isTable(entry))) yield `${sql};\n`;
}

/** A backup's database, opened with SQLite. */
export class Dump implements Disposable {
  readonly #database: DatabaseSync;

  private constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** @param path a file of {@link saveDatabase}. @throws SetUpError when it is not such a file. */
  static async open(path: string): Promise<Dump> {
    // An empty name is a temporary file, which SQLite deletes.
    const database = new DatabaseSync("");
    // Untrusted SQL must not write to other files.
    database.setAuthorizer((action) =>
      action === constants.SQLITE_ATTACH ? constants.SQLITE_DENY : constants.SQLITE_OK,
    );
    try {
      database.exec("BEGIN");
      for await (const statement of readStatements(path)) database.exec(statement);
      database.exec("COMMIT");
    } catch (error) {
      database.close();
      throw new SetUpError(`${path} cannot be loaded: ${errorText(error)}`);
    }
    return new Dump(database);
  }

  rowCounts(): Record<string, number> {
    const names = this.#schema()
      .filter(isTable)
      .map(({ name }) => name);
    return Object.fromEntries(
      names.map((name) => [name, countSchema.parse(this.#database.prepare(countQuery(name)).get()).count]),
    );
  }

  /** Returns the names of the applied migrations. */
  migrations(): string[] {
    const rows = this.#database.prepare(`SELECT name FROM ${MIGRATIONS_TABLE} ORDER BY id`).all();
    return rows.map(({ name }) => z.string().parse(name));
  }

  /** Replaces everything in a database. Indexes are last, which makes the rows faster to write. */
  async restoreTo(database: D1Database): Promise<void> {
    const existing = (await readSchema(database)).filter(isTable);
    const schema = this.#schema();
    const tables = schema.filter(isTable);
    const statements = [
      ...existing.map(({ name }) => `DROP TABLE ${quoteName(name)}`),
      ...tables.map(({ sql }) => sql),
    ];
    await database.batch(statements.map((sql) => database.prepare(sql)));
    for (const { name } of tables) {
      console.log(`  ${name}`);
      await this.#restoreRows(database, name);
    }
    const others = schema.filter((entry) => !isTable(entry));
    if (others.length > 0) await database.batch(others.map(({ sql }) => database.prepare(sql)));
  }

  async #restoreRows(database: D1Database, table: string): Promise<void> {
    const select = this.#database.prepare(`SELECT * FROM ${quoteName(table)}`);
    const columns = select.columns().length;
    const insert = database.prepare(
      `INSERT INTO ${quoteName(table)} VALUES (${Array(columns).fill("?").join(", ")})`,
    );
    let rows: Value[][] = [];
    let characters = 0;
    const flush = async () => {
      if (rows.length > 0) await database.batch(rows.map((row) => insert.bind(...row)));
      rows = [];
      characters = 0;
    };
    for (const record of select.iterate()) {
      const row = Object.values(record).map((value: SQLOutputValue) => valueSchema.parse(value));
      rows.push(row);
      for (const value of row) if (typeof value === "string") characters += value.length;
      if (rows.length >= BATCH_ROWS || characters >= BATCH_CHARACTERS) await flush();
    }
    await flush();
  }

  #schema(): SchemaEntry[] {
    return schemaEntriesSchema.parse(this.#database.prepare(SCHEMA_QUERY).all());
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }
}

export async function countRows(database: D1Database): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { name } of (await readSchema(database)).filter(isTable)) {
    counts[name] = countSchema.parse(await database.prepare(countQuery(name)).first()).count;
  }
  return counts;
}

/** Whether a database contains anything but its schema. */
export async function hasRows(database: D1Database): Promise<boolean> {
  const counts = await countRows(database);
  return Object.entries(counts).some(([table, count]) => table !== MIGRATIONS_TABLE && count > 0);
}

async function readSchema(database: D1Database): Promise<SchemaEntry[]> {
  return schemaEntriesSchema.parse((await database.prepare(SCHEMA_QUERY).all()).results);
}

async function* readRows(database: D1Database, table: string): AsyncGenerator<Value[]> {
  const query = `SELECT rowid, * FROM ${quoteName(table)} WHERE rowid > ? ORDER BY rowid LIMIT ${PAGE_ROWS}`;
  let last: Value = Number.MIN_SAFE_INTEGER;
  for (;;) {
    const page = pageSchema.parse(await database.prepare(query).bind(last).raw());
    for (const [rowid = null, ...row] of page) {
      yield row;
      last = rowid;
    }
    if (page.length < PAGE_ROWS) return;
  }
}

/** Splits SQL at the semicolons that end a line outside of text, as {@link saveDatabase} writes them. */
async function* readStatements(path: string): AsyncGenerator<string> {
  let rest = "";
  for await (const chunk of createReadStream(path, "utf8")) {
    const lines = (rest + chunk).split("\n");
    let statement = "";
    let isInText = false;
    // The last line may be incomplete.
    for (const line of lines.slice(0, -1)) {
      statement += `${line}\n`;
      if (line.split("'").length % 2 === 0) isInText = !isInText;
      if (isInText || !line.endsWith(";")) continue;
      yield statement;
      statement = "";
    }
    rest = statement + (lines.at(-1) ?? "");
  }
}

function toLiteral(value: Value): string {
  if (typeof value !== "string") return value === null ? "NULL" : String(value);
  // SQLite ends a statement at a NUL.
  if (value.includes("\0")) return `CAST(X'${Buffer.from(value).toString("hex")}' AS TEXT)`;
  return `'${value.replaceAll("'", "''")}'`;
}

function isTable({ type }: SchemaEntry): boolean {
  return type === "table";
}

function countQuery(table: string): string {
  return `SELECT count(*) AS count FROM ${quoteName(table)}`;
}

function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

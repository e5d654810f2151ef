import { createHash } from "node:crypto";
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CloudflareStandIn } from "../scripts/deploy/cloudflare/stand-in.ts";
import { runScript } from "./run-script.ts";

const TWO_ACCOUNTS = [
  { id: "a1", name: "First" },
  { id: "a2", name: "Second" },
];

const ENVIRONMENT = { CLOUDFLARE_ACCOUNT_ID: "a2", ENCRYPTION_KEY: "e" };

/** More than D1 takes in one statement, with line breaks, one escaped, quotes, NUL and a statement's end. */
const HARD_TEXT = `a\n\\n'b';\n"c"\0${"d".repeat(120_000)}`;

const SCHEMA = [
  "CREATE TABLE d1_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT)",
  "CREATE TABLE browser_sessions (id TEXT PRIMARY KEY, state TEXT, end_reason TEXT, deleted_at INTEGER,\n clients INTEGER, viewers INTEGER, idle_since INTEGER)",
  "CREATE TABLE notes (id TEXT PRIMARY KEY, text TEXT, amount REAL)",
  "CREATE UNIQUE INDEX notes_text ON notes (text) WHERE amount IS NULL",
  "INSERT INTO d1_migrations (name) VALUES ('0000_initial.sql')",
  "INSERT INTO browser_sessions VALUES ('s1', 'active', NULL, NULL, 1, 1, 5), ('s2', 'starting', NULL, NULL, 0, 0, 0)",
];

let standIn: CloudflareStandIn;
let folder: string;
let databaseId: string;

beforeEach(async () => {
  standIn = await CloudflareStandIn.open({ accounts: TWO_ACCOUNTS });
  folder = join(standIn.folder, "backup");
  databaseId = await standIn.state.createDatabase("berth");
  standIn.state.createBucket("berth");
  await standIn.state.useStorage(databaseId, async ({ DB, FILES }) => {
    await DB.batch([
      ...SCHEMA.map((sql) => DB.prepare(sql)),
      DB.prepare("INSERT INTO notes VALUES ('n1', ?, 1.5), ('n2', NULL, NULL)").bind(HARD_TEXT),
    ]);
    // More rows than one query reads.
    const insert = DB.prepare("INSERT INTO notes VALUES (?, ?, NULL)");
    await DB.batch(Array.from({ length: 1200 }, (_, index) => insert.bind(`m${index}`, `text ${index}`)));
    await FILES.put("extensions/o1/e1.zip", "zip", {
      httpMetadata: { contentType: "application/zip" },
      customMetadata: { offset: "7" },
    });
  });
});
afterEach(() => standIn[Symbol.asyncDispose]());

const run = (script: string, args: readonly string[], environment: NodeJS.ProcessEnv = ENVIRONMENT) =>
  runScript(script, args, { ...standIn.environment, ...environment });

const backUp = (environment?: NodeJS.ProcessEnv) => run("backup", [folder], environment);

const restore = (...args: string[]) => run("restore", [folder, ...args]);

/** Calls that change something. */
const changes = () => standIn.calls.filter((call) => /^(POST|DELETE) \/(d1|r2)/.test(call));

const hashOf = (path = "") => createHash("sha256").update(readFileSync(path)).digest("hex");

/** Adds SQL to the backup, with the right hash. */
function damageDatabase(sql: string): void {
  const [manifest, database] = [join(folder, "manifest.json"), join(folder, "database.sql")];
  const before = hashOf(database);
  appendFileSync(database, sql);
  writeFileSync(manifest, readFileSync(manifest, "utf8").replace(before, hashOf(database)));
}

/** Everything that a restore must bring back. */
function readStorage(id: string) {
  return standIn.state.useStorage(id, async ({ DB, FILES }) => {
    const object = await FILES.get("extensions/o1/e1.zip");
    return {
      notes: (await DB.prepare("SELECT * FROM notes ORDER BY id").all()).results,
      sessions: (await DB.prepare("SELECT id, state, end_reason, clients FROM browser_sessions").all())
        .results,
      indexes: (await DB.prepare("SELECT sql FROM sqlite_schema WHERE type = 'index' AND sql NOT NULL").all())
        .results,
      object: [await object?.text(), object?.httpMetadata, object?.customMetadata],
      keys: (await FILES.list()).objects.map(({ key }) => key),
    };
  });
}

describe("npm run backup, npm run restore", () => {
  it("move a deployment to an empty account", async () => {
    const before = await readStorage(databaseId);
    expect(before.notes).toContainEqual({ id: "n1", text: HARD_TEXT, amount: 1.5 });
    const saved = await backUp();
    expect(saved.code, saved.output).toBe(0);
    expect(saved.output).toContain("Backup of berth in the account Second (a2)");
    expect(saved.output).toContain("1205 rows in 3 tables (schema: 0000_initial.sql), 1 files");
    standIn.state.deleteDatabase("berth");
    await standIn.state.useStorage(databaseId, ({ FILES }) => FILES.delete("extensions/o1/e1.zip"));
    standIn.state.buckets.clear();
    const restored = await restore("--yes");
    expect(restored.code, restored.output).toBe(0);
    expect(restored.output).toContain("create and fill  the D1 database berth");
    expect(changes()).toEqual(["POST /d1/database", "POST /r2/buckets"]);
    expect(await readStorage(standIn.state.databases.get("berth") ?? "")).toEqual({
      ...before,
      sessions: [{ id: "s1", state: "ended", end_reason: "browser_lost", clients: 0 }],
    });
  });

  it("contain no secret, and compare the ENCRYPTION_KEY by a fingerprint", async () => {
    await backUp({ ...ENVIRONMENT, ENCRYPTION_KEY: "key-of-this-deployment" });
    expect(readFileSync(join(folder, "manifest.json"), "utf8")).not.toContain("key-of-this-deployment");
    expect(await restore("--dry-run")).toMatchObject({
      code: 1,
      output: expect.stringContaining("ENCRYPTION_KEY is not the key of this backup"),
    });
  });

  it("continue after an interruption", async () => {
    await backUp();
    const catalog = readFileSync(join(folder, "objects.jsonl"), "utf8");
    rmSync(join(folder, "manifest.json"));
    // As if the process had ended while it wrote a line.
    appendFileSync(join(folder, "objects.jsonl"), catalog.slice(0, 20));
    expect((await restore("--dry-run")).output).toContain("is not a complete backup");
    const { code, output } = await backUp();
    expect(code, output).toBe(0);
    expect(readFileSync(join(folder, "objects.jsonl"), "utf8")).toBe(catalog);
    expect((await restore("--dry-run")).code).toBe(0);
    expect((await backUp()).output).toContain("already contains a backup");
  });

  it("replace existing data only with --overwrite, and then all of it", async () => {
    await backUp();
    const before = await readStorage(databaseId);
    await standIn.state.useStorage(databaseId, async ({ DB, FILES }) => {
      await DB.prepare("DELETE FROM notes").run();
      await DB.prepare("CREATE TABLE newer (id TEXT)").run();
      await FILES.put("foreign", "x");
    });
    expect(await restore("--yes")).toMatchObject({
      code: 1,
      output: expect.stringContaining("The target contains data."),
    });
    const { code, output } = await restore("--yes", "--overwrite");
    expect(code, output).toBe(0);
    const { sessions: _, ...others } = before;
    expect(await readStorage(databaseId)).toMatchObject(others);
  });

  it.each([
    ["without confirmation", true, "Pass --yes to skip the confirmation."],
    ["into an account without R2", false, "R2 is not enabled"],
  ])("change nothing %s", async (_, hasR2, message) => {
    await backUp();
    standIn.state.options.hasR2 = hasR2;
    const { code, output } = await restore("--overwrite");
    expect(code).toBe(1);
    expect(output).toContain(message);
    expect(changes()).toEqual([]);
  });

  it("say where an interrupted backup continues, and leave no folder without a login or tables", async () => {
    expect((await backUp()).output).toContain(`continue it: npm run backup -- ${folder}`);
    const other = join(standIn.folder, "other");
    const anonymous = { CLOUDFLARE_API_TOKEN: "", XDG_CONFIG_HOME: standIn.folder, HOME: standIn.folder };
    expect((await run("backup", [other], { ...ENVIRONMENT, ...anonymous })).output).toContain(
      "not logged in",
    );
    standIn.state.deleteDatabase("berth");
    await standIn.state.createDatabase("berth");
    expect((await run("backup", [other])).output).toContain("There is nothing to back up");
    expect(existsSync(other)).toBe(false);
  });

  it("delete local data only after a confirmation, and if the backup can be loaded", async () => {
    await backUp();
    const data = join(standIn.folder, "state", "data");
    const marker = join(data, "marker");
    mkdirSync(data, { recursive: true });
    writeFileSync(marker, "");
    const environment = { ...ENVIRONMENT, BERTH_STATE_DIRECTORY: join(standIn.folder, "state") };
    const restoreLocally = (...args: string[]) =>
      runScript("restore", [folder, "--local", "--overwrite", ...args], environment);
    expect((await restoreLocally()).output).toContain(`Delete all local data in ${data}?`);
    damageDatabase("NOT SQL;\n");
    expect((await restoreLocally("--yes")).output).toContain("cannot be loaded");
    expect(existsSync(marker)).toBe(true);
  });

  it("run no SQL that reaches other files", async () => {
    await backUp();
    const victim = join(standIn.folder, "victim.db");
    damageDatabase(`ATTACH '${victim}' AS victim; CREATE TABLE victim.t (a);\n`);
    const { code, output } = await restore("--yes", "--overwrite");
    expect(code).toBe(1);
    expect(output).toContain("cannot be loaded: not authorized");
    expect(existsSync(victim)).toBe(false);
    expect(changes()).toEqual([]);
  });

  it("refuse a backup of a newer version, a folder with other files, and an account without Berth", async () => {
    await backUp();
    const path = join(folder, "manifest.json");
    writeFileSync(path, readFileSync(path, "utf8").replace("0000_initial.sql", "9999_future.sql"));
    expect((await restore("--dry-run")).output).toContain("does not know 9999_future.sql");
    expect((await run("backup", [standIn.folder])).output).toContain("Choose a new or an empty folder");
    standIn.state.deleteDatabase("berth");
    expect((await run("backup", [join(standIn.folder, "other")])).output).toContain(
      "Berth is not deployed in the account Second (a2)",
    );
  });
});

import { randomUUID } from "node:crypto";
import { globSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { buffer } from "node:stream/consumers";
import type { D1Database, R2Bucket } from "@cloudflare/workers-types";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { withDatabase } from "../../../../scripts/local/database.ts";
import type { Upload, UploadedBinding } from "./upload-form.ts";

export interface AccountOptions {
  accounts?: { id: string; name: string }[];
  hasR2?: boolean;
  hasBrowsers?: boolean;
  /** Null: none was chosen yet. */
  subdomain?: string | null;
  maxDatabases?: number;
  /** Permissions that the token lacks, such as "Workers R2 Storage". */
  missingPermissions?: string[];
}

export interface WorkerState {
  /** Text of the main module. */
  script: string;
  bindings: UploadedBinding[];
  secrets: Record<string, string>;
  migrationTag: string | undefined;
  schedules: string[];
  hasSubdomain: boolean;
  /** Uploaded, but not deployed yet. */
  version?: Upload;
}

/** What an account has. Its database and its buckets are those of miniflare, and so are real ones. */
export class AccountState {
  readonly token = "token-of-the-stand-in";
  readonly options: Required<AccountOptions>;
  /** Ids by name. */
  readonly databases = new Map<string, string>();
  readonly buckets = new Set<string>();
  readonly workers = new Map<string, WorkerState>();
  /** Hashes of uploaded assets. */
  readonly assets = new Set<string>();
  /** How often anything was created, by kind and name. */
  readonly created: string[] = [];
  readonly data: string;
  readonly #sqlite = new Map<string, DatabaseSync>();
  #preview: Miniflare | undefined;

  constructor(folder: string, options: AccountOptions) {
    this.data = join(folder, "data");
    this.options = {
      accounts: [{ id: "a1", name: "First" }],
      hasR2: true,
      hasBrowsers: true,
      subdomain: "first",
      maxDatabases: 10,
      missingPermissions: [],
      ...options,
    };
  }

  async createDatabase(name: string, id: string = randomUUID()): Promise<string> {
    // Miniflare names the file.
    await withDatabase({ worker: "berth", id, data: this.data }, (database) => database.exec("SELECT 1"));
    const known = new Set([...this.#sqlite.values()].map((database) => database.location()));
    const files = globSync(join(this.data, "d1", "*", "*.sqlite")).filter((path) => !known.has(path));
    const file = files.find((path) => !path.endsWith("metadata.sqlite"));
    if (file === undefined) throw new Error("miniflare made no database");
    this.#sqlite.set(id, new DatabaseSync(file));
    this.databases.set(name, id);
    this.created.push(`database ${name}`);
    return id;
  }

  createBucket(name: string): void {
    this.buckets.add(name);
    this.created.push(`bucket ${name}`);
  }

  createWorker(name: string, secrets: Record<string, string>): void {
    const empty = { script: "", bindings: [], migrationTag: undefined, schedules: [], hasSubdomain: true };
    this.workers.set(name, { ...empty, secrets });
  }

  deleteDatabase(name: string): void {
    const id = this.databases.get(name) ?? "";
    this.#sqlite.get(id)?.close();
    this.#sqlite.delete(id);
    this.databases.delete(name);
  }

  /** Runs statements as one transaction, as D1's API does. @returns the rows of each. @throws Error of SQLite. */
  query(id: string, sql: string): unknown[][] {
    const database = this.#sqlite.get(id);
    if (database === undefined) throw new Error(`no database ${id}`);
    const results: unknown[][] = [];
    database.exec("BEGIN");
    try {
      for (let rest = sql; rest.replaceAll(/--[^\n]*(\n|$)/g, "").trim() !== ""; ) {
        const statement = database.prepare(rest);
        results.push(statement.all());
        rest = rest.slice(rest.indexOf(statement.sourceSQL) + statement.sourceSQL.length);
      }
      database.exec("COMMIT");
    } catch (error) {
      database.exec("ROLLBACK");
      throw error;
    }
    return results;
  }

  /** Works with a database and the bucket `berth` as a Worker does. */
  async useStorage<T>(
    databaseId: string,
    work: (storage: { DB: D1Database; FILES: R2Bucket }) => Promise<T>,
  ): Promise<T> {
    const runtime = new Miniflare(
      convertV4MiniflareOptions({
        resourcePersistencePath: this.data,
        modules: true,
        script: "export default {}",
        d1Databases: { DB: databaseId },
        r2Buckets: { FILES: "berth" },
      }),
    );
    try {
      return await work(await runtime.getBindings<{ DB: D1Database; FILES: R2Bucket }>());
    } finally {
      await runtime.dispose();
    }
  }

  /** Runs an uploaded Worker with its bindings as wrangler's remote bindings need them: as services. */
  async startPreview(script: string, bindings: readonly UploadedBinding[]): Promise<void> {
    await this.#preview?.dispose();
    const plugin = { package: join(import.meta.dirname, "raw-bindings.mjs"), name: "raw-bindings" };
    this.#preview = new Miniflare(
      convertV4MiniflareOptions({
        resourcePersistencePath: this.data,
        modules: true,
        script,
        compatibilityDate: "2025-04-28",
        // The services exist only beside ordinary bindings.
        d1Databases: ["ORDINARY_DB"],
        r2Buckets: ["ORDINARY_FILES"],
        unsafeBindings: bindings.map((binding) => ({
          name: binding.name,
          type: binding.type,
          plugin,
          options: { type: binding.type, id: binding.id ?? binding.bucket_name ?? "" },
        })),
      }),
    );
    await this.#preview.ready;
  }

  async forwardToPreview(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (this.#preview === undefined) throw new Error("there is no preview");
    const { method = "GET", url = "", headers } = request;
    const body = await buffer(request);
    const answer = await this.#preview.dispatchFetch(new URL(url, "http://preview"), {
      method,
      headers: Object.entries(headers).filter(
        (entry): entry is [string, string] => typeof entry[1] === "string" && !HOP_HEADERS.has(entry[0]),
      ),
      ...(body.length > 0 && { body }),
    });
    response.writeHead(answer.status, [...answer.headers].flat());
    response.end(Buffer.from(await answer.arrayBuffer()));
  }

  async dispose(): Promise<void> {
    await this.#preview?.dispose();
    for (const database of this.#sqlite.values()) database.close();
  }
}

const HOP_HEADERS: ReadonlySet<string> = new Set([
  "host",
  "connection",
  "content-length",
  "transfer-encoding",
]);

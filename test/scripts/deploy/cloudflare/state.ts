import { randomUUID } from "node:crypto";
import { globSync } from "node:fs";
import { type IncomingMessage, request, type ServerResponse } from "node:http";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { D1Database, R2Bucket } from "@cloudflare/workers-types";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { withDatabase } from "../../../../scripts/local/database.ts";
import type { Upload, UploadedBinding } from "./upload-form.ts";

const DEFAULTS = {
  accounts: [{ id: "a1", name: "First" }],
  hasR2: true,
  hasBrowsers: true,
  /** Null: none was chosen yet. */
  subdomain: "first" as string | null,
  maxDatabases: 10,
  maxSchedules: 5,
  /** First part of the paths that the token may not use, such as "r2". */
  refused: "none",
};

export type AccountOptions = Partial<typeof DEFAULTS>;

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

/** The contents of an account. Its database and buckets come from miniflare, so they are real. */
export class AccountState {
  readonly token = "token-of-the-stand-in";
  readonly options: typeof DEFAULTS;
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
    this.options = { ...DEFAULTS, ...options };
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

  /** Runs a SELECT, or other statements as one transaction. @returns the rows. @throws Error of SQLite. */
  query(id: string, sql: string): unknown[][] {
    const database = this.#sqlite.get(id);
    if (database === undefined) throw new Error(`no database ${id}`);
    if (/^\s*SELECT/i.test(sql)) return [database.prepare(sql).all()];
    database.exec("BEGIN");
    try {
      database.exec(`${sql}; COMMIT`);
    } catch (error) {
      database.exec("ROLLBACK");
      throw error;
    }
    return [[]];
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
    forward(request, response, await this.#preview.ready);
  }

  async dispose(): Promise<void> {
    await this.#preview?.dispose();
    for (const database of this.#sqlite.values()) database.close();
  }
}

/** Answers a request as the service at an address does. */
export function forward(incoming: IncomingMessage, response: ServerResponse, address: URL): void {
  const { method, url = "/", headers } = incoming;
  const outgoing = request(new URL(url, address), { method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  incoming.pipe(outgoing);
}

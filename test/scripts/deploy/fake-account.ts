import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { D1Database, R2Bucket } from "@cloudflare/workers-types";
import { getPlatformProxy } from "wrangler";
import { ROOT } from "../../../scripts/local/paths.ts";

/** What fake-wrangler.mjs keeps of an account. */
export interface Account {
  accounts?: { id: string; name: string }[];
  hasR2: boolean;
  hasBrowsers: boolean;
  database?: string;
  /** Keys of the objects. */
  bucket?: string[];
  secrets?: Record<string, string>;
  /** Secrets of the Worker of packages/browser-account. */
  browserAccount?: Record<string, string>;
}

export interface ScriptResult {
  code: number | null;
  output: string;
  account: Account;
  /** The commands that wrangler ran, each after the id of its account. */
  commands: string[];
}

/** Variables that a developer may have set. */
const UNSET = [
  "CLOUDFLARE_ACCOUNT_ID",
  "KERNEL_BASE_URL",
  "TOKEN_SECRET",
  "ENCRYPTION_KEY",
  "ADMIN_TOKEN",
  "BROWSER_ACCOUNTS_TOKEN",
];

/** An account behind the fakes of wrangler, and the service that is deployed there. */
export class FakeAccount implements AsyncDisposable {
  /** For files of the test. */
  readonly folder = mkdtempSync(join(tmpdir(), "deploy-"));
  /** Requests to the service. */
  readonly requests: string[] = [];
  readonly url: string;
  readonly #file = join(this.folder, "account.json");
  readonly #server: Server;

  private constructor(server: Server, url: string) {
    this.#server = server;
    this.url = url;
  }

  /** @param respond answers requests to the service. */
  static async open(
    respond: (route: string, request: IncomingMessage, response: ServerResponse) => void,
  ): Promise<FakeAccount> {
    const server = createServer((request, response) => {
      const route = `${request.method} ${request.url}`;
      account.requests.push(route);
      respond(route, request, response);
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("The service has no port");
    const account = new FakeAccount(server, `http://127.0.0.1:${address.port}`);
    return account;
  }

  read(): Account {
    return JSON.parse(readFileSync(this.#file, "utf8"));
  }

  write(account: Account): void {
    writeFileSync(this.#file, JSON.stringify({ ...account, url: this.url }));
  }

  /** Works with the account's database and bucket. */
  async useStorage<T>(
    databaseId: string,
    work: (storage: { DB: D1Database; FILES: R2Bucket }) => Promise<T>,
  ): Promise<T> {
    const configPath = join(this.folder, "wrangler.json");
    const config = {
      name: "berth-storage",
      compatibility_date: "2026-08-01",
      d1_databases: [{ binding: "DB", database_name: "berth-storage", database_id: databaseId }],
      r2_buckets: [{ binding: "FILES", bucket_name: "berth" }],
    };
    writeFileSync(configPath, JSON.stringify(config));
    const persist = { path: `${this.#file}.data` };
    const { env, dispose } = await getPlatformProxy<{ DB: D1Database; FILES: R2Bucket }>({
      configPath,
      persist,
    });
    try {
      return await work(env);
    } finally {
      await dispose();
    }
  }

  /** Runs a script of `scripts/` without a terminal. */
  async run(
    script: string,
    args: readonly string[],
    environment: NodeJS.ProcessEnv = {},
  ): Promise<ScriptResult> {
    rmSync(`${this.#file}.log`, { force: true });
    const inherited = Object.entries(process.env).filter(([name]) => !UNSET.includes(name));
    const child = spawn(process.execPath, ["scripts/bootstrap.mjs", `scripts/${script}.ts`, ...args], {
      cwd: ROOT,
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        ...Object.fromEntries(inherited),
        ...environment,
        FAKE_ACCOUNT: this.#file,
        BERTH_WRANGLER: join(import.meta.dirname, "fake-wrangler.mjs"),
        BERTH_WRANGLER_LIBRARY: join(import.meta.dirname, "fake-wrangler-library.mjs"),
      },
    });
    const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")]);
    const log = existsSync(`${this.#file}.log`) ? readFileSync(`${this.#file}.log`, "utf8") : "";
    return {
      code: child.exitCode,
      output: output + errors,
      account: this.read(),
      commands: log.trim().split("\n"),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    await once(this.#server, "close");
    rmSync(this.folder, { recursive: true });
  }
}

import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chmodSync, mkdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { findFreePort } from "../../scripts/local/address.ts";
import {
  type ProcessEntry,
  type ProcessIdentity,
  readProcessTable,
} from "../../scripts/local/process-table.ts";
import { endProcessTree, findProcessTree, type ProcessTreeTraits } from "../../scripts/local/process-tree.ts";
import { findLeaks } from "./leaks.ts";
import { ROOT, ServiceClient } from "./service-client.ts";

const START_TIMEOUT_MS = 180_000;
const STOP_TIMEOUT_MS = 30_000;
const LAUNCH_TIMEOUT_MS = 60_000;
const LAUNCH_CHECK_MS = 5;

/** The first line of the banner, printed once /health responds. */
const READY = /^Berth is ready\.$/m;

export interface ServiceOptions {
  /** Environment variables that override `[vars]` of wrangler.toml. */
  settings?: Record<string, string>;
  /** Runs before the first start. */
  prepare?: (stateDirectory: string) => Promise<void>;
  /** Folder of the sources to run: this version unless given. */
  sources?: string;
  /** Of `scripts/start.ts`, such as `--reload`. */
  switches?: readonly string[];
}

/** Berth as by `npm start`, with its own folder, port and key. {@link end} checks its output for secrets. */
export class Service extends ServiceClient {
  readonly #port: number;
  readonly #folder: string;
  readonly #options: ServiceOptions;
  readonly #extraSecrets: string[] = [];
  #child: ChildProcess | undefined;
  #known: ProcessIdentity[] = [];

  private constructor(port: number, options: ServiceOptions) {
    super(`http://127.0.0.1:${port}`, `local-key-${crypto.randomUUID()}`);
    this.#port = port;
    this.#options = options;
    this.#folder = join(tmpdir(), `bt-${randomBytes(3).toString("hex")}`);
  }

  /** A service that does not run yet. */
  static async create(options: ServiceOptions = {}): Promise<Service> {
    return new Service(await findFreePort(), options);
  }

  static async start(options: ServiceOptions = {}): Promise<Service> {
    const service = await Service.create(options);
    await service.start();
    return service;
  }

  /** @throws when the service does not start, with its output. */
  async start(): Promise<void> {
    const { prepare, sources, switches } = this.#options;
    mkdirSync(this.#folder);
    try {
      // Under root, browsers run as other users, whose profiles are below it.
      chmodSync(this.#folder, 0o711);
      mkdirSync(this.#temporaryFolder);
      await prepare?.(this.stateDirectory);
      await this.restart(sources, switches);
    } catch (error) {
      await this.kill();
      this.#removeFolder();
      throw error;
    }
  }

  /** Starts the service again with its stored state. */
  async restart(sources = ROOT, switches: readonly string[] = []): Promise<void> {
    const child = spawn(process.execPath, ["scripts/bootstrap.mjs", "scripts/start.ts", ...switches], {
      cwd: sources,
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        ...process.env,
        // Launches in advance would take processor time from the tests beside it.
        STANDBY_BROWSERS: "0",
        ...this.#options.settings,
        PORT: String(this.#port),
        HOST: "127.0.0.1",
        BERTH_API_KEY: this.apiKey,
        BERTH_STATE_DIRECTORY: this.stateDirectory,
        // Puts this folder in the command line of every Chrome of this service, which marks it as its own.
        TMPDIR: this.#temporaryFolder,
        // As under `npm start`: the service stops when its parent process dies.
        npm_lifecycle_event: "start",
      },
    });
    this.#child = child;
    const mark = this.log.mark();
    this.log.follow(child.stdout, child.stderr);
    const exited = once(child, "exit").then(() => {
      throw new Error(`The service ended before it was ready. Its output:\n${this.log.textSince(mark)}`);
    });
    await Promise.race([this.log.waitForText(READY, { since: mark, withinMs: START_TIMEOUT_MS }), exited]);
    exited.catch(() => {});
    this.#observe();
  }

  /** Sends SIGTERM and waits. @returns the exit code. */
  async stop(): Promise<number | null> {
    const child = this.#child;
    if (child === undefined || hasExited(child)) return child?.exitCode ?? null;
    this.#observe();
    const exited = once(child, "exit", { signal: AbortSignal.timeout(STOP_TIMEOUT_MS) });
    child.kill("SIGTERM");
    await exited;
    return child.exitCode;
  }

  /** Sends SIGKILL to the service and its child processes, as if the machine lost power. */
  async kill(): Promise<void> {
    this.#observe();
    await endProcessTree(this.#traits);
    if (this.#child !== undefined && !hasExited(this.#child)) await once(this.#child, "exit");
  }

  /** @returns the service's running processes, including those whose parent has died. */
  processes(): ProcessEntry[] {
    return findProcessTree(readProcessTable(), this.#traits);
  }

  /** @returns the main process of each browser. */
  browsers(): ProcessEntry[] {
    return this.processes().filter(
      ({ command }) => command.includes("--user-data-dir=") && !command.includes("--type="),
    );
  }

  /** Waits for a browser process, the only sign of a launch in progress. */
  async waitForBrowserLaunch(): Promise<void> {
    const deadline = performance.now() + LAUNCH_TIMEOUT_MS;
    while (this.browsers().length === 0) {
      if (performance.now() > deadline) throw new Error("No browser was launched");
      await setTimeout(LAUNCH_CHECK_MS);
    }
  }

  /** Stops and cleans up. @throws when it left a process, printed a secret, or was sent unknown fields. */
  async end(): Promise<void> {
    await this.stop();
    const orphaned = this.processes();
    await endProcessTree(this.#traits);
    this.#removeFolder();
    if (orphaned.length > 0) {
      throw new Error(
        `The stopped service left ${orphaned.length} processes running:\n${orphaned.map(describe).join("\n")}`,
      );
    }
    const leaks = findLeaks(this.log.lines(), this.secrets(), { bannerKey: this.apiKey });
    if (leaks.length > 0) throw new Error(`The service's output contains secrets:\n${leaks.join("\n")}`);
    const unknown = this.log.events({ event: "request" }).filter((event) => "unknown_fields" in event);
    if (unknown.length > 0) throw new Error(`Unknown fields were sent: ${JSON.stringify(unknown, null, 1)}`);
  }

  keepSecret(secret: string): void {
    this.#extraSecrets.push(secret);
  }

  secrets(): string[] {
    return [this.apiKey, this.adminToken, this.tokenSecret, this.encryptionKey, ...this.#extraSecrets];
  }

  #removeFolder(): void {
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }

  get stateDirectory(): string {
    return join(this.#folder, "state");
  }

  get #temporaryFolder(): string {
    return join(this.#folder, "t");
  }

  get #traits(): ProcessTreeTraits {
    return { known: this.#known, marker: this.#folder };
  }

  /** Records the running processes, because children of a dead parent cannot be recognized later. */
  #observe(): void {
    const table = readProcessTable();
    const own = table.filter(({ pid, parent }) => pid === this.#child?.pid && parent === process.pid);
    this.#known = findProcessTree(table, { known: [...own, ...this.#known], marker: this.#folder });
  }
}

function hasExited(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

function describe({ pid, command }: ProcessEntry): string {
  return `${pid} ${command.slice(0, 120)}`;
}

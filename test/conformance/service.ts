import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { findFreePort } from "../../scripts/local/address.ts";
import { endFamily, type FamilyTraits, findFamily } from "../../scripts/local/process-family.ts";
import {
  type ProcessEntry,
  type ProcessIdentity,
  readProcessTable,
} from "../../scripts/local/process-table.ts";
import { findLeaks } from "./leaks.ts";
import { ROOT, ServiceClient } from "./service-client.ts";

const START_TIMEOUT_MS = 180_000;
const STOP_TIMEOUT_MS = 30_000;
const LAUNCH_TIMEOUT_MS = 60_000;
const LAUNCH_CHECK_MS = 5;

/** The banner's first line, printed once /health has answered. */
const READY = /^Berth is ready\.$/m;

export interface ServiceOptions {
  /** Settings of wrangler.toml's `[vars]`, overridden as a user does. */
  settings?: Record<string, string>;
}

/**
 * Berth as `npm start` runs it, on a state folder, a port and a key of its own.
 *
 * Whoever starts one ends it with {@link end}, which also proves that its output has told no secret.
 */
export class Service extends ServiceClient {
  readonly #port: number;
  readonly #folder: string;
  readonly #settings: Record<string, string>;
  readonly #toldKeys: string[] = [];
  #child: ChildProcess | undefined;
  #known: ProcessIdentity[] = [];

  private constructor(port: number, settings: Record<string, string>) {
    super(`http://127.0.0.1:${port}`, `local-key-${crypto.randomUUID()}`);
    this.#port = port;
    this.#settings = settings;
    this.#folder = mkdtempSync(join(tmpdir(), "bt-"));
    mkdirSync(this.#temporaryFolder);
  }

  /** @throws when the service does not come up; its output is in the message. */
  static async start({ settings = {} }: ServiceOptions = {}): Promise<Service> {
    const service = new Service(await findFreePort(), settings);
    try {
      await service.restart();
    } catch (error) {
      await service.kill();
      service.#removeFolder();
      throw error;
    }
    return service;
  }

  /** Starts the service once more on what it had stored. */
  async restart(): Promise<void> {
    const child = spawn(process.execPath, ["scripts/bootstrap.mjs", "scripts/start.ts"], {
      cwd: ROOT,
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        ...process.env,
        ...this.#settings,
        PORT: String(this.#port),
        HOST: "127.0.0.1",
        BERTH_API_KEY: this.apiKey,
        BERTH_STATE_DIRECTORY: this.stateDirectory,
        // Names every Chrome of this service, in its command line, as one of this folder.
        TMPDIR: this.#temporaryFolder,
        // As under `npm start`: the service ends when whoever started it dies.
        npm_lifecycle_event: "start",
      },
    });
    this.#child = child;
    const mark = this.log.mark();
    this.log.follow(child.stdout, child.stderr);
    const exited = once(child, "exit").then(() => {
      throw new Error(`The service ended before it was ready. Its output:\n${this.log.textSince(mark)}`);
    });
    await Promise.race([this.log.untilText(READY, { since: mark, withinMs: START_TIMEOUT_MS }), exited]);
    exited.catch(() => {});
    this.#observe();
  }

  /** Asks the service to stop as a supervisor does. Answers with its exit code. */
  async stop(): Promise<number | null> {
    const child = this.#child;
    if (child === undefined || hasExited(child)) return child?.exitCode ?? null;
    this.#observe();
    const exited = once(child, "exit", { signal: AbortSignal.timeout(STOP_TIMEOUT_MS) });
    child.kill("SIGTERM");
    await exited;
    return child.exitCode;
  }

  /** SIGKILL to the service and everything that it has started: the machine loses its power. */
  async kill(): Promise<void> {
    this.#observe();
    await endFamily(this.#traits);
    if (this.#child !== undefined && !hasExited(this.#child)) await once(this.#child, "exit");
  }

  /** Every living process of the service, also one whose parent has died. */
  processes(): ProcessEntry[] {
    return findFamily(readProcessTable(), this.#traits);
  }

  /** The browsers among its processes: one per session. */
  browsers(): ProcessEntry[] {
    return this.processes().filter(
      ({ command }) => command.includes("--user-data-dir=") && !command.includes("--type="),
    );
  }

  /** Ports on which its browsers listen for DevTools clients. */
  debuggingPorts(): number[] {
    return this.browsers().flatMap(({ command }) => {
      const port = /--remote-debugging-port=(\d+)/.exec(command)?.[1];
      return port === undefined ? [] : [Number(port)];
    });
  }

  /** Waits for the moment in a create when its browser is being launched. Nothing but the process tells it. */
  async untilBrowserLaunches(): Promise<void> {
    const deadline = performance.now() + LAUNCH_TIMEOUT_MS;
    while (this.browsers().length === 0) {
      if (performance.now() > deadline) throw new Error("No browser was launched");
      await setTimeout(LAUNCH_CHECK_MS);
    }
  }

  /** Stops the service and removes what it stored. Throws when it left a process behind or told a secret. */
  async end(): Promise<void> {
    await this.stop();
    const left = this.processes();
    await endFamily(this.#traits);
    this.#removeFolder();
    if (left.length > 0) {
      throw new Error(`The stopped service left ${left.length} processes:\n${left.map(describe).join("\n")}`);
    }
    const leaks = findLeaks(this.log.lines(), this.secrets(), { bannerKey: this.apiKey });
    if (leaks.length > 0) throw new Error(`The service's output tells secrets:\n${leaks.join("\n")}`);
  }

  keepSecret(secret: string): void {
    this.#toldKeys.push(secret);
  }

  /** Whatever the output must not tell. */
  secrets(): string[] {
    return [this.apiKey, this.adminToken, this.tokenSecret, this.encryptionKey, ...this.#toldKeys];
  }

  #removeFolder(): void {
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }

  /** The folder of its data. */
  get stateDirectory(): string {
    return join(this.#folder, "state");
  }

  get #temporaryFolder(): string {
    return join(this.#folder, "t");
  }

  get #traits(): FamilyTraits {
    return { known: this.#known, marker: this.#folder };
  }

  /** Remembers what runs now: once a parent is dead, its children cannot be told from others. */
  #observe(): void {
    const table = readProcessTable();
    const own = table.filter(({ pid, parent }) => pid === this.#child?.pid && parent === process.pid);
    this.#known = findFamily(table, { known: [...own, ...this.#known], marker: this.#folder });
  }
}

function hasExited(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

function describe({ pid, command }: ProcessEntry): string {
  return `${pid} ${command.slice(0, 120)}`;
}

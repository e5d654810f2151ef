import { type ChildProcess, type StdioOptions, spawn } from "node:child_process";
import { setTimeout } from "node:timers/promises";
import { type ProcessEntry, type ProcessIdentity, readProcessTable } from "./process-table.ts";
import { endProcessTree, findProcessTree } from "./process-tree.ts";

const OBSERVE_INTERVAL_MS = 5_000;
const GRACE_PERIOD_MS = 3_000;
const GRACE_POLL_INTERVAL_MS = 100;

export interface SupervisedOptions {
  env: NodeJS.ProcessEnv;
  stdio: StdioOptions;
  /** Its TMPDIR. A process with this path in its arguments counts as a child. */
  temporaryFolder: string;
  /** Called periodically with the running processes. */
  onObserved?: (tree: readonly ProcessEntry[]) => void;
}

/**
 * Runs a program and ends the processes that it leaves behind, such as workerd and Chrome.
 *
 * The program has its own process group, so that Ctrl-C reaches only this process, which then stops it in
 * order.
 */
export class SupervisedProcess {
  readonly child: ChildProcess;
  /** Fulfills with the exit code, the name of a signal or an error message. */
  readonly ended: Promise<number | string>;
  readonly #options: SupervisedOptions;
  readonly #observing: NodeJS.Timeout;
  #known: ProcessIdentity[] = [];
  #hasEnded = false;

  constructor(file: string, args: readonly string[], options: SupervisedOptions) {
    this.#options = options;
    this.child = spawn(file, args, {
      stdio: options.stdio,
      detached: true,
      env: {
        ...options.env,
        TMPDIR: options.temporaryFolder,
        // Chrome's crash handlers detach from their parent, but have this path in their arguments.
        BREAKPAD_DUMP_LOCATION: options.temporaryFolder,
      },
    });
    this.ended = new Promise((resolve) => {
      this.child.on("error", (error) => resolve(error.message));
      this.child.on("exit", (code, signal) => resolve(code ?? signal ?? "unknown"));
    });
    this.ended.then(() => {
      this.#hasEnded = true;
    });
    this.#observe();
    this.#observing = setInterval(() => this.#observe(), OBSERVE_INTERVAL_MS);
  }

  /** Sends SIGTERM, then kills all processes after a grace period, or when `forced` aborts. */
  async stop(forced: AbortSignal): Promise<void> {
    this.#observe();
    this.child.kill("SIGTERM");
    const deadline = performance.now() + GRACE_PERIOD_MS;
    while (!this.#hasEnded && !forced.aborted && performance.now() < deadline) {
      await setTimeout(GRACE_POLL_INTERVAL_MS);
      this.#observe();
    }
    await this.endLeftovers();
  }

  async endLeftovers(): Promise<void> {
    clearInterval(this.#observing);
    await endProcessTree({ known: this.#known, marker: this.#options.temporaryFolder });
  }

  #observe(): void {
    const table = readProcessTable();
    const root = table.find(({ pid, parent }) => pid === this.child.pid && parent === process.pid);
    const known = root === undefined ? this.#known : [root, ...this.#known];
    const tree = findProcessTree(table, { known, marker: this.#options.temporaryFolder });
    this.#known = tree;
    this.#options.onObserved?.(tree);
  }
}

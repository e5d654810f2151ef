import { type ChildProcess, type StdioOptions, spawn } from "node:child_process";
import { setTimeout } from "node:timers/promises";
import { endFamily, findFamily } from "./process-family.ts";
import { type ProcessEntry, type ProcessIdentity, readProcessTable } from "./process-table.ts";

const OBSERVE_MS = 5_000;
const GRACE_MS = 3_000;
const GRACE_CHECK_MS = 100;

export interface SupervisedOptions {
  env: NodeJS.ProcessEnv;
  stdio: StdioOptions;
  /** For its temporary files; what names it in its arguments is taken for a child. */
  temporaryFolder: string;
  /** Told from time to time what runs. */
  onObserved?: (family: readonly ProcessEntry[]) => void;
}

/**
 * A program that starts others (workerd, Chromes), of which none must be left when it ends, however it ends.
 *
 * It runs in a process group of its own: a Ctrl-C in the terminal reaches this process only, which then ends
 * everything in order. Wrangler alone leaves Chromes behind when it has many.
 */
export class SupervisedProcess {
  readonly child: ChildProcess;
  /** How the program ended: an exit code or a signal's name. */
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
        // Chrome's crash handlers leave the family; this path in their arguments shows where they belong.
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
    this.#observing = setInterval(() => this.#observe(), OBSERVE_MS);
  }

  /** Asks the program to stop, waits a little, then ends all that is left; at once when `insisted` aborts. */
  async stop(insisted: AbortSignal): Promise<void> {
    this.#observe();
    this.child.kill("SIGTERM");
    const deadline = performance.now() + GRACE_MS;
    while (!this.#hasEnded && !insisted.aborted && performance.now() < deadline) {
      await setTimeout(GRACE_CHECK_MS);
      this.#observe();
    }
    await this.endLeftovers();
  }

  /** Ends what the program has started and left. */
  async endLeftovers(): Promise<void> {
    clearInterval(this.#observing);
    await endFamily({ known: this.#known, marker: this.#options.temporaryFolder });
  }

  #observe(): void {
    const table = readProcessTable();
    const root = table.find(({ pid, parent }) => pid === this.child.pid && parent === process.pid);
    const known = root === undefined ? this.#known : [root, ...this.#known];
    const family = findFamily(table, { known, marker: this.#options.temporaryFolder });
    this.#known = family;
    this.#options.onObserved?.(family);
  }
}

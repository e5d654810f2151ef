/** Each holds all of Playwright, and the local runtime never evicts one. */
const MAX_IDLE = 8;

/** Playwright leaks some memory in each run. */
const MAX_RUNS = 100;

/** How many names of Workers that have ended are remembered. */
const MAX_NAMES = 1000;

export interface ScriptWorker {
  script: string;
  name: string;
  runs: number;
  /** Whether nothing has run under this name yet. */
  isNew: boolean;
}

/** Each Worker runs one script of one caller, one run at a time, and is kept for it until one is aborted. */
export class ScriptWorkers {
  /** By script, least recently used first. */
  readonly #idle = new Map<string, ScriptWorker>();
  /** Names that may be used again, by script, least recently released first. */
  readonly #names = new Map<string, string>();

  take(script: string): ScriptWorker {
    const idle = this.#idle.get(script);
    this.#idle.delete(script);
    if (idle !== undefined) return { ...idle, runs: idle.runs + 1, isNew: false };
    const released = this.#names.get(script);
    this.#names.delete(script);
    // Random, because another isolate of the service must not use the Worker at the same time.
    const name = released ?? `${script}-${crypto.randomUUID()}`;
    return { script, name, runs: 1, isNew: released === undefined };
  }

  /** Lets an evicted Worker that has ended load again under its name, which Cloudflare bills once a day. */
  release({ script, name }: ScriptWorker): void {
    this.#names.delete(script);
    this.#names.set(script, name);
    if (this.#names.size <= MAX_NAMES) return;
    const [oldest] = this.#names.keys();
    if (oldest !== undefined) this.#names.delete(oldest);
  }

  /** Makes a Worker idle. @returns a Worker to end, if one is evicted. */
  keep(worker: ScriptWorker): ScriptWorker | undefined {
    const { script } = worker;
    if (worker.runs >= MAX_RUNS) return worker;
    const replaced = this.#idle.get(script);
    this.#idle.delete(script);
    this.#idle.set(script, worker);
    if (replaced !== undefined || this.#idle.size <= MAX_IDLE) return replaced;
    const [oldest] = this.#idle;
    if (oldest === undefined) return undefined;
    this.#idle.delete(oldest[0]);
    return oldest[1];
  }
}

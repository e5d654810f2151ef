/** Each holds all of Playwright, and the local runtime never evicts one. */
const MAX_IDLE = 8;

/** Playwright leaks some memory in each run. */
const MAX_RUNS = 100;

export interface ScriptWorker {
  name: string;
  runs: number;
}

/**
 * Each Worker runs one script of one caller, one run at a time. After a run that was not aborted it is kept for the
 * same script.
 */
export class ScriptWorkers {
  /** By script, least recently used first. */
  readonly #idle = new Map<string, ScriptWorker>();

  take(script: string): ScriptWorker {
    const { name, runs } = this.#idle.get(script) ?? { name: `${script}-${crypto.randomUUID()}`, runs: 0 };
    this.#idle.delete(script);
    return { name, runs: runs + 1 };
  }

  /** Makes a Worker idle. @returns a Worker to end, if one is evicted. */
  keep(script: string, worker: ScriptWorker): ScriptWorker | undefined {
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

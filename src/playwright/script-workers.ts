/** Each holds all of Playwright, and the local runtime lets none go by itself. */
const MAX_IDLE = 8;

/** A Worker's memory is its scripts' too: what Playwright leaves of each run is let go with the Worker. */
const MAX_RUNS = 100;

/** A Dynamic Worker by its name, and how many runs it has had. */
export interface ScriptWorker {
  name: string;
  runs: number;
}

/**
 * The Dynamic Workers that scripts run in. One has one script of one caller, and one run at a time; when that has come
 * to its own end the Worker is kept for the same script to come again, in this session or another one.
 */
export class ScriptWorkers {
  /** By script, in the order in which they became idle. */
  readonly #idle = new Map<string, ScriptWorker>();

  /** A Worker for a run of a script: an idle one, or one that is yet to be loaded. */
  take(script: string): ScriptWorker {
    const { name, runs } = this.#idle.get(script) ?? { name: `${script}-${crypto.randomUUID()}`, runs: 0 };
    this.#idle.delete(script);
    return { name, runs: runs + 1 };
  }

  /** Keeps a Worker whose run is over. @returns one that is not kept any more, it or another. */
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

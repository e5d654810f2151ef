/** Each holds all of Playwright, and the local runtime lets none go by itself. */
const MOST_IDLE = 8;

/**
 * Names of the Dynamic Workers that scripts run in. One has one script of one session, and one run at a time; when that
 * has come to its own end the Worker is kept for the same script to come again.
 */
export class ScriptWorkers {
  /** By script, in the order in which they became idle. */
  readonly #idle = new Map<string, string>();

  /** A Worker for a run of a script: an idle one, or one that is yet to be loaded. */
  take(script: string): string {
    const name = this.#idle.get(script) ?? `${script}-${crypto.randomUUID()}`;
    this.#idle.delete(script);
    return name;
  }

  /** Keeps a Worker whose run is over. @returns one that is not kept any more. */
  keep(script: string, name: string): string | undefined {
    const replaced = this.#idle.get(script);
    this.#idle.delete(script);
    this.#idle.set(script, name);
    if (replaced !== undefined || this.#idle.size <= MOST_IDLE) return replaced;
    const [oldest] = this.#idle;
    if (oldest === undefined) return undefined;
    this.#idle.delete(oldest[0]);
    return oldest[1];
  }
}

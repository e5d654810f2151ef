import { MAX_COMPUTATION_MS, MAX_STATEMENTS } from "./command-limits.ts";
import { isToolStatement } from "./just-bash.ts";

/**
 * Bounds what the tools with languages of their own compute without a pause. They tell the interpreter of each
 * statement that they run, for its statistics: the only place from which they can be stopped.
 */
export class WorkBudget {
  #startedAt = performance.now();
  #steps = 0;

  /** Others have had their turn. */
  renew(): void {
    this.#startedAt = performance.now();
    this.#steps = 0;
  }

  /** @throws Error where it has been too much. */
  hit(feature: string): void {
    if (!isToolStatement(feature)) return;
    this.#steps++;
    if (this.#steps > MAX_STATEMENTS)
      throw new Error(`more than ${MAX_STATEMENTS} steps: limit of this machine`);
    if (performance.now() - this.#startedAt > MAX_COMPUTATION_MS) {
      throw new Error(`computing for more than ${MAX_COMPUTATION_MS} ms: limit of this machine`);
    }
  }
}

import { pause } from "../../lib/common/concurrency.ts";
import { ServiceError } from "../../lib/common/errors.ts";

/** How long an organization's next run waits after its code has blocked the event loop. */
const PAUSE_MS = 4000;

const MAX_WAIT_MS = 10_000;

/**
 * Makes organizations whose code blocked the event loop run code one at a time, with pauses that leave time
 * to others, until a run succeeds. Only the local runtime needs it, which has one thread for all code.
 */
export class OverrunTurns {
  /** When the next turn begins, by organization. */
  readonly #nextAt = new Map<string, number>();

  async wait(organizationId: string): Promise<void> {
    const waitMs = this.check(organizationId);
    if (waitMs === undefined) return;
    this.#nextAt.set(organizationId, Date.now() + waitMs + PAUSE_MS);
    await pause(waitMs);
  }

  /**
   * @returns milliseconds until the next turn; undefined where none is needed.
   * @throws ServiceError 429 when the turn would not come within 10 seconds.
   */
  check(organizationId: string): number | undefined {
    const nextAt = this.#nextAt.get(organizationId);
    if (nextAt === undefined) return undefined;
    const waitMs = Math.max(0, nextAt - Date.now());
    if (waitMs > MAX_WAIT_MS) {
      const message =
        "Code of this organization blocked the event loop (an endless loop?); other code waits for it. Try again";
      throw new ServiceError("too_many_requests", message, { retryAfterSeconds: Math.ceil(waitMs / 1000) });
    }
    return waitMs;
  }

  /** @param overran whether the code blocked the event loop. */
  end(organizationId: string, overran: boolean): void {
    if (!overran) this.#nextAt.delete(organizationId);
    else if (!this.#nextAt.has(organizationId)) this.#nextAt.set(organizationId, Date.now() + PAUSE_MS);
  }
}

const INITIAL_PAUSE_MS = 10_000;
const MAX_PAUSE_MS = 300_000;

/** How long after its end a pause makes the next one of the same deployment longer. */
const PAUSE_RESET_MS = 600_000;

interface Pause {
  lengthMs: number;
  endsAt: number;
}

/**
 * Deployments whose code was stopped because it blocked the event loop. Their actions pause, longer each time, so that
 * many runs of an endless loop do not hold up everybody else one after the other.
 */
export class OverrunPauses {
  readonly #pauses = new Map<string, Pause>();

  /** @param now in milliseconds since the epoch. */
  add(deploymentId: string, now: number): void {
    for (const [id, { endsAt }] of this.#pauses) if (now > endsAt + PAUSE_RESET_MS) this.#pauses.delete(id);
    const last = this.#pauses.get(deploymentId);
    // Runs that were under way together are one reason to pause.
    if (last !== undefined && now < last.endsAt) return;
    const lengthMs = last === undefined ? INITIAL_PAUSE_MS : Math.min(2 * last.lengthMs, MAX_PAUSE_MS);
    this.#pauses.set(deploymentId, { lengthMs, endsAt: now + lengthMs });
  }

  /** @returns milliseconds until the deployment's actions may run again; 0: they may now. */
  remainingMs(deploymentId: string, now: number): number {
    return Math.max(0, (this.#pauses.get(deploymentId)?.endsAt ?? 0) - now);
  }
}

/** Of this isolate. The platform limits the CPU time of a run itself; this keeps the local runtime usable. */
export const overrunPauses = new OverrunPauses();

/** Why an invocation fails whose deployment pauses. */
export function pauseReason(remainingMs: number): string {
  return (
    "An earlier run of this deployment was stopped because its code blocked the event loop (an endless loop?); " +
    `its actions run again in ${Math.ceil(remainingMs / 1000)} seconds`
  );
}

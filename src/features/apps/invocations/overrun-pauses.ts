const INITIAL_PAUSE_MS = 10_000;
const MAX_PAUSE_MS = 300_000;

/** A deployment without overruns for this long after a pause starts over. */
const PAUSE_RESET_MS = 600_000;

interface Pause {
  lengthMs: number;
  endsAt: number;
}

/** Pauses deployments whose code blocks the event loop, longer each time. */
export class OverrunPauses {
  readonly #pauses = new Map<string, Pause>();

  add(deploymentId: string, now: number): void {
    for (const [id, { endsAt }] of this.#pauses) if (now > endsAt + PAUSE_RESET_MS) this.#pauses.delete(id);
    const last = this.#pauses.get(deploymentId);
    // Concurrent runs count once.
    if (last !== undefined && now < last.endsAt) return;
    const lengthMs = last === undefined ? INITIAL_PAUSE_MS : Math.min(2 * last.lengthMs, MAX_PAUSE_MS);
    this.#pauses.set(deploymentId, { lengthMs, endsAt: now + lengthMs });
  }

  remainingMs(deploymentId: string, now: number): number {
    return Math.max(0, (this.#pauses.get(deploymentId)?.endsAt ?? 0) - now);
  }
}

/** Protects the local runtime, which does not limit CPU time. */
export const overrunPauses = new OverrunPauses();

export function pauseReason(remainingMs: number): string {
  return (
    "An earlier run of this deployment was stopped because its code blocked the event loop (an endless loop?); " +
    `its actions run again in ${Math.ceil(remainingMs / 1000)} seconds`
  );
}

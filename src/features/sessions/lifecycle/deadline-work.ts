import { logError } from "../../../lib/common/log.ts";
import type { CurrentConnections } from "../connections/connections.ts";
import type { SessionDeadline, SessionState } from "../state.ts";
import type { SessionEnd } from "./end.ts";
import type { SessionStarter } from "./start.ts";

interface Parts {
  connections: CurrentConnections;
  starter: SessionStarter;
  end: SessionEnd;
}

/** What a session's object does when its alarm fires. */
export class DeadlineWork {
  readonly #state: SessionState;
  readonly #parts: Parts;

  constructor(state: SessionState, parts: Parts) {
    this.#state = state;
    this.#parts = parts;
  }

  async run(): Promise<void> {
    await this.#state.deadlines.run(
      (kind) => this.#serve(kind),
      (kind, error) =>
        logError("session_deadline_failed", error, { ...this.#state.identity, deadline: kind }),
    );
  }

  async #serve(kind: SessionDeadline): Promise<void> {
    const { starter, end, connections } = this.#parts;
    const { watch, recording, recordings, snapshots, handoffs } = connections.current;
    switch (kind) {
      case "start":
        return starter.undoCrashed();
      case "inactivity":
        return this.#endIfInactive();
      case "lifetime":
        return end.begin("lifetime");
      case "ping":
        return watch.ping();
      case "recheck":
        return watch.checkSoon();
      case "record":
        return recording.beginIfConnected();
      case "snapshot":
        return snapshots.takeSoon();
      case "finish-recordings":
        return recordings.finishEndedSoon();
      case "handoff":
        return handoffs.expire();
      case "clean-up":
        return end.cleanUp();
      case "archive":
        return end.archive();
      case "tombstone":
        return end.forget();
    }
  }

  async #endIfInactive(): Promise<void> {
    const { record, deadlines } = this.#state;
    if (record?.phase !== "active") return;
    const now = Date.now();
    const { activity, handoffs } = this.#parts.connections.current;
    const idleUntil = handoffs.pending.length > 0 ? undefined : activity.expiresAt(record.timeoutMs);
    const expiresAt = idleUntil ?? now + record.timeoutMs;
    if (expiresAt > now) await deadlines.set({ inactivity: expiresAt });
    else await this.#parts.end.begin("inactivity");
  }
}

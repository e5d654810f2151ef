import type { SessionParts } from "../sockets.ts";
import type { SessionDeadline, SessionState } from "../state.ts";

/** What a session's object does when its alarm fires. */
export async function serveDeadline(
  state: SessionState,
  parts: SessionParts,
  kind: SessionDeadline,
): Promise<void> {
  const { starter, end, connections } = parts;
  const { watch, recording, recordings, snapshots, handoffs } = connections.current;
  const work: Record<SessionDeadline, () => void | Promise<void>> = {
    start: () => starter.undoCrashed(),
    inactivity: () => endIfInactive(state, parts),
    lifetime: () => end.begin("lifetime"),
    ping: () => watch.ping(),
    recheck: () => watch.checkSoon(),
    record: () => recording.beginIfConnected(),
    snapshot: () => snapshots.takeSoon(),
    "finish-recordings": () => recordings.finishEndedSoon(),
    handoff: () => handoffs.expire(),
    "clean-up": () => end.cleanUp(),
    archive: () => end.archive(),
    tombstone: () => end.forget(),
  };
  await work[kind]();
}

async function endIfInactive(
  { record, deadlines }: SessionState,
  { connections, end }: SessionParts,
): Promise<void> {
  if (record?.phase !== "active") return;
  const now = Date.now();
  const { activity, handoffs } = connections.current;
  const idleUntil = handoffs.pending.length > 0 ? undefined : activity.expiresAt(record.timeoutMs);
  const expiresAt = idleUntil ?? now + record.timeoutMs;
  if (expiresAt > now) await deadlines.set({ inactivity: expiresAt });
  else await end.begin("inactivity");
}

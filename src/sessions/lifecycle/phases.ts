import type { SessionConnections } from "../connections/connections.ts";
import type { SessionRecord } from "../record.ts";
import type { SessionState } from "../state.ts";

type StartedRecord = Omit<SessionRecord, "phase">;

/** Makes a session active, which starts its time-outs. */
export async function becomeActive(
  state: SessionState,
  connections: SessionConnections,
  record: StartedRecord,
): Promise<void> {
  const now = Date.now();
  const { maxSessionMs } = state.settings;
  state.write({ ...record, phase: "active" });
  connections.activity.touch();
  await state.deadlines.replace({
    inactivity: now + record.timeoutMs,
    ping: now + state.pingIntervalMs,
    ...(maxSessionMs === 0 ? {} : { lifetime: now + maxSessionMs }),
  });
}

/** Makes a pooled session wait in its pool, for as long as it takes. */
export async function becomeIdle(state: SessionState, record: StartedRecord): Promise<void> {
  state.write({ ...record, phase: "idle" });
  await state.deadlines.replace({ ping: Date.now() + state.pingIntervalMs });
}

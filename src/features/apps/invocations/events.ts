import { ServiceError } from "../../../lib/common/errors.ts";
import { logError } from "../../../lib/common/log.ts";
import type { InvocationRow, InvocationStatus } from "../../../lib/database/schema/apps.ts";
import type { EventReader } from "../../../lib/http/event-log.ts";
import { streamEvents } from "../../../lib/http/event-stream.ts";
import { toErrorBody } from "../../../lib/http/wire-error.ts";
import { invocationText } from "./invocation-json.ts";
import { type InvocationEvent, presentNanoseconds } from "./schema.ts";
import type { InvocationState } from "./state.ts";
import { isFinished } from "./transitions.ts";
import { requireLargeValues } from "./value-storage.ts";

/** An event whose invocation is not read yet, because its values may be large. */
type InvocationUpdate =
  | Exclude<InvocationEvent, { event: "invocation_state" }>
  | { event: "invocation_state"; row: InvocationRow; timestamp: string };

/**
 * Server-sent events up to the final state. When they cannot be read, the last one is an error.
 *
 * @param indexed the row in the index, in case the object has stored nothing.
 * @param since milliseconds since the epoch.
 */
export function streamInvocationEvents(
  context: InvocationState,
  indexed: InvocationRow,
  since: number | undefined,
): ReadableStream<Uint8Array> {
  return streamEvents(
    readUpdates(context, indexed, since),
    (update) => eventText(context.env, update),
    () => undefined,
  );
}

function readUpdates(
  context: InvocationState,
  indexed: InvocationRow,
  since: number | undefined,
): EventReader<InvocationUpdate> {
  const entries = context.record === undefined ? undefined : context.journal.read(since);
  const readRow = () => context.record?.row ?? indexed;
  let isLastRead = false;

  const next = async (): Promise<InvocationUpdate | undefined> => {
    if (isLastRead) return undefined;
    const entry = await entries?.next();
    if (entry === undefined) {
      const row = readRow();
      // The journal ends without the final state if that came before `since`, or if the client has gone.
      return isFinished(row.status) ? toState(row.status, row.finishedAt ?? row.startedAt) : undefined;
    }
    const timestamp = presentNanoseconds(entry.at);
    if (entry.type === "heartbeat") return { event: "sse_heartbeat", timestamp };
    if (entry.type === "line") return { event: "log", message: entry.text, timestamp };
    return toState(entry.event.status, entry.at);
  };

  const toState = async (status: InvocationStatus, at: number): Promise<InvocationUpdate> => {
    isLastRead = isFinished(status);
    // A client that sees the final state may query the index next.
    if (isLastRead && context.isOver) await context.finished.promise;
    const row = rowAt(readRow(), status);
    await requireLargeValues(context.env, row);
    return { event: "invocation_state", row, timestamp: presentNanoseconds(at) };
  };

  return {
    next: () =>
      next().catch((error) => {
        isLastRead = true;
        logError("invocation_events_failed", error, { invocation_id: readRow().id });
        return toFailure();
      }),
    close: () => entries?.close(),
  };
}

async function* eventText(env: Env, update: InvocationUpdate): AsyncGenerator<string, void, undefined> {
  if (update.event !== "invocation_state") {
    yield JSON.stringify(update);
    return;
  }
  const { event, timestamp } = update;
  yield `${JSON.stringify({ event, timestamp }).slice(0, -1)},"invocation":`;
  yield* invocationText(env, update.row);
  yield "}";
}

function toFailure(): InvocationUpdate {
  const error = new ServiceError("internal_error", "The rest of the invocation's events cannot be read");
  return { event: "error", error: toErrorBody(error), timestamp: presentNanoseconds(Date.now()) };
}

function rowAt(row: InvocationRow, status: InvocationStatus): InvocationRow {
  if (isFinished(status)) return row;
  return { ...row, status, statusReason: null, finishedAt: null, output: null, outputInFiles: false };
}

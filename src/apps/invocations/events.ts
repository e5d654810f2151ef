import { ServiceError } from "../../common/errors.ts";
import { logError } from "../../common/log.ts";
import type { InvocationRow, InvocationState } from "../../database/schema/apps.ts";
import type { EventReader } from "../../http/event-log.ts";
import { toErrorBody } from "../../http/wire-error.ts";
import type { JournalEntry } from "../event-journal.ts";
import { invocationText } from "./json.ts";
import { type InvocationEvent, presentTime } from "./schema.ts";
import { isFinished } from "./transitions.ts";
import { requireLargeValues } from "./values.ts";

/** What an invocation's journal tells besides lines: the states that it went through. */
export interface StateChange {
  status: InvocationState;
}

/** An event of an invocation, as yet without the large values that one of its states shows. */
export type InvocationUpdate =
  | Exclude<InvocationEvent, { event: "invocation_state" }>
  | { event: "invocation_state"; row: InvocationRow; timestamp: string };

/** For an invocation whose object knows nothing of it any more. */
export const EMPTY_JOURNAL: EventReader<JournalEntry<StateChange>> = {
  next: () => Promise.resolve(undefined),
  close: () => undefined,
};

interface FollowOptions {
  env: Env;
  /** What its object still knows of it. */
  entries: EventReader<JournalEntry<StateChange>>;
  /** As it is now. */
  readRow: () => InvocationRow;
  /** Resolves when the index knows the state in which it finished: whoever hears of that may look there next. */
  whenIndexed: () => Promise<void>;
}

/**
 * The events of an invocation for one who follows it: after the state in which it finishes nothing comes, and that one
 * always comes. What cannot be read is an event of its own, the last.
 */
export function followInvocation({
  env,
  entries,
  readRow,
  whenIndexed,
}: FollowOptions): EventReader<InvocationUpdate> {
  let isOver = false;

  const next = async (): Promise<InvocationUpdate | undefined> => {
    if (isOver) return undefined;
    const entry = await entries.next();
    if (entry === undefined) {
      const row = readRow();
      // Closed by its reader, or all that is told came before the time from which on it is read.
      return isFinished(row.status) ? toState(row.status, row.finishedAt ?? row.startedAt) : undefined;
    }
    if (entry.type === "heartbeat") return { event: "sse_heartbeat", timestamp: presentTime(entry.at) };
    if (entry.type === "line") return { event: "log", message: entry.text, timestamp: presentTime(entry.at) };
    return toState(entry.event.status, entry.at);
  };

  const toState = async (status: InvocationState, at: number): Promise<InvocationUpdate> => {
    isOver = isFinished(status);
    if (isOver) await whenIndexed();
    const row = rowAt(readRow(), status);
    await requireLargeValues(env, row);
    return { event: "invocation_state", row, timestamp: presentTime(at) };
  };

  return {
    next: () =>
      next().catch((error) => {
        isOver = true;
        logError("invocation_events_failed", error, { invocation_id: readRow().id });
        return toFailure();
      }),
    close: () => entries.close(),
  };
}

/** An event in JSON. What cannot be read of it any more breaks it off. */
export async function* eventText(env: Env, news: InvocationUpdate): AsyncGenerator<string, void, undefined> {
  if (news.event !== "invocation_state") {
    yield JSON.stringify(news);
    return;
  }
  const { event, timestamp } = news;
  yield `${JSON.stringify({ event, timestamp }).slice(0, -1)},"invocation":`;
  yield* invocationText(env, news.row);
  yield "}";
}

function toFailure(): InvocationUpdate {
  const error = new ServiceError(
    "internal_error",
    "The events of the invocation cannot be read to their end",
  );
  return { event: "error", error: toErrorBody(error), timestamp: presentTime(Date.now()) };
}

/** The row as it was in that state. */
function rowAt(row: InvocationRow, status: InvocationState): InvocationRow {
  if (isFinished(status)) return row;
  return { ...row, status, statusReason: null, finishedAt: null, output: null, outputInFiles: false };
}

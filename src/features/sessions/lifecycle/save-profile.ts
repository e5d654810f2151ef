import { resolveWithin } from "../../../lib/common/concurrency.ts";
import { ServiceError } from "../../../lib/common/errors.ts";
import { type LogFields, logError } from "../../../lib/common/log.ts";
import { bindingOf } from "../../../platform/broker/index.ts";
import {
  type BrowserState,
  collectBrowserState,
  MAX_ORIGINS,
  openControlConnection,
} from "../../../platform/browser/index.ts";
import { ProfileDeletedError, saveProfile } from "../../profiles/index.ts";
import type { SessionRecord } from "../record.ts";

/** The end of a session waits for the save. */
const SAVE_TIMEOUT_MS = 60_000;

/** The browser's state cannot be read, or is too large. */
class UnsavableStateError extends Error {
  override readonly name = "UnsavableStateError";
}

/**
 * Saves the profile of a session whose clients are disconnected, over a connection of its own: whole or not
 * at all.
 *
 * @param visited the origins that the session's pages have visited.
 * @returns a message for the session's owner about what was not saved; undefined when nothing is missing.
 */
export async function saveSessionProfile(
  env: Env,
  record: SessionRecord,
  visited: readonly string[],
  identity: LogFields,
): Promise<string | undefined> {
  if (!record.profile?.saveChanges) return undefined;
  const limit = new AbortController();
  try {
    const saving = save(env, record, visited, limit.signal);
    // A failure after the time-out has no listener.
    saving.catch(() => undefined);
    const saved = await resolveWithin(saving, SAVE_TIMEOUT_MS);
    if (saved === undefined) throw new UnsavableStateError("it took too long");
    return describeOmissions(saved, visited);
  } catch (error) {
    logError("profile_not_saved", error, { ...identity, profile_id: record.profile.id });
    const isToldWhy =
      error instanceof UnsavableStateError ||
      error instanceof ProfileDeletedError ||
      error instanceof ServiceError;
    return `The profile was not saved: ${isToldWhy ? error.message : "the service failed"}`;
  } finally {
    limit.abort();
  }
}

async function save(
  env: Env,
  record: SessionRecord,
  visited: readonly string[],
  signal: AbortSignal,
): Promise<BrowserState> {
  const { organizationId, profile } = record;
  const state = await collectState(env, record, visited, signal);
  signal.throwIfAborted();
  await saveProfile(env, { organizationId, profileId: profile?.id ?? "" }, state);
  return state;
}

function describeOmissions({ skipped }: BrowserState, visited: readonly string[]): string | undefined {
  const omissions = [
    ...(skipped === 0 ? [] : [`${skipped} values that cannot leave their browser`]),
    ...(visited.length < MAX_ORIGINS ? [] : [`sites beyond the first ${MAX_ORIGINS}`]),
  ];
  return omissions.length === 0 ? undefined : `The profile was saved without ${omissions.join(" and ")}`;
}

async function collectState(
  env: Env,
  { browserId, mainContext }: SessionRecord,
  visited: readonly string[],
  signal: AbortSignal,
): Promise<BrowserState> {
  if (browserId === undefined) throw new UnsavableStateError("the browser is gone");
  const browserContextId = mainContext?.id;
  try {
    const connection = await openControlConnection(bindingOf(env, browserId), browserId);
    const end = () => connection.dispose();
    signal.addEventListener("abort", end);
    try {
      return await collectBrowserState(connection, { browserContextId, origins: visited });
    } finally {
      signal.removeEventListener("abort", end);
      end();
    }
  } catch (cause) {
    throw new UnsavableStateError(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

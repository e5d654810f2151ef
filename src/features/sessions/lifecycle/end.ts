import { resolveWithin } from "../../../lib/common/concurrency.ts";
import { serviceUnavailable } from "../../../lib/common/errors.ts";
import { logError, logEvent } from "../../../lib/common/log.ts";
import type { CurrentConnections } from "../connections/connections.ts";
import { END_REASON_MEANINGS, type EndReason } from "../end-reason.ts";
import type { SessionRecord } from "../record.ts";
import type { SessionState } from "../state.ts";
import { archiveSession, deleteSessionFiles } from "./archive-session.ts";
import { cleanUpSession } from "./clean-up.ts";
import { saveSessionProfile } from "./save-profile.ts";

/** When the alarm continues an end that did not finish. */
const CLEAN_UP_AFTER_MS = 30_000;

const MAX_PROFILE_SAVES = 2;

const FINISH_RECORDINGS_MS = 1000;

type EndCause = Pick<NonNullable<SessionRecord["end"]>, "details" | "apiKeyId" | "closeReason">;

/** The end of a started session, until nothing is left but a tombstone. */
export class SessionEnd {
  readonly #state: SessionState;
  readonly #connections: CurrentConnections;
  #ending: Promise<void> | undefined;
  #cleaning: Promise<void> | undefined;
  #archiving: Promise<void> | undefined;

  constructor(state: SessionState, connections: CurrentConnections) {
    this.#state = state;
    this.#connections = connections;
  }

  /** Waits for an end that is under way, if any. */
  async settled(): Promise<void> {
    await this.#ending;
  }

  /** Ends a started session. Concurrent calls wait for the same end. */
  async begin(reason: EndReason, cause: EndCause = {}): Promise<void> {
    const { record } = this.#state;
    if (record?.phase === "active" || record?.phase === "idle")
      this.#ending = this.#end(record, reason, cause);
    await this.#ending;
  }

  /**
   * Saves the profile, closes the browser, ends the machine, updates the database and completes recordings.
   * The alarm retries what fails, except for the profile, whose failure is reported.
   *
   * @throws what has failed.
   */
  cleanUp(): Promise<void> {
    this.#cleaning ??= this.#cleanUp().finally(() => {
      this.#cleaning = undefined;
    });
    return this.#cleaning;
  }

  /** @throws ServiceError 503 when the session has ended, even if the database does not show it yet. */
  async requireUsable(): Promise<void> {
    if (this.#state.record?.phase === "active") return;
    await this.settled();
    await this.cleanUp();
    throw serviceUnavailable("This session has just ended; try again");
  }

  async #end(record: SessionRecord, reason: EndReason, cause: EndCause): Promise<void> {
    const { deadlines, settings, identity } = this.#state;
    const { current } = this.#connections;
    const at = Date.now();
    const { telemetry } = this.#state;
    const source = { kind: "kernel_api" as const };
    if (reason === "browser_lost") {
      const data = { service_name: "chromium", phase: "gave_up", close_reason: cause.closeReason };
      telemetry.record({ category: "system", type: "service_crashed", source, data });
    }
    current.handoffs.endAll();
    telemetry.record({
      category: "system",
      type: "session_ended",
      source,
      data: { reason, close_reason: cause.closeReason },
    });
    this.#state.write({ ...record, phase: "ended", end: { ...cause, reason, at } });
    this.#state.inBackground("events_not_exported", telemetry.end());
    await deadlines.replace({
      "clean-up": at + CLEAN_UP_AFTER_MS,
      archive: at + CLEAN_UP_AFTER_MS,
      tombstone: at + Math.max(settings.tombstoneRetentionMs, settings.telemetryRetentionMs),
    });
    logEvent("session_ended", { ...identity, reason, clients: current.clients.count });
    current.closeAll(`the session ended: ${END_REASON_MEANINGS[reason]}`);
    const [evidence] = await Promise.all([current.snapshots.takeLast(), current.recordings.close()]);
    current.close();
    if (this.#state.record?.end !== undefined) {
      this.#state.write({ ...this.#state.record, end: { ...this.#state.record.end, evidence } });
    }
    await this.cleanUp().catch((error) => logError("session_clean_up_failed", error, identity));
    // A caller does not wait for it. The alarm retries it.
    this.#state.inBackground("session_not_archived", this.archive());
  }

  /** Moves the events and the screenshot of an ended session to files. Concurrent calls share the work. */
  archive(): Promise<void> {
    this.#archiving ??= this.#archive().finally(() => {
      this.#archiving = undefined;
    });
    return this.#archiving;
  }

  /** Deletes what is left of an ended session. */
  async forget(): Promise<void> {
    const { env, record } = this.#state;
    if (record?.hasFiles) await deleteSessionFiles(env.FILES, record);
    await this.#state.delete();
  }

  async #cleanUp(): Promise<void> {
    const state = this.#state;
    const record = await this.#saveProfile();
    if (record?.end === undefined) return;
    const cleaned = await cleanUpSession(state, record, record.end);
    // The tombstone may be gone by now. Nothing is written to an emptied storage.
    if (state.record === undefined) return;
    state.write(cleaned.record);
    if (cleaned.failures.length > 0) throw cleaned.failures[0];
    await this.#finishRecordings();
    await state.deadlines.clear("clean-up");
  }

  async #archive(): Promise<void> {
    const { deadlines, settings } = this.#state;
    await archiveSession(this.#state);
    const { record } = this.#state;
    if (record?.end === undefined) return;
    const { tombstoneRetentionMs, telemetryRetentionMs } = settings;
    const retentionMs = record.hasFiles
      ? Math.max(tombstoneRetentionMs, telemetryRetentionMs)
      : tombstoneRetentionMs;
    await deadlines.set({ tombstone: record.end.at + retentionMs });
    await deadlines.clear("archive");
  }

  /**
   * @throws when recordings are not complete in time. They are completed in the background, or by the next
   * call.
   */
  async #finishRecordings(): Promise<void> {
    const finished = this.#connections.current.recordings.finishEnded().then(() => true);
    if (!(await resolveWithin(finished, FINISH_RECORDINGS_MS)))
      throw new Error("A recording is not complete yet");
  }

  /** Saves the profile of an ended session. @returns the session, whose profile is not to be saved again. */
  async #saveProfile(): Promise<SessionRecord | undefined> {
    const state = this.#state;
    const { record } = state;
    if (record?.end === undefined || !record.profile?.saveChanges) return record;
    const { savesBegun = 0, end, profile } = record;
    state.write({ ...record, savesBegun: savesBegun + 1 });
    // A save that always crashes this object would be retried forever.
    const problem =
      savesBegun >= MAX_PROFILE_SAVES
        ? "The profile was not saved: the service failed"
        : await saveSessionProfile(state.env, record, state.storage.readOrigins(), state.identity);
    const details = [end.details, problem].filter(Boolean).join(" ") || undefined;
    const saved = state.record;
    if (saved === undefined) return undefined;
    const reported = { ...saved, profile: { ...profile, saveChanges: false }, end: { ...end, details } };
    state.write(reported);
    return reported;
  }
}

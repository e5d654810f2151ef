import { resolveWithin, sharing } from "../../../lib/common/concurrency.ts";
import { serviceUnavailable } from "../../../lib/common/errors.ts";
import { logError, logEvent } from "../../../lib/common/log.ts";
import type { CurrentConnections } from "../connections/connections.ts";
import { END_REASON_MEANINGS, type EndReason } from "../end-reason.ts";
import type { SessionRecord } from "../record.ts";
import type { SessionState } from "../state.ts";
import { archiveSession, deleteSessionFiles } from "./archive-session.ts";
import { announceEnd, cleanUpSession } from "./clean-up.ts";
import { saveSessionProfile } from "./save-profile.ts";

/** When the alarm continues an end that did not finish. */
const CLEAN_UP_AFTER_MS = 10_000;

const MAX_PROFILE_SAVES = 2;

const FINISH_RECORDINGS_MS = 1000;

type EndCause = Pick<NonNullable<SessionRecord["end"]>, "details" | "apiKeyId" | "closeReason">;

/**
 * The end of a started session, until nothing is left but a tombstone. The caller waits until it has ended for
 * everyone and its profile is saved. The rest is work of the object, in the background or after its alarm.
 */
export class SessionEnd {
  readonly #state: SessionState;
  readonly #connections: CurrentConnections;
  #ending: Promise<void> | undefined;

  constructor(state: SessionState, connections: CurrentConnections) {
    this.#state = state;
    this.#connections = connections;
  }

  /** Waits for an end that is under way, if any. */
  async settled(): Promise<void> {
    await this.#ending;
  }

  /** Ends a started session. Concurrent calls wait for the same end, not for its clean-up. */
  async begin(reason: EndReason, cause: EndCause = {}): Promise<void> {
    const { record } = this.#state;
    if (record?.phase === "active" || record?.phase === "idle")
      this.#ending = this.#end(record, reason, cause);
    await this.#ending;
  }

  /**
   * Keeps the last picture and recordings, and closes the browser. The alarm retries what fails.
   *
   * @throws what has failed.
   */
  readonly cleanUp = sharing(() => this.#cleanUp());

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
    if (reason === "browser_lost") {
      const data = { service_name: "chromium", phase: "gave_up", close_reason: cause.closeReason };
      telemetry.record({ category: "system", type: "service_crashed", data });
    }
    current.handoffs.endAll();
    const data = { reason, close_reason: cause.closeReason };
    telemetry.record({ category: "system", type: "session_ended", data });
    const evidence = current.snapshots.last;
    this.#state.write({ ...record, phase: "ended", end: { ...cause, reason, at, evidence } });
    this.#state.inBackground("events_not_exported", telemetry.end());
    await deadlines.replace({
      "clean-up": at + CLEAN_UP_AFTER_MS,
      archive: at + CLEAN_UP_AFTER_MS,
      tombstone: at + Math.max(settings.tombstoneRetentionMs, settings.telemetryRetentionMs),
    });
    logEvent("session_ended", { ...identity, reason, clients: current.clients.count });
    current.closeAll(`the session ended: ${END_REASON_MEANINGS[reason]}`, "session");
    await this.#announce().catch((error) => logError("session_end_not_announced", error, identity));
    const cleaned = this.cleanUp().catch((error) => logError("session_clean_up_failed", error, identity));
    // The alarm retries both.
    this.#state.inBackground(
      "session_not_archived",
      cleaned.then(() => this.archive()),
    );
  }

  /** Moves the events and the screenshot of an ended session to files. Concurrent calls share the work. */
  readonly archive = sharing(() => this.#archive());

  /** Deletes what is left of an ended session. */
  async forget(): Promise<void> {
    const { env, record } = this.#state;
    if (record?.hasFiles) await deleteSessionFiles(env.FILES, record);
    await this.#state.delete();
  }

  /** Saves the profile, and ends the session for everyone. @throws what has failed. */
  readonly #announce = sharing(async () => {
    const record = await this.#saveProfile();
    if (record?.end === undefined || record.end.isAnnounced) return;
    await announceEnd(this.#state, record, record.end);
    this.#updateEnd({ isAnnounced: true }, { hasMachine: false });
  });

  /** Closes the connections after the last pictures. Another call changes nothing. */
  readonly #disconnect = sharing(async () => {
    const { current } = this.#connections;
    const [evidence] = await Promise.all([current.snapshots.takeLast(), current.recordings.close()]);
    current.close();
    if (evidence !== undefined) this.#updateEnd({ evidence });
  });

  async #cleanUp(): Promise<void> {
    const state = this.#state;
    if (state.record?.phase !== "ended") return;
    await this.#disconnect();
    const record = await this.#saveProfile();
    if (record === undefined) return;
    const { browserId, failures } = await cleanUpSession(state, record, this.#announce());
    // The tombstone may be gone by now. Nothing is written to an emptied storage.
    if (state.record === undefined) return;
    state.write({ ...state.record, browserId });
    if (failures.length > 0) throw failures[0];
    await this.#finishRecordings();
    await state.deadlines.clear("clean-up");
  }

  #updateEnd(change: Partial<NonNullable<SessionRecord["end"]>>, other: Partial<SessionRecord> = {}): void {
    const { record } = this.#state;
    if (record?.end === undefined) return;
    this.#state.write({ ...record, ...other, end: { ...record.end, ...change } });
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

  /** @throws when recordings are not complete in time; the background or the next call completes them. */
  async #finishRecordings(): Promise<void> {
    const finished = this.#connections.current.recordings.finishEnded().then(() => true);
    if (!(await resolveWithin(finished, FINISH_RECORDINGS_MS)))
      throw new Error("A recording is not complete yet");
  }

  /** Saves the profile of an ended session. @returns the session, whose profile is not to be saved again. */
  readonly #saveProfile = sharing(async () => {
    const state = this.#state;
    if (!state.record?.profile?.saveChanges) return state.record;
    await this.#disconnect();
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
  });
}

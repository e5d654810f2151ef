import { logError, logEvent } from "../../common/log.ts";
import type { CurrentConnections } from "../connections/connections.ts";
import { END_REASON_MEANINGS, type EndReason } from "../end-reason.ts";
import type { SessionRecord } from "../record.ts";
import type { SessionState } from "../state.ts";
import { cleanUpSession } from "./clean-up.ts";
import { saveSessionProfile } from "./save-profile.ts";

/** When the alarm continues an end that did not finish. */
const CLEAN_UP_AFTER_MS = 30_000;

const MAX_PROFILE_SAVES = 2;

/** The end of a started session, until nothing is left but a tombstone. */
export class SessionEnd {
  readonly #state: SessionState;
  readonly #connections: CurrentConnections;
  #ending: Promise<void> | undefined;
  #cleaning: Promise<void> | undefined;

  constructor(state: SessionState, connections: CurrentConnections) {
    this.#state = state;
    this.#connections = connections;
  }

  /** Waits for an end that is under way, if any. */
  async settled(): Promise<void> {
    await this.#ending;
  }

  /** Ends a started session. Concurrent calls wait for the same end. */
  async begin(reason: EndReason): Promise<void> {
    const { record } = this.#state;
    if (record?.phase === "active" || record?.phase === "idle") this.#ending = this.#end(record, reason);
    await this.#ending;
  }

  /**
   * Saves the profile, closes the browser, ends the machine and updates the database. The alarm retries what fails, except
   * for the profile, whose failure is reported.
   *
   * @throws what has failed.
   */
  cleanUp(): Promise<void> {
    this.#cleaning ??= this.#cleanUp().finally(() => {
      this.#cleaning = undefined;
    });
    return this.#cleaning;
  }

  async #end(record: SessionRecord, reason: EndReason): Promise<void> {
    const { deadlines, settings, identity } = this.#state;
    const { current } = this.#connections;
    const at = Date.now();
    this.#state.write({ ...record, phase: "ended", end: { reason, at } });
    await deadlines.replace({
      "clean-up": at + CLEAN_UP_AFTER_MS,
      tombstone: at + settings.tombstoneRetentionMs,
    });
    logEvent("session_ended", { ...identity, reason, clients: current.clients.count });
    current.closeAll(`the session ended: ${END_REASON_MEANINGS[reason]}`);
    current.close();
    await this.cleanUp().catch((error) => logError("session_clean_up_failed", error, identity));
  }

  async #cleanUp(): Promise<void> {
    const state = this.#state;
    const record = await this.#saveProfile();
    if (record?.end === undefined) return;
    const cleaned = await cleanUpSession(state.env, record, record.end);
    // The tombstone may be gone by now. Nothing is written to an emptied storage.
    if (state.record === undefined) return;
    state.write(cleaned.record);
    if (cleaned.failures.length > 0) throw cleaned.failures[0];
    await state.deadlines.replace({ tombstone: record.end.at + state.settings.tombstoneRetentionMs });
  }

  /** Saves the profile of an ended session. @returns the session, whose profile is not to be saved again. */
  async #saveProfile(): Promise<SessionRecord | undefined> {
    const state = this.#state;
    const { record } = state;
    if (record?.end === undefined || !record.profile?.saveChanges) return record;
    const { savesBegun = 0, end, profile } = record;
    state.write({ ...record, savesBegun: savesBegun + 1 });
    // A save that crashes this object each time would be retried for ever.
    const details =
      savesBegun >= MAX_PROFILE_SAVES
        ? "The profile was not saved: the service failed"
        : await saveSessionProfile(state.env, record, state.storage.readOrigins(), state.identity);
    const saved = state.record;
    if (saved === undefined) return undefined;
    const reported = { ...saved, profile: { ...profile, saveChanges: false }, end: { ...end, details } };
    state.write(reported);
    return reported;
  }
}

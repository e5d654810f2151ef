import type { Deadlines } from "../../alarms/deadlines.ts";
import { type LogFields, logError, logEvent } from "../../common/log.ts";
import { readSettings } from "../../common/settings.ts";
import type { SessionConnections } from "../connections/connections.ts";
import { END_REASON_MEANINGS, type EndReason } from "../end-reason.ts";
import type { SessionRecord, SessionStorage } from "../record.ts";
import { cleanUpSession } from "./clean-up.ts";
import { saveSessionProfile } from "./save-profile.ts";

/** When the alarm takes up an end that did not come through. */
const CLEAN_UP_AFTER_MS = 30_000;

/** How often the save of a profile is begun. */
const MOST_SAVES = 2;

interface SessionEndOptions {
  env: Env;
  storage: Pick<SessionStorage, "readOrigins">;
  deadlines: Pick<Deadlines<"clean-up" | "tombstone">, "replace">;
  connections: () => SessionConnections;
  readRecord: () => SessionRecord | undefined;
  writeRecord: (record: SessionRecord) => void;
  /** Names the session in log lines. */
  identify: () => LogFields;
}

/** The end of a session that has started, from its first moment until nothing is left but a tombstone. */
export class SessionEnd {
  readonly #options: SessionEndOptions;
  #ending: Promise<void> | undefined;
  #cleaning: Promise<void> | undefined;

  constructor(options: SessionEndOptions) {
    this.#options = options;
  }

  /** Resolves when the end that is under way, if any, is through. */
  async whenThrough(): Promise<void> {
    await this.#ending;
  }

  /** Ends a session that has started; resolves when the end that is under way, if any, is through. */
  async begin(reason: EndReason): Promise<void> {
    const record = this.#options.readRecord();
    if (record?.phase === "active" || record?.phase === "idle") this.#ending = this.#end(record, reason);
    await this.#ending;
  }

  /**
   * Saves the profile, closes the browser, ends the machine and tells the index. What fails is tried again by the alarm
   * until it is done, but for the profile: that is told.
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
    const { env, deadlines, connections, writeRecord, identify } = this.#options;
    const at = Date.now();
    const { tombstoneRetentionMs } = readSettings(env);
    writeRecord({ ...record, phase: "ended", end: { reason, at } });
    await deadlines.replace({ "clean-up": at + CLEAN_UP_AFTER_MS, tombstone: at + tombstoneRetentionMs });
    logEvent("session_ended", { ...identify(), reason, clients: connections().clients.count });
    connections().closeAll(`the session ended: ${END_REASON_MEANINGS[reason]}`);
    connections().end();
    await this.cleanUp().catch((error) => logError("session_clean_up_failed", error, identify()));
  }

  async #cleanUp(): Promise<void> {
    const { env, deadlines, readRecord, writeRecord } = this.#options;
    const record = await this.#saveProfile();
    if (record?.end === undefined) return;
    const cleaned = await cleanUpSession(env, record, record.end);
    // The tombstone's time may have come meanwhile: nothing is written to a storage that was emptied.
    if (readRecord() === undefined) return;
    writeRecord(cleaned.record);
    if (cleaned.failures.length > 0) throw cleaned.failures[0];
    await deadlines.replace({ tombstone: record.end.at + readSettings(env).tombstoneRetentionMs });
  }

  /** Saves the profile of an ended session. @returns the session, from now on without one that is to be saved. */
  async #saveProfile(): Promise<SessionRecord | undefined> {
    const { env, storage, readRecord, writeRecord, identify } = this.#options;
    const record = readRecord();
    if (record?.end === undefined || !record.profile?.saveChanges) return record;
    const { savesBegun = 0, end, profile } = record;
    writeRecord({ ...record, savesBegun: savesBegun + 1 });
    // What ends this very object each time would go on for ever.
    const details =
      savesBegun >= MOST_SAVES
        ? "The profile was not saved: the service failed"
        : await saveSessionProfile(env, record, storage.readOrigins(), identify());
    const saved = readRecord();
    if (saved === undefined) return undefined;
    const told = { ...saved, profile: { ...profile, saveChanges: false }, end: { ...end, details } };
    writeRecord(told);
    return told;
  }
}

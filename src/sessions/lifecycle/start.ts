import type { Deadlines } from "../../alarms/deadlines.ts";
import { withinTime } from "../../common/concurrency.ts";
import { serviceUnavailable } from "../../common/errors.ts";
import { type LogFields, logError, logEvent } from "../../common/log.ts";
import { type Outcome, settle } from "../../common/outcome.ts";
import { openDatabase } from "../../database/client.ts";
import type { SessionConnections } from "../connections/connections.ts";
import type { SessionRecord, SessionStart } from "../record.ts";
import { markSessionStarted } from "../store.ts";
import type { SessionLaunch } from "./launch.ts";
import { toStartError } from "./start-error.ts";

/** When the alarm takes up a start's undoing that did not come through. */
const CLEAN_UP_AFTER_MS = 30_000;

/** How long a second call waits for a session that another call is about to start. */
const LONGEST_WAIT_MS = 30_000;

interface SessionStartupOptions {
  env: Env;
  deadlines: Pick<Deadlines<"start">, "set" | "replace">;
  launch: SessionLaunch;
  connections: () => SessionConnections;
  readRecord: () => SessionRecord | undefined;
  writeRecord: (record: SessionRecord) => void;
  becomeActive: (record: SessionRecord) => Promise<void>;
  becomeIdle: (record: SessionRecord) => Promise<void>;
  /** Forgets a session of which nothing is left. */
  forget: () => Promise<void>;
  waitUntil: (work: Promise<unknown>) => void;
  /** Names the session in log lines. */
  identify: () => LogFields;
}

/** The start of a session, from its first moment until it may be used, or nothing of it is left. */
export class SessionStartup {
  readonly #options: SessionStartupOptions;
  readonly #outcome = Promise.withResolvers<Outcome<void>>();
  /** Whether this very object is at work on it. */
  #isUnderWay = false;

  constructor(options: SessionStartupOptions) {
    this.#options = options;
  }

  /** Starts the session, once: who asks again is told how that went. */
  async begin(start: SessionStart): Promise<Outcome<void>> {
    const { readRecord, writeRecord, waitUntil } = this.#options;
    if (readRecord() !== undefined) return this.#outcome.promise;
    writeRecord({ ...start, phase: "starting" });
    this.#isUnderWay = true;
    const outcome = settle(() => this.#start(start)).finally(() => {
      this.#isUnderWay = false;
    });
    // The start goes on when the caller leaves: half of one would be nobody's.
    waitUntil(outcome);
    outcome.then(this.#outcome.resolve, this.#outcome.reject);
    return outcome;
  }

  /** Resolves when the start that this object is at work on, if any, is through, however it went. */
  async whenThrough(): Promise<void> {
    if (this.#isUnderWay) await this.#outcome.promise;
  }

  /** How the start went, also one that is yet to begin. */
  async untilKnown(): Promise<Outcome<void>> {
    const outcome = await withinTime(this.#outcome.promise, LONGEST_WAIT_MS);
    if (outcome !== undefined) return outcome;
    const error = serviceUnavailable("The call that this one repeats has not finished; try again");
    return { ok: false, error: error.toRecord() };
  }

  /** Takes up, after a restart, what the object before this one left. */
  takeUp({ phase }: SessionRecord): void {
    if (phase !== "starting") {
      this.#outcome.resolve({ ok: true, value: undefined });
      return;
    }
    const error = serviceUnavailable("The start of this session was interrupted; try again");
    this.#outcome.resolve({ ok: false, error: error.toRecord() });
    this.#options.waitUntil(this.#options.deadlines.set({ start: Date.now() }));
  }

  /** A start that this object is at work on undoes itself; one that it only found crashed with another object. */
  async undoCrashed(): Promise<void> {
    const { deadlines, readRecord } = this.#options;
    if (this.#isUnderWay) await deadlines.set({ start: Date.now() + CLEAN_UP_AFTER_MS });
    else if (readRecord()?.phase === "starting") await this.#undo();
  }

  async #start(start: SessionStart): Promise<void> {
    const { env, deadlines, launch, connections, readRecord, becomeActive, becomeIdle, identify } =
      this.#options;
    const startedAt = Date.now();
    try {
      await deadlines.set({ start: startedAt + CLEAN_UP_AFTER_MS });
      const browserId = await launch.launch(start, startedAt);
      const phase: "active" | "idle" = start.pool === undefined ? "active" : "idle";
      const urlGeneration = await markSessionStarted(openDatabase(env.DB), start.id, phase);
      if (urlGeneration === undefined) throw serviceUnavailable("The session was given up as it started");
      const record = { ...(readRecord() ?? start), phase, browserId, urlGeneration };
      if (phase === "active") await becomeActive(record);
      else await becomeIdle(record);
    } catch (error) {
      logError("session_start_failed", error, { ...identify(), duration_ms: Date.now() - startedAt });
      await this.#undo();
      throw toStartError(error);
    }
    logEvent("session_started", { ...identify(), duration_ms: Date.now() - startedAt });
    if (start.startURL !== null) connections().openStartURL(start.startURL);
  }

  /** Takes back whatever a start has done so far. What fails of it is tried again by the alarm. */
  async #undo(): Promise<void> {
    const { deadlines, launch, connections, readRecord, forget, identify } = this.#options;
    const record = readRecord();
    if (record === undefined) return;
    connections().browser.disconnect();
    await deadlines.replace({ start: Date.now() + CLEAN_UP_AFTER_MS });
    try {
      await launch.undo(record);
    } catch (error) {
      logError("session_start_not_undone", error, identify());
      return;
    }
    await forget();
  }
}

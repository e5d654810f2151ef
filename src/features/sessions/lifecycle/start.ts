import { resolveWithin, settleAll, tryWithin } from "../../../lib/common/concurrency.ts";
import { ServiceError, serviceUnavailable } from "../../../lib/common/errors.ts";
import { logError, logEvent } from "../../../lib/common/log.ts";
import { type Outcome, settle } from "../../../lib/common/outcome.ts";
import type { BrowserSessionRow } from "../../../lib/database/schema/browser-sessions.ts";
import {
  type AcquiredBrowser,
  acquireForSession,
  brokerOf,
  toLaunchError,
} from "../../../platform/broker/index.ts";
import type { RemoteBrowser } from "../../../platform/browser/index.ts";
import { machineObject } from "../../machine/index.ts";
import type { CurrentConnections } from "../connections/connections.ts";
import type { SessionRecord, SessionStart } from "../record.ts";
import { emitSessionCreated } from "../session-events.ts";
import type { SessionState } from "../state.ts";
import { explainRefusedInsert, insertSession, markSessionStarted, removeUnstartedSession } from "../store.ts";
import type { SessionBrowserContext } from "./browser-context.ts";

/** When the alarm undoes a start that neither succeeded nor was undone. */
const UNDO_AFTER_MS = 30_000;

/** How long a repeated call waits for the start that another call is about to begin. */
const START_TIMEOUT_MS = 30_000;

/** How long a session waits until it is in the log of its invocation. */
const LOG_TIMEOUT_MS = 1000;

/** A session without a row yet. Its object inserts the row once the browser is ready. */
export interface UnlistedSession {
  row: BrowserSessionRow;
  /** The service's limit of concurrent sessions per organization. */
  defaultLimit: number;
  /** The organization's own limit, which may be outdated. The insert has the final say. */
  maxSessions: number;
}

/** The start of a session: it ends with a usable session, or leaves no trace. */
export class SessionStarter {
  readonly #state: SessionState;
  readonly #connections: CurrentConnections;
  readonly #context: SessionBrowserContext;
  readonly #outcome = Promise.withResolvers<Outcome<void>>();
  #isStarting = false;
  #isGivenUp = false;
  /** Until it is usable. */
  #mayBeGivenUp = true;
  /** Repeated calls that wait for this start. */
  #waiting = 0;
  /** Whether there may be a row to remove. After a crash nobody knows. */
  #mayBeListed = true;

  constructor(state: SessionState, connections: CurrentConnections, context: SessionBrowserContext) {
    this.#state = state;
    this.#connections = connections;
    this.#context = context;
  }

  /** Starts the session once. Later calls return the outcome of the first. */
  async start(start: SessionStart, unlisted?: UnlistedSession): Promise<Outcome<void>> {
    const state = this.#state;
    if (state.record !== undefined) return this.#outcome.promise;
    state.write({ ...start, phase: "starting" });
    this.#isStarting = true;
    const outcome = settle(() => this.#start(start, unlisted)).finally(() => {
      this.#isStarting = false;
    });
    outcome.then(this.#outcome.resolve, this.#outcome.reject);
    // The platform may cancel the caller's request, and half a start would have no owner.
    state.inBackground("session_start_crashed", outcome);
    return outcome;
  }

  /** Gives up a start that waits for a free browser. */
  async leaveQueue(): Promise<void> {
    const { env, record, identity } = this.#state;
    if (!this.#isStarting || record === undefined || record.browserId !== undefined) return;
    this.#isGivenUp = true;
    await brokerOf(env, record.region)
      .leaveQueue(record.id)
      .catch((error: unknown) => logError("queue_not_left", error, identity));
  }

  /** Gives up a start in any phase, because its caller has gone, and closes the browser. */
  async giveUp(): Promise<void> {
    const { env, record, identity } = this.#state;
    if (!this.#isStarting || !this.#mayBeGivenUp || this.#waiting > 0 || record === undefined) return;
    this.#isGivenUp = true;
    await brokerOf(env, record.region)
      .release(record.id, record.browserId)
      .catch((error: unknown) => logError("queue_not_left", error, identity));
  }

  /** Waits for a start that is under way in this object, if any, whatever its outcome. */
  async settled(): Promise<void> {
    if (this.#isStarting) await this.#outcome.promise;
  }

  /** The outcome of the start, which may be about to begin. */
  async outcome(): Promise<Outcome<void>> {
    const outcome = await resolveWithin(this.#outcome.promise, START_TIMEOUT_MS);
    if (outcome !== undefined) return outcome;
    const error = serviceUnavailable("The call that this one repeats has not finished; try again");
    return { ok: false, error: error.toRecord() };
  }

  /** The outcome, for a repeated call. The start then continues without the first caller. */
  async join(): Promise<Outcome<void>> {
    this.#waiting += 1;
    try {
      return await this.outcome();
    } finally {
      this.#waiting -= 1;
    }
  }

  /** Continues after a restart of the object. */
  resume({ phase }: SessionRecord): void {
    if (phase !== "starting") {
      this.#outcome.resolve({ ok: true, value: undefined });
      return;
    }
    const error = serviceUnavailable("The start of this session was interrupted; try again");
    this.#outcome.resolve({ ok: false, error: error.toRecord() });
    this.#state.inBackground("session_start_not_undone", this.#state.deadlines.set({ start: Date.now() }));
  }

  /** Undoes a start that crashed with an earlier object. One that is under way here undoes itself. */
  async undoCrashed(): Promise<void> {
    const { deadlines, record } = this.#state;
    if (this.#isStarting) await deadlines.set({ start: Date.now() + UNDO_AFTER_MS });
    else if (record?.phase === "starting") await this.#undo();
  }

  async #start(start: SessionStart, unlisted: UnlistedSession | undefined): Promise<void> {
    const state = this.#state;
    const startedAt = Date.now();
    this.#mayBeListed = unlisted === undefined;
    try {
      await state.deadlines.set({ start: startedAt + UNDO_AFTER_MS });
      if (start.region !== null)
        state.inBackground("machine_not_placed", machineObject(state.env, start.id, start.region).place());
      const { browserId, standbyMs } = await this.#launch(start, unlisted?.maxSessions);
      this.#requireWanted();
      this.#mayBeGivenUp = false;
      const phase = start.pool === undefined ? "active" : "idle";
      const row =
        unlisted === undefined
          ? await this.#markStarted(start.id, { state: phase, standbyMs })
          : await this.#list(unlisted, standbyMs);
      const record = { ...(state.record ?? start), browserId, urlGeneration: row.urlGeneration };
      if (phase === "active") {
        this.#connections.current.activity.touch();
        await state.becomeActive(record);
        this.#connections.current.recording.begin();
        emitSessionCreated(state, row);
        await this.#logInInvocation(start);
      } else await state.becomeIdle(record);
    } catch (error) {
      const details = { ...state.identity, duration_ms: Date.now() - startedAt };
      // A refusal at a limit is not a failure of the service.
      if (this.#isGivenUp) logEvent("session_start_given_up", details);
      else if (!(error instanceof ServiceError && error.status === 429))
        logError("session_start_failed", error, details);
      await this.#undo();
      throw toLaunchError(error);
    }
    logEvent("session_started", { ...state.identity, duration_ms: Date.now() - startedAt });
    if (start.startURL !== null) this.#connections.current.openStartURL(start.startURL);
  }

  /** The invocation could end before it logs the session, so the start waits. A failure has no effect. */
  async #logInInvocation({ id, organizationId, invocationId }: SessionStart): Promise<void> {
    if (invocationId === null) return;
    const logging = this.#state.env.INVOCATION.getByName(invocationId).logSession(organizationId, id);
    this.#state.inBackground("session_not_in_invocation_log", logging);
    await tryWithin(logging, LOG_TIMEOUT_MS);
  }

  async #markStarted(
    id: string,
    started: { state: "active" | "idle"; standbyMs: number },
  ): Promise<BrowserSessionRow> {
    const row = await markSessionStarted(this.#state.database, id, started);
    if (row === undefined) throw serviceUnavailable("The session was ended while it was starting");
    return row;
  }

  /** Lists show a session only once it is usable. */
  async #list({ row, defaultLimit }: UnlistedSession, standbyMs: number): Promise<BrowserSessionRow> {
    this.#mayBeListed = true;
    const active = { ...row, state: "active" as const, idleSince: Date.now(), standbyMs };
    const { database } = this.#state;
    if (!(await insertSession(database, active, { defaultLimit })))
      await explainRefusedInsert(database, active);
    return active;
  }

  /**
   * Gets a browser and prepares it for its first client. The record names the browser before it is used, so
   * that it is found when the start is undone. A standby browser that cannot be prepared is replaced.
   *
   * @returns the browser, and how long it has waited for the session.
   */
  async #launch(start: SessionStart, maxSessions: number | undefined): Promise<AcquiredBrowser> {
    const { env, identity } = this.#state;
    const { browser } = this.#connections.current;
    // Everything that may be refused comes first, so that no browser is launched in vain.
    const content = await this.#context.read(start);
    this.#requireWanted();
    const { id: sessionId, organizationId, weight, region, pool } = start;
    const kind = pool === undefined ? ("session" as const) : ("pool" as const);
    const request = { sessionId, organizationId, weight, region, kind, maxSessions };
    const remember = (browserId: string) => this.#state.write({ ...start, phase: "starting", browserId });
    const prepare = async (acquired: AcquiredBrowser) => {
      remember(acquired.browserId);
      const connected: RemoteBrowser = await browser.connect();
      await this.#context.prepare(connected, content);
      await connected.prepareForFirstClient();
      return acquired;
    };
    // Standby browsers are for callers who wait. Nobody waits while a pool is filled.
    const acquired = await acquireForSession(
      env,
      { ...request, allowsStandby: kind === "session" },
      remember,
    );
    try {
      return await prepare(acquired);
    } catch (error) {
      if (!acquired.isStandby || this.#isGivenUp) throw error;
      logError("standby_browser_not_usable", error, identity);
    }
    browser.disconnect();
    await brokerOf(env, region).release(sessionId);
    this.#state.write({ ...start, phase: "starting" });
    const launched = await acquireForSession(env, { ...request, allowsStandby: false }, remember);
    return prepare({ ...launched, standbyMs: acquired.standbyMs });
  }

  #requireWanted(): void {
    if (this.#isGivenUp) throw serviceUnavailable("The start was given up");
  }

  /** Reverts everything a start has done. The alarm retries what fails. */
  async #undo(): Promise<void> {
    const { env, database, deadlines, record, identity } = this.#state;
    if (record === undefined) return;
    this.#connections.current.browser.disconnect();
    await deadlines.replace({ start: Date.now() + UNDO_AFTER_MS });
    try {
      await settleAll([
        brokerOf(env, record.region).release(record.id, record.browserId),
        this.#mayBeListed ? removeUnstartedSession(database, record.id) : Promise.resolve(),
      ]);
    } catch (error) {
      logError("session_start_not_undone", error, identity);
      return;
    }
    await this.#state.delete();
  }
}

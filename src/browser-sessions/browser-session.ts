import { DurableObject } from "cloudflare:workers";
import { Deadlines } from "../alarms/deadlines.ts";
import {
  acquireBrowser,
  BrowserUnavailableError,
  closeBrowser,
  openDevToolsSocket,
  readDevToolsDocument,
} from "../browser/binding.ts";
import { Relay } from "../browser/relay.ts";
import { RemoteBrowser } from "../browser/remote-browser.ts";
import { type Database, openDatabase } from "../database/client.ts";
import { conflict, notFound, ServiceError, serviceUnavailable } from "../http/errors.ts";
import { type Outcome, settle } from "../http/outcome.ts";
import { toErrorResponse } from "../http/wire-error.ts";
import { logError, logEvent } from "../log.ts";
import { readSettings, type Settings } from "../settings.ts";
import { END_REASONS, type EndReason } from "./end-reason.ts";
import { Activity, idleSinceAfterRestart } from "./inactivity.ts";
import { type SessionRecord, type SessionStart, SessionStorage } from "./session-record.ts";
import {
  activateSession,
  forgetLaunchedBrowser,
  markSessionEnded,
  recordLaunchedBrowser,
  removeStartingSession,
} from "./store.ts";

/** How often a living session's browser is sent a command. */
const PING_EVERY_MS = 60_000;

/** A start that takes longer has crashed half-way. */
const LONGEST_START_MS = 120_000;

const NO_ANSWER = "The session's browser does not answer";

/** When the alarm takes up an end, or a start's undoing, that did not come through. */
const CLEAN_UP_AFTER_MS = 30_000;

/** How long a second call waits for a session that another call is about to start. */
const LONGEST_WAIT_FOR_START_MS = 30_000;

/**
 * `start`: give up a start that crashed; `inactivity`, `lifetime`: end the session; `ping`: keep its browser;
 * `clean-up`: finish what an end left undone; `tombstone`: forget the session.
 */
type DeadlineKind = "start" | "inactivity" | "lifetime" | "ping" | "clean-up" | "tombstone";

/**
 * One browser session, named by its id: the keeper of its live state and the owner of its browser, of every
 * client's connection and of the one alarm behind its time-outs.
 */
export class BrowserSession extends DurableObject<Env> {
  readonly #storage: SessionStorage;
  readonly #deadlines: Deadlines<DeadlineKind>;
  readonly #activity: Activity;
  readonly #relays = new Set<Relay>();
  readonly #started = Promise.withResolvers<Outcome<void>>();
  #record: SessionRecord | undefined;
  #browser: RemoteBrowser | undefined;
  #connecting: Promise<RemoteBrowser> | undefined;
  #ending: Promise<void> | undefined;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#storage = new SessionStorage(ctx.storage);
    this.#deadlines = new Deadlines(ctx.storage);
    this.#record = this.#storage.readRecord();
    const idleSince = idleSinceAfterRestart(this.#storage.readActivity(), Date.now());
    this.#activity = new Activity(idleSince, (activity) => this.#storage.writeActivity(activity));
    if (this.#record?.phase === "active") this.#started.resolve({ ok: true, value: undefined });
    // A start does not outlive its object: one that is found half-way here crashed with the object before.
    if (this.#record?.phase === "starting") void ctx.blockConcurrencyWhile(() => this.#abandonStart());
  }

  /**
   * Launches and prepares the session's browser and makes the session active. When anything fails, the browser
   * is closed, every trace of the session removed, and the failure told.
   */
  async start(start: SessionStart): Promise<Outcome<void>> {
    if (this.#record !== undefined) return this.#started.promise;
    this.#write({ ...start, phase: "starting" });
    // The start goes on when the caller leaves: half of one would be nobody's.
    const outcome = settle(() => this.#start(start));
    this.ctx.waitUntil(outcome);
    outcome.then(this.#started.resolve, this.#started.reject);
    return outcome;
  }

  /** The outcome of the session's start, once there is one. */
  async whenStarted(): Promise<Outcome<void>> {
    const neverStarted = Promise.withResolvers<Outcome<void>>();
    const timer = setTimeout(() => {
      const error = serviceUnavailable("The call that this one repeats has not finished; try again");
      neverStarted.resolve({ ok: false, error: error.toRecord() });
    }, LONGEST_WAIT_FOR_START_MS);
    try {
      return await Promise.race([this.#started.promise, neverStarted.promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Ends the session; 404 when it is not this organization's or has ended. */
  async end(organizationId: string, reason: EndReason): Promise<Outcome<void>> {
    return settle(async () => {
      this.#requireActive(organizationId);
      await this.#end(reason);
    });
  }

  /**
   * Brings a session that the sweep wonders about in order: one whose browser is gone ends, one that never began
   * or crashed at its start is removed, and one that has ended finishes its cleaning up.
   */
  async reconcile(sessionId: string): Promise<void> {
    if (this.#record === undefined) {
      await removeStartingSession(this.#database, sessionId);
      await markSessionEnded(this.#database, sessionId, "browser_lost", Date.now());
    } else if (this.#record.phase === "ended") {
      await this.#cleanUp();
    } else if (this.#record.phase === "active") {
      await this.#connect().catch(() => this.#end("browser_lost"));
    }
  }

  /**
   * `/json/version` or `/json/list` of the session's browser, as JSON text. Whoever calls has checked the token.
   */
  async readDevToolsDocument(document: "version" | "list"): Promise<Outcome<string>> {
    return settle(async () => {
      const { browserId } = this.#requireReachable();
      return readDevToolsDocument(this.env.BROWSER, browserId, document).catch((error) => {
        throw serviceUnavailable(NO_ANSWER, 1, error);
      });
    });
  }

  /**
   * Opens a client's DevTools socket: to the browser, or to the page in a path `/devtools/page/{id}`. Whoever
   * calls has checked the token.
   */
  override async fetch(request: Request): Promise<Response> {
    const pageId = /^\/devtools\/page\/([^/]+)$/.exec(new URL(request.url).pathname)?.[1];
    const outcome = await settle(() => this.#openRelay(this.#requireReachable(), pageId));
    return outcome.ok ? outcome.value : toErrorResponse(ServiceError.fromRecord(outcome.error));
  }

  override async alarm(): Promise<void> {
    await this.#deadlines.run(
      (kind) => this.#serve(kind),
      (kind, error) => logError("session_deadline_failed", error, { ...this.#identity, deadline: kind }),
    );
  }

  async #serve(kind: DeadlineKind): Promise<void> {
    switch (kind) {
      case "start":
        if (this.#record?.phase === "starting") await this.#abandonStart();
        return;
      case "inactivity":
        return this.#endIfInactive();
      case "lifetime":
        return this.#end("lifetime");
      case "ping":
        return this.#ping();
      case "clean-up":
        return this.#cleanUp();
      case "tombstone":
        return this.#storage.removeEverything();
    }
  }

  async #start(start: SessionStart): Promise<void> {
    const startedAt = Date.now();
    try {
      await this.#deadlines.set({ start: startedAt + LONGEST_START_MS });
      const browserId = await acquireBrowser(this.env.BROWSER, this.#settings.browserKeepAliveMs);
      this.#write({ ...start, phase: "starting", browserId });
      await allDone([
        recordLaunchedBrowser(this.#database, { browserId, sessionId: start.id, launchedAt: startedAt }),
        this.#connect(),
      ]);
      if (!(await activateSession(this.#database, start.id)))
        throw conflict("The session was removed as it started");
      await this.#becomeActive({ ...start, phase: "active", browserId });
    } catch (error) {
      logError("session_start_failed", error, { ...this.#identity, duration_ms: Date.now() - startedAt });
      await this.#abandonStart();
      throw toStartError(error);
    }
    logEvent("session_started", { ...this.#identity, duration_ms: Date.now() - startedAt });
    if (start.startURL !== null) this.#openStartURL(start.startURL);
  }

  async #becomeActive(record: SessionRecord): Promise<void> {
    const now = Date.now();
    const { maxSessionMs } = this.#settings;
    this.#write(record);
    this.#activity.begin()[Symbol.dispose]();
    await this.#deadlines.replace({
      inactivity: now + record.timeoutMs,
      ping: now + PING_EVERY_MS,
      ...(maxSessionMs === 0 ? {} : { lifetime: now + maxSessionMs }),
    });
  }

  /** Takes back whatever a start has done so far. What fails of it is tried again by the alarm. */
  async #abandonStart(): Promise<void> {
    const record = this.#record;
    if (record === undefined) return;
    this.#disconnect();
    await this.#deadlines.replace({ start: Date.now() + CLEAN_UP_AFTER_MS });
    try {
      if (record.browserId !== undefined) await this.#closeBrowser(record.browserId);
      await removeStartingSession(this.#database, record.id);
    } catch (error) {
      logError("session_start_not_undone", error, this.#identity);
      return;
    }
    this.#record = undefined;
    await this.#storage.removeEverything();
  }

  #openStartURL(url: string): void {
    const navigation = this.#connect().then((browser) => browser.navigateFirstTab(url));
    this.ctx.waitUntil(navigation.catch((error) => logError("start_url_not_opened", error, this.#identity)));
  }

  async #endIfInactive(): Promise<void> {
    const record = this.#record;
    if (record?.phase !== "active") return;
    const now = Date.now();
    const expiresAt = this.#activity.expiresAt(record.timeoutMs) ?? now + record.timeoutMs;
    if (expiresAt > now) await this.#deadlines.set({ inactivity: expiresAt });
    else await this.#end("inactivity");
  }

  async #ping(): Promise<void> {
    if (this.#record?.phase !== "active") return;
    await this.#deadlines.set({ ping: Date.now() + PING_EVERY_MS });
    try {
      const browser = await this.#connect();
      await browser.ping();
    } catch (error) {
      logError("session_browser_silent", error, this.#identity);
      await this.#end("browser_lost");
    }
  }

  #end(reason: EndReason): Promise<void> {
    this.#ending ??= this.#endOnce(reason);
    return this.#ending;
  }

  async #endOnce(reason: EndReason): Promise<void> {
    const record = this.#record;
    if (record?.phase !== "active") return;
    const at = Date.now();
    this.#write({ ...record, phase: "ended", end: { reason, at } });
    await this.#deadlines.replace({
      "clean-up": at + CLEAN_UP_AFTER_MS,
      tombstone: at + this.#settings.tombstoneRetentionMs,
    });
    this.#disconnect();
    logEvent("session_ended", { ...this.#identity, reason, clients: this.#relays.size });
    for (const relay of this.#relays) relay.close(1001, `the session ended: ${END_REASONS[reason]}`);
    await this.#cleanUp().catch((error) => logError("session_clean_up_failed", error, this.#identity));
  }

  /** Closes the browser and tells the index. What fails is tried again by the alarm until it is done. */
  async #cleanUp(): Promise<void> {
    const record = this.#record;
    if (record?.end === undefined) return;
    const { id, browserId, end } = record;
    const [indexed, closed] = await Promise.allSettled([
      markSessionEnded(this.#database, id, end.reason, end.at),
      browserId === undefined ? undefined : this.#closeBrowser(browserId),
    ]);
    if (closed.status === "fulfilled") this.#write({ ...record, browserId: undefined });
    if (indexed.status === "rejected") throw indexed.reason;
    if (closed.status === "rejected") throw closed.reason;
    await this.#deadlines.replace({ tombstone: end.at + this.#settings.tombstoneRetentionMs });
  }

  async #closeBrowser(browserId: string): Promise<void> {
    await closeBrowser(this.env.BROWSER, browserId);
    await forgetLaunchedBrowser(this.#database, browserId);
  }

  async #openRelay(
    record: SessionRecord & { browserId: string },
    pageId: string | undefined,
  ): Promise<Response> {
    const use = this.#activity.begin();
    try {
      const upstream = await openDevToolsSocket(this.env.BROWSER, record.browserId, pageId).catch(
        async (error) => {
          await this.reconcile(record.id);
          throw serviceUnavailable(NO_ANSWER, 1, error);
        },
      );
      const { 0: client, 1: server } = new WebSocketPair();
      server.accept();
      const openedAt = Date.now();
      const relay = new Relay({
        client: server,
        upstream,
        idleMs: this.#settings.clientIdleMs,
        onClosed: ({ by, code }) => {
          this.#relays.delete(relay);
          use[Symbol.dispose]();
          logEvent("client_disconnected", {
            ...this.#identity,
            by,
            code,
            duration_ms: Date.now() - openedAt,
          });
        },
      });
      this.#relays.add(relay);
      // The session may have ended while the socket opened; its end did not know this relay yet.
      if (this.#record?.phase !== "active") relay.close(1001, "the session ended");
      logEvent("client_connected", { ...this.#identity });
      return new Response(null, { status: 101, webSocket: client });
    } catch (error) {
      use[Symbol.dispose]();
      throw error;
    }
  }

  /** The control connection; opened when there is none, once at a time. */
  #connect(): Promise<RemoteBrowser> {
    if (this.#browser !== undefined) return Promise.resolve(this.#browser);
    this.#connecting ??= this.#openControlConnection().finally(() => {
      this.#connecting = undefined;
    });
    return this.#connecting;
  }

  async #openControlConnection(): Promise<RemoteBrowser> {
    const record = this.#record;
    if (record?.browserId === undefined) throw new Error("The session has no browser");
    const browser = await RemoteBrowser.connect(this.env.BROWSER, record.browserId, {
      viewport: record.viewport,
      onDisconnected: () => this.#reconnect(),
    });
    if (this.#record === undefined || this.#record.phase === "ended") {
      browser.disconnect();
      throw new Error("The session ended while its browser was being connected");
    }
    this.#browser = browser;
    return browser;
  }

  /** A lost control connection may be a lost browser: another connection tells. */
  #reconnect(): void {
    this.#browser = undefined;
    if (this.#record?.phase !== "active") return;
    const reconnected = this.#connect().catch(() => this.#end("browser_lost"));
    this.ctx.waitUntil(reconnected);
  }

  #disconnect(): void {
    this.#browser?.disconnect();
    this.#browser = undefined;
  }

  #requireActive(organizationId: string): SessionRecord {
    const record = this.#record;
    if (record?.phase !== "active" || record.organizationId !== organizationId)
      throw notFound("browser session");
    return record;
  }

  #requireReachable(): SessionRecord & { browserId: string } {
    const record = this.#record;
    if (record === undefined) throw notFound("browser session");
    if (record.phase === "ended") {
      const because = record.end === undefined ? "" : `: ${END_REASONS[record.end.reason]}`;
      throw new ServiceError("gone", `This session has ended${because}`, { shouldRetry: false });
    }
    if (record.browserId === undefined) throw serviceUnavailable("This session is still starting");
    return { ...record, browserId: record.browserId };
  }

  #write(record: SessionRecord): void {
    this.#record = record;
    this.#storage.writeRecord(record);
  }

  get #identity() {
    return { session_id: this.#record?.id, organization_id: this.#record?.organizationId };
  }

  get #settings(): Settings {
    return readSettings(this.env);
  }

  get #database(): Database {
    return openDatabase(this.env.DB);
  }
}

/** Waits for all, also when one fails, so that nothing is still under way when its undoing begins. */
async function allDone(works: Promise<unknown>[]): Promise<void> {
  for (const result of await Promise.allSettled(works)) {
    if (result.status === "rejected") throw result.reason;
  }
}

/** What a caller is told about a start that failed. */
function toStartError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  if (error instanceof BrowserUnavailableError) {
    const code = error.kind === "limit" ? "too_many_requests" : "service_unavailable";
    return new ServiceError(code, error.message, {
      retryAfterSeconds: error.retryAfterSeconds,
      cause: error,
    });
  }
  return serviceUnavailable("The browser could not be started", 5, error);
}

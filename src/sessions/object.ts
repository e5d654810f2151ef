import { DurableObject } from "cloudflare:workers";
import { Deadlines } from "../alarms/deadlines.ts";
import { type DevToolsDocument, readDevToolsDocument } from "../browser/binding.ts";
import type { Viewport } from "../browser/viewport.ts";
import { withinTime } from "../common/concurrency.ts";
import { badRequest, notFound, ServiceError, serviceUnavailable } from "../common/errors.ts";
import { logError } from "../common/log.ts";
import { type Outcome, settle, unwrap } from "../common/outcome.ts";
import { readSettings, type Settings } from "../common/settings.ts";
import type { SessionComputer } from "../computer/session-computer.ts";
import { type Database, openDatabase } from "../database/client.ts";
import { toErrorResponse } from "../http/wire-error.ts";
import type { CallerReach } from "../organizations/reach.ts";
import { type AddressGrant, REVOKED, requireActive, requireReachable } from "./access.ts";
import { SessionConnections } from "./connections/connections.ts";
import { HeldUse, type SessionRun } from "./connections/run.ts";
import type { EndReason } from "./end-reason.ts";
import { SessionContext } from "./lifecycle/context.ts";
import { SessionEnd } from "./lifecycle/end.ts";
import { idleSinceAfterRestart } from "./lifecycle/inactivity.ts";
import { SessionLaunch } from "./lifecycle/launch.ts";
import { type ReturnedSession, SessionLeases } from "./lifecycle/lease.ts";
import { longestPingInterval } from "./lifecycle/ping-interval.ts";
import { SessionStartup } from "./lifecycle/start.ts";
import {
  type Lease,
  type SessionRecord,
  type SessionReferences,
  type SessionStart,
  SessionStorage,
} from "./record.ts";
import { removeUnstartedSession } from "./store.ts";

const NO_ANSWER = "The session's browser does not answer";

/** How long a client waits for the session's own connection to its browser. */
const CONNECT_WAIT_MS = 5000;

/** Who has a session, pooled ones under a lease. */
interface LeaseHolder extends CallerReach {
  lease: number | undefined;
}

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
  readonly #context: SessionContext;
  readonly #startup: SessionStartup;
  readonly #leases: SessionLeases;
  readonly #sessionEnd: SessionEnd;
  #connections: SessionConnections;
  #record: SessionRecord | undefined;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#storage = new SessionStorage(ctx.storage);
    this.#deadlines = new Deadlines(ctx.storage);
    this.#record = this.#storage.readRecord();
    this.#connections = this.#newConnections();
    this.#context = new SessionContext({
      env,
      connections: () => this.#connections,
      storage: this.#storage,
      readRecord: () => this.#record,
      writeRecord: (record) => this.#write(record),
      identify: () => this.#identity,
    });
    this.#startup = new SessionStartup({
      env,
      deadlines: this.#deadlines,
      launch: new SessionLaunch({
        env,
        connections: () => this.#connections,
        context: this.#context,
        writeRecord: (record) => this.#write(record),
      }),
      connections: () => this.#connections,
      readRecord: () => this.#record,
      writeRecord: (record) => this.#write(record),
      becomeActive: (record) => this.#becomeActive(record),
      becomeIdle: (record) => this.#becomeIdle(record),
      forget: () => this.#forget(),
      waitUntil: (work) => this.ctx.waitUntil(work),
      identify: () => this.#identity,
    });
    this.#sessionEnd = new SessionEnd({
      env,
      storage: this.#storage,
      deadlines: this.#deadlines,
      connections: () => this.#connections,
      readRecord: () => this.#record,
      writeRecord: (record) => this.#write(record),
      identify: () => this.#identity,
    });
    this.#leases = new SessionLeases({
      env,
      readRecord: () => this.#record,
      writeRecord: (record) => this.#write(record),
      connections: () => this.#connections,
      context: this.#context,
      renewConnections: () => {
        this.#connections = this.#newConnections();
      },
      becomeActive: (record) => this.#becomeActive(record),
      becomeIdle: (record) => this.#becomeIdle(record),
      identify: () => this.#identity,
    });
    if (this.#record !== undefined) this.#resume(this.#record);
  }

  /**
   * Launches and prepares the session's browser and makes the session active. When anything fails, the browser
   * is closed, every trace of the session removed, and the failure told.
   */
  start(start: SessionStart): Promise<Outcome<void>> {
    return this.#startup.begin(start);
  }

  /**
   * Waits for the session's start, where it is under way. Succeeds when the session may be handed out: it has
   * started and has not ended.
   */
  async whenUsable(): Promise<Outcome<void>> {
    return settle(async () => {
      unwrap(await this.#startup.untilKnown());
      await this.#requireUsable();
    });
  }

  /** Ends the session; 404 when it is not within the caller's reach or has ended. */
  async end(caller: CallerReach, reason: EndReason): Promise<Outcome<void>> {
    return settle(async () => {
      // A caller that sees a session may see it a moment before its start, or after its end, is through here.
      await this.#startup.whenThrough();
      await this.#sessionEnd.whenThrough();
      requireActive(this.#record, caller);
      await this.#sessionEnd.begin(reason);
    });
  }

  /**
   * Hands an idle session of a pool to whoever acquired it. False when it cannot be used: it is not idle, or its browser
   * does not answer.
   */
  lease(lease: Lease): Promise<boolean> {
    return this.#leases.begin(lease);
  }

  /**
   * Ends a lease and makes the session ready for the next one: what the lease had connected or running is ended, and
   * its addresses are dead from the first moment on. The browser's tabs and cookies stay. Doing it again finishes what
   * a crash has left.
   *
   * @returns how the session is now; undefined when it has ended.
   * @throws when a part of it fails: then it is not ready yet.
   */
  async returnToPool(lease: number): Promise<ReturnedSession | undefined> {
    try {
      return await this.#leases.end(lease);
    } catch (error) {
      // What the pool's browsers are to have is not to be had any more, and trying again would not mend that.
      if (!(error instanceof ServiceError)) throw error;
      logError("lease_not_ended", error, this.#identity);
      await this.#sessionEnd.begin("discarded");
      return undefined;
    }
  }

  /**
   * Ends a session of a pool, whether it is leased or not.
   *
   * @returns whether its browser is gone; what is left of the end is tried again by the alarm.
   */
  async retire(reason: EndReason): Promise<boolean> {
    await this.#startup.whenThrough();
    await this.#startup.undoCrashed();
    await this.#sessionEnd.begin(reason);
    return this.#record === undefined || (this.#record.phase === "ended" && !this.#record.browserId);
  }

  /** Whether a session of a pool, once its start is through, waits there. */
  async isIdle(): Promise<boolean> {
    await this.#startup.whenThrough();
    return this.#record?.phase === "idle";
  }

  /**
   * Brings a session that the sweep wonders about in order: one whose browser is gone ends, one that never began
   * or crashed at its start is removed, and one that has ended finishes its cleaning up.
   */
  async reconcile(sessionId: string): Promise<void> {
    switch (this.#record?.phase) {
      case undefined:
        return removeUnstartedSession(this.#database, sessionId);
      case "starting":
        return this.#startup.undoCrashed();
      case "idle":
      case "active":
        return this.#connections.watch.check();
      case "ended":
        return this.#sessionEnd.cleanUp();
    }
  }

  /** The session's mouse, keyboard and screen. Each of its commands is refused unless the session is within the caller's reach. */
  computer(caller: CallerReach): SessionComputer {
    const requireUsable = async () => {
      await this.#startup.whenThrough();
      requireActive(this.#record, caller);
    };
    return this.#connections.control.computerFor(requireUsable, () => this.#connections.watch.checkSoon());
  }

  /**
   * Lets the session's machine begin, from when on the session ends it. Called by the machine at its first use; 404
   * when the session is not within the caller's reach or has ended.
   *
   * @returns the invocation that the session belongs to; null: none.
   */
  async openMachine(caller: CallerReach): Promise<Outcome<string | null>> {
    return settle(async () => {
      await this.#startup.whenThrough();
      const record = { ...requireActive(this.#record, caller), hasMachine: true };
      this.#write(record);
      this.#connections.activity.touch();
      return record.invocationId;
    });
  }

  /** Notes that the machine is used now. @returns whether there is a session still. */
  touchByMachine(): boolean {
    if (this.#record?.phase !== "active") return false;
    this.#connections.activity.touch();
    return true;
  }

  /**
   * Lets code of the caller's run beside the browser until the use that is returned ends; 404 when the session is not
   * within the caller's reach or has ended, 429 while too much runs there.
   */
  async beginRun(caller: CallerReach): Promise<Outcome<SessionRun>> {
    return settle(async () => {
      await this.#startup.whenThrough();
      const { id: sessionId, lease, urlGeneration: generation } = requireActive(this.#record, caller);
      const { id: runId, end } = this.#connections.clients.beginRun();
      return { sessionId, grant: { lease, generation }, runId, use: new HeldUse(end) };
    });
  }

  /** The session's id, and what a new address of it is good for, where the caller may have its live view looked at. */
  async requireLiveView(caller: CallerReach): Promise<Outcome<{ sessionId: string; grant: AddressGrant }>> {
    return settle(() => {
      const { id, lease, urlGeneration, headless } = requireActive(this.#record, caller);
      if (headless) throw badRequest({ field: "", message: "a headless session has no live view" });
      this.#connections.activity.touch();
      return { sessionId: id, grant: { lease, generation: urlGeneration } };
    });
  }

  /**
   * Gives the browser's windows another size; 404 when the session, or the lease, is not this caller's or has ended, 409
   * while somebody looks at the live view, unless forced.
   */
  async resize(caller: LeaseHolder, viewport: Viewport, force: boolean): Promise<Outcome<void>> {
    return settle(async () => {
      if (requireActive(this.#record, caller).lease !== caller.lease) throw notFound("browser session");
      const connections = this.#connections;
      const write = () => {
        // The lease may be over, and another one have begun.
        if (connections !== this.#connections) throw notFound("browser session");
        this.#write({ ...requireActive(this.#record, caller), viewport });
      };
      await connections.control.resize(viewport, { force, write }).catch((error) => {
        if (error instanceof ServiceError) throw error;
        connections.watch.checkSoon();
        throw serviceUnavailable(NO_ANSWER, 1, error);
      });
    });
  }

  /**
   * Gives the session another proxy, or a profile where it has none; 404 when the session, or the lease, is not this
   * caller's or has ended, 409 when it has a profile.
   */
  async changeReferences(caller: LeaseHolder, change: Partial<SessionReferences>): Promise<Outcome<void>> {
    return settle(async () => {
      if (requireActive(this.#record, caller).lease !== caller.lease) throw notFound("browser session");
      const { watch } = this.#connections;
      try {
        await this.#context.change(change);
      } catch (error) {
        if (error instanceof ServiceError) throw error;
        requireActive(this.#record, caller);
        watch.checkSoon();
        throw serviceUnavailable("The session's browser did not take the whole change; try again", 1, error);
      }
    });
  }

  /**
   * Makes the session's addresses of earlier generations useless, and ends the connections that were made with them.
   * Called until it succeeds.
   */
  revokeURLs(generation: number): void {
    const record = this.#record;
    if (record === undefined || record.phase === "ended" || record.urlGeneration >= generation) return;
    this.#write({ ...record, urlGeneration: generation });
    this.#connections.closeAll(REVOKED);
  }

  /** A document of the session's DevTools server, as JSON text. Whoever calls has checked the token. */
  async readDevToolsDocument(document: DevToolsDocument, grant: AddressGrant): Promise<Outcome<string>> {
    return settle(async () => {
      const { browserId } = requireReachable(this.#record, grant);
      return readDevToolsDocument(this.env.BROWSER, browserId, document).catch((error) => {
        throw serviceUnavailable(NO_ANSWER, 1, error);
      });
    });
  }

  /**
   * Opens a client's DevTools socket: to the browser, or to the page in a path `/devtools/page/{id}`; or a
   * viewer's socket, at `/live/control` or `/live/watch`. Whoever calls has checked the token; what it is good
   * for, and the run of code that is the client, are in the query.
   */
  override async fetch(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    const lease = searchParams.get("lease");
    const runId = searchParams.get("run") ?? undefined;
    const connections = this.#connections;
    const pageId = /^\/devtools\/page\/([^/]+)$/.exec(pathname)?.[1];
    const outcome = await settle(async () => {
      const generation = Number(searchParams.get("generation"));
      const { browserId, headless } = requireReachable(this.#record, {
        lease: lease === null ? undefined : Number(lease),
        generation,
      });
      if (pathname.startsWith("/live/")) {
        if (headless) throw notFound("live view of this headless session");
        return connections.control.connectViewer(pathname === "/live/control" ? "control" : "watch");
      }
      // An object that was restarted has no connection of its own: new pages would get no size, stealth or scripts.
      const connected = connections.browser.connect();
      await withinTime(
        connected.catch(() => undefined),
        CONNECT_WAIT_MS,
      );
      // Without one, nothing keeps what pages do from going around a proxy.
      if (this.#record?.mainContext?.proxy !== undefined)
        await this.#requireConnected(connections, connected);
      await connections.browser.connected?.shown;
      try {
        const { clientIdleMs: idleMs, maxDevToolsConnections: maxClients } = this.#settings;
        return await connections.clients.connect(
          { browserId, pageId, runId, generation },
          { idleMs, maxClients },
        );
      } catch (error) {
        connections.watch.checkSoon();
        throw error;
      }
    });
    return outcome.ok ? outcome.value : toErrorResponse(ServiceError.fromRecord(outcome.error));
  }

  async #requireConnected(connections: SessionConnections, connected: Promise<unknown>): Promise<void> {
    await connected.catch((error) => {
      connections.watch.checkSoon();
      throw serviceUnavailable(NO_ANSWER, 1, error);
    });
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
        return this.#startup.undoCrashed();
      case "inactivity":
        return this.#endIfInactive();
      case "lifetime":
        return this.#sessionEnd.begin("lifetime");
      case "ping":
        return this.#connections.watch.ping();
      case "clean-up":
        return this.#sessionEnd.cleanUp();
      case "tombstone":
        return this.#forget();
    }
  }

  #newConnections(): SessionConnections {
    return new SessionConnections({
      env: this.env,
      storage: this.#storage,
      deadlines: this.#deadlines,
      readRecord: () => this.#record,
      onLost: () => this.#sessionEnd.begin("browser_lost"),
      waitUntil: (work) => this.ctx.waitUntil(work),
      identify: () => this.#identity,
    });
  }

  /** Takes up, after a restart, what the object before this one left. */
  #resume(record: SessionRecord): void {
    if (record.phase === "active") {
      const idleSince = idleSinceAfterRestart(this.#storage.readActivity(), Date.now());
      this.#storage.writeActivity({ idleSince });
    }
    if (record.move !== undefined && record.phase !== "ended") {
      const finishing = this.#context.finishMove();
      this.ctx.waitUntil(finishing.catch((error) => logError("move_not_finished", error, this.#identity)));
    }
    this.#startup.takeUp(record);
  }

  /** Waits in its pool: for as long as it takes, as nobody's. */
  async #becomeIdle(record: SessionRecord): Promise<void> {
    this.#write(record);
    await this.#deadlines.replace({ ping: Date.now() + this.#pingIntervalMs });
  }

  async #becomeActive(record: SessionRecord): Promise<void> {
    const now = Date.now();
    const { maxSessionMs } = this.#settings;
    this.#write(record);
    this.#connections.activity.touch();
    await this.#deadlines.replace({
      inactivity: now + record.timeoutMs,
      ping: now + this.#pingIntervalMs,
      ...(maxSessionMs === 0 ? {} : { lifetime: now + maxSessionMs }),
    });
  }

  async #forget(): Promise<void> {
    this.#record = undefined;
    await this.#storage.removeEverything();
  }

  async #endIfInactive(): Promise<void> {
    const record = this.#record;
    if (record?.phase !== "active") return;
    const now = Date.now();
    const expiresAt = this.#connections.activity.expiresAt(record.timeoutMs) ?? now + record.timeoutMs;
    if (expiresAt > now) await this.#deadlines.set({ inactivity: expiresAt });
    else await this.#sessionEnd.begin("inactivity");
  }

  /** An ended session whose index says otherwise is on its way there: the caller that found it waits no more. */
  async #requireUsable(): Promise<void> {
    if (this.#record?.phase === "active") return;
    await this.#sessionEnd.whenThrough();
    await this.#sessionEnd.cleanUp();
    throw serviceUnavailable("This session has just ended; try again");
  }

  #write(record: SessionRecord): void {
    // This record may have been read before the URLs were revoked.
    const urlGeneration = Math.max(record.urlGeneration, this.#record?.urlGeneration ?? 0);
    this.#record = { ...record, urlGeneration };
    this.#storage.writeRecord(this.#record);
  }

  get #identity() {
    return { session_id: this.#record?.id, organization_id: this.#record?.organizationId };
  }

  get #pingIntervalMs(): number {
    return longestPingInterval(this.#settings.browserKeepAliveMs);
  }

  get #settings(): Settings {
    return readSettings(this.env);
  }

  get #database(): Database {
    return openDatabase(this.env.DB);
  }
}

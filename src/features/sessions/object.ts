import { DurableObject } from "cloudflare:workers";
import { badRequest, ServiceError } from "../../lib/common/errors.ts";
import { logError } from "../../lib/common/log.ts";
import { type Outcome, settle, unwrap } from "../../lib/common/outcome.ts";
import type { ReplayRow } from "../../lib/database/schema/replays.ts";
import type { Viewport } from "../../platform/browser/index.ts";
import type { MachineChoice } from "../machine/index.ts";
import type { CallerReach } from "../organizations/index.ts";
import type { RecordingStart } from "../recordings/index.ts";
import type { EventPage, EventQuery, TelemetryConfig, TelemetryRequest } from "../telemetry/index.ts";
import type { WebDriverAnswer, WebDriverRequest, WebDriverSettings } from "../webdriver/index.ts";
import { idleSinceAfterRestart } from "./activity.ts";
import { CurrentConnections } from "./connections/connections.ts";
import type { HandoffCall } from "./connections/handoffs.ts";
import { SessionComputer } from "./connections/session-computer.ts";
import { RemoteUse, type SessionRun } from "./connections/session-run.ts";
import { describeLoss, type EndReason } from "./end-reason.ts";
import { SessionBrowserContext } from "./lifecycle/browser-context.ts";
import { type LeaseHolder, SessionChanges } from "./lifecycle/changes.ts";
import { serveDeadline } from "./lifecycle/deadline-work.ts";
import { SessionEnd } from "./lifecycle/end.ts";
import { type ReturnedSession, SessionLeases } from "./lifecycle/lease.ts";
import { SessionStarter, type UnlistedSession } from "./lifecycle/start.ts";
import { type APICall, SessionObservation } from "./observation.ts";
import type { Lease, SessionRecord, SessionReferences, SessionStart } from "./record.ts";
import { type AddressGrant, REVOKED, requireActive, requireReachable } from "./require-access.ts";
import { SessionSockets } from "./sockets.ts";
import { SessionState } from "./state.ts";
import { removeUnstartedSession } from "./store.ts";

/** A session, named by its id. It owns the browser, all clients' connections and the alarm for time-outs. */
export class BrowserSession extends DurableObject<Env> {
  readonly #state: SessionState;
  readonly #connections: CurrentConnections;
  readonly #context: SessionBrowserContext;
  readonly #changes: SessionChanges;
  readonly #starter: SessionStarter;
  readonly #leases: SessionLeases;
  readonly #end: SessionEnd;
  readonly #observation: SessionObservation;
  readonly #sockets: SessionSockets;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    const state = new SessionState(ctx, env);
    const connections = new CurrentConnections(state, {
      onLost: ({ failure, closeReason }) =>
        this.#end.begin("browser_lost", { details: describeLoss(failure, closeReason), closeReason }),
      onUnused: () => this.#sockets.endIfUnused(),
    });
    const context = new SessionBrowserContext(state, connections);
    this.#state = state;
    this.#connections = connections;
    this.#context = context;
    this.#changes = new SessionChanges(state, connections, context);
    this.#starter = new SessionStarter(state, connections, context);
    this.#leases = new SessionLeases(state, connections, context);
    this.#end = new SessionEnd(state, connections);
    this.#observation = new SessionObservation(state, connections);
    this.#sockets = new SessionSockets(state, this.#parts);
    if (state.record !== undefined) this.#resume(state.record);
  }

  /**
   * On failure the browser is closed and every trace of the session is removed.
   *
   * @param unlisted absent: the session has a row in state `starting`.
   */
  start(start: SessionStart, unlisted?: UnlistedSession): Promise<Outcome<void>> {
    return this.#starter.start(start, unlisted);
  }

  /** Abandons a start because its caller has gone. */
  giveUp(): Promise<void> {
    return this.#starter.giveUp();
  }

  /** Waits for a running start. */
  async whenUsable(): Promise<Outcome<void>> {
    return settle(async () => {
      unwrap(await this.#starter.join());
      await this.#end.requireUsable();
    });
  }

  /** @param apiKeyId of the request. @throws 404 if it has ended or is not within the caller's reach. */
  async end(caller: CallerReach, reason: EndReason, apiKeyId: string | null = null): Promise<Outcome<void>> {
    return settle(async () => {
      // Lists show a session shortly before its start returns and until its end is complete.
      await this.#starter.leaveQueue();
      await this.#starter.settled();
      await this.#end.settled();
      requireActive(this.#state.record, caller);
      await this.#end.begin(reason, { apiKeyId });
    });
  }

  /** Leases an idle pooled session. @returns false if it is not idle or its browser does not answer. */
  lease(lease: Lease): Promise<boolean> {
    return this.#leases.begin(lease);
  }

  /**
   * Ends a lease: first its URLs become invalid, then its connections and processes end. The browser keeps
   * its tabs and cookies. After a failure, another call finishes the work.
   *
   * @returns the session's properties; undefined when it has ended.
   * @throws when it is not ready yet.
   */
  async returnToPool(lease: number): Promise<ReturnedSession | undefined> {
    try {
      return await this.#leases.end(lease);
    } catch (error) {
      // The pool's proxy or profile is gone, which a retry would not change.
      if (!(error instanceof ServiceError)) throw error;
      logError("lease_not_ended", error, this.#state.identity);
      await this.#end.begin("discarded");
      return undefined;
    }
  }

  /**
   * Ends a session in any phase, even one that is idle in its pool. The alarm retries what fails.
   *
   * @param endedBy the API key that asks for it, or the operator.
   * @returns whether the browser is gone.
   */
  async retire(reason: EndReason, endedBy: string | null = null): Promise<boolean> {
    await this.#starter.leaveQueue();
    await this.#starter.settled();
    await this.#starter.undoCrashed();
    await this.#end.begin(reason, { apiKeyId: endedBy });
    await this.#end.cleanUp().catch(() => undefined);
    const { record } = this.#state;
    return record === undefined || (record.phase === "ended" && !record.browserId);
  }

  async isIdle(): Promise<boolean> {
    await this.#starter.settled();
    return this.#state.record?.phase === "idle";
  }

  /** Ends a session whose browser is gone, removes one that never started, cleans up one that has ended. */
  async reconcile(sessionId: string): Promise<void> {
    switch (this.#state.record?.phase) {
      case undefined:
        return removeUnstartedSession(this.#state.database, sessionId);
      case "starting":
        return this.#starter.undoCrashed();
      case "idle":
      case "active":
        return this.#connections.current.watch.check();
      case "ended":
        return this.#end.cleanUp();
    }
  }

  /** Every command checks that the session is within the caller's reach. */
  computer(caller: CallerReach): SessionComputer {
    return new SessionComputer(this.#connections.current, async () => {
      await this.#starter.settled();
      requireActive(this.#state.record, caller);
    });
  }

  /**
   * Called by the session's machine at its first use. From then on the session's end also ends the machine.
   *
   * @returns the invocation that the session belongs to, and which machine it has.
   * @throws 404 when the session has ended or is not within the caller's reach.
   */
  async openMachine(caller: CallerReach): Promise<Outcome<MachineChoice>> {
    return settle(async () => {
      await this.#starter.settled();
      const record = { ...requireActive(this.#state.record, caller), hasMachine: true };
      this.#state.write(record);
      this.#connections.current.activity.touch();
      const { invocationId, machine = "simulated", region, lease = null } = record;
      return { invocationId, machine, region, lease };
    });
  }

  /** Whether the machine of a lease is still in use. @param lease empty for a session without a pool. */
  hasMachine(lease: string): boolean {
    const { record } = this.#state;
    const isCurrent = record?.phase === "active" && String(record.lease ?? "") === lease;
    return isCurrent && record.hasMachine === true;
  }

  /** Keeps the session active. @returns whether the session still exists. */
  touchByMachine(): boolean {
    if (this.#state.record?.phase !== "active") return false;
    this.#connections.current.activity.touch();
    return true;
  }

  /**
   * Keeps the session in use until the returned `use` ends.
   *
   * @throws 404 when the session has ended or is not within the caller's reach, 429 when too many runs are
   * active.
   */
  async beginRun(caller: CallerReach): Promise<Outcome<SessionRun>> {
    return settle(async () => {
      await this.#starter.settled();
      const { id: sessionId, lease, urlGeneration: generation } = requireActive(this.#state.record, caller);
      const { id: runId, end } = this.#connections.current.clients.beginRun();
      return { sessionId, grant: { lease, generation }, runId, use: new RemoteUse(end) };
    });
  }

  async requireLiveView(caller: CallerReach): Promise<Outcome<{ sessionId: string; grant: AddressGrant }>> {
    return settle(() => {
      const { id, lease, urlGeneration, headless } = requireActive(this.#state.record, caller);
      if (headless) throw badRequest({ field: "", message: "a headless session has no live view" });
      this.#connections.current.activity.touch();
      return { sessionId: id, grant: { lease, generation: urlGeneration } };
    });
  }

  /** A small picture of the tab in front, unless a handoff pauses agents. Asking for it is no activity. */
  async readThumbnail(caller: CallerReach): Promise<Outcome<Uint8Array<ArrayBuffer> | undefined>> {
    return settle(async () => {
      requireActive(this.#state.record, caller);
      const { snapshots, handoffs } = this.#connections.current;
      const picture = await snapshots.readThumbnail();
      return handoffs.pausesAgent ? undefined : picture;
    });
  }

  /** Makes, reads, awaits or withdraws requests to people; see `SessionHandoffs`. */
  callHandoffs(caller: CallerReach, call: HandoffCall) {
    return settle(async () => {
      const access = unwrap(await this.requireLiveView(caller));
      return { ...access, handoffs: await this.#connections.current.handoffs.serve(call) };
    });
  }

  /**
   * Begins a recording; see `SessionRecordings`.
   *
   * @throws 400 in a headless session, 404 when the session has ended or is not within the caller's reach.
   */
  async startRecording(
    caller: CallerReach,
    options: Pick<RecordingStart, "framerate" | "maxDurationMs">,
  ): Promise<Outcome<{ replay: ReplayRow; generation: number }>> {
    return settle(async () => {
      const { id, organizationId, projectId, headless } = requireActive(this.#state.record, caller);
      if (headless) throw badRequest({ field: "", message: "a headless session cannot be recorded" });
      const { activity, recordings } = this.#connections.current;
      using _use = activity.begin();
      const scope = { sessionId: id, organizationId, projectId };
      const replay = await recordings.start({ ...options, ...scope });
      return { replay, generation: requireActive(this.#state.record, caller).urlGeneration };
    });
  }

  /** Ends a recording of this session. Ending it again changes nothing. */
  async stopRecording(caller: CallerReach, replayId: string): Promise<Outcome<void>> {
    return settle(async () => {
      requireActive(this.#state.record, caller);
      await this.#connections.current.recording.stop(replayId);
    });
  }

  /** @throws 404 when the session or lease has ended, 409 while the live view has viewers, unless forced. */
  async resize(caller: LeaseHolder, viewport: Viewport, force: boolean): Promise<Outcome<void>> {
    return settle(() => this.#changes.resize(caller, viewport, force));
  }

  /**
   * Replaces the session's proxy, or sets a profile if it has none.
   *
   * @throws 404 when the session or the lease has ended, 409 when it already has a profile.
   */
  async changeReferences(caller: LeaseHolder, change: Partial<SessionReferences>): Promise<Outcome<void>> {
    return settle(() => this.#changes.changeReferences(caller, change));
  }

  /** Invalidates URLs of earlier generations and closes their connections. Called until it succeeds. */
  revokeURLs(generation: number): void {
    const record = this.#state.record;
    if (record === undefined || record.phase === "ended" || record.urlGeneration >= generation) return;
    this.#state.write({ ...record, urlGeneration: generation });
    this.#connections.current.closeAll(REVOKED, "link");
  }

  /** How often the URLs of the session were revoked; also works after its end. */
  readURLGeneration(): number {
    return this.#state.record?.urlGeneration ?? 0;
  }

  /** The platform's id of the browser. The caller has checked the token. */
  async readBrowserId(grant: AddressGrant): Promise<Outcome<string>> {
    return settle(() => requireReachable(this.#state.record, grant).browserId);
  }

  /** Whose the session is. The caller has checked the token. */
  async readReach(grant: AddressGrant): Promise<Outcome<CallerReach>> {
    return settle(() => {
      const { organizationId, projectId, invocationId } = requireReachable(this.#state.record, grant);
      return { organizationId, projectId, invocationId };
    });
  }

  /** Returns those of the URLs that clients may open. */
  selectOpenable(urls: string[]): string[] {
    return urls.filter((url) => this.#connections.current.browser.mayOpen(url));
  }

  /** Begins a session of WebDriver classic. @returns its capabilities, as JSON. */
  async beginWebDriver(grant: AddressGrant, settings: WebDriverSettings): Promise<Outcome<string>> {
    return settle(async () => (await this.#sockets.prepareForClient(grant)).webDriver.beginClassic(settings));
  }

  /** Runs a command of WebDriver classic. The caller has checked the token. */
  async runWebDriver(grant: AddressGrant, request: WebDriverRequest): Promise<Outcome<WebDriverAnswer>> {
    return settle(async () => {
      const { webDriver } = await this.#sockets.prepareForClient(grant);
      return webDriver.handleClassic(request, () => requireReachable(this.#state.record, grant));
    });
  }

  async endWebDriver(grant: AddressGrant): Promise<Outcome<void>> {
    return settle(async () => {
      requireReachable(this.#state.record, grant);
      await this.#end.begin("deleted");
    });
  }

  // SessionObservation describes these.

  recordCall(caller: CallerReach, call: APICall): void {
    this.#observation.recordCall(caller, call);
  }

  readEvents(caller: CallerReach, query: EventQuery): Promise<Outcome<EventPage>> {
    return settle(() => this.#observation.readEvents(caller, query));
  }

  readScreenshot(caller: CallerReach): Uint8Array<ArrayBuffer> | undefined {
    return this.#observation.readScreenshot(caller);
  }

  followEvents(caller: CallerReach, after: number | undefined): Promise<Outcome<ReadableStream<Uint8Array>>> {
    return settle(async () => {
      await this.#starter.settled();
      return this.#observation.followEvents(caller, after);
    });
  }

  streamLog(
    caller: CallerReach,
    options: { process: string; follows: boolean },
  ): Promise<Outcome<ReadableStream<Uint8Array>>> {
    return settle(async () => {
      await this.#starter.settled();
      return this.#observation.streamLog(caller, options);
    });
  }

  configureTelemetry(
    caller: LeaseHolder,
    request: TelemetryRequest | null,
  ): Promise<Outcome<TelemetryConfig>> {
    return settle(() => this.#observation.configure(caller, request));
  }

  /**
   * Opens a DevTools socket to the browser or to the page in `/devtools/page/{id}`, a WebDriver BiDi socket
   * at `/webdriver`, or at `/webdriver/begun` for the session that `POST /session` began, or a viewer's
   * socket at `/live/control` or `/live/watch`, or serves a viewer's file at `/files`. The caller has checked
   * the token; the query has its grant and the client's run.
   */
  override fetch(request: Request): Promise<Response> {
    return this.#sockets.serve(request);
  }

  override async alarm(): Promise<void> {
    const state = this.#state;
    await state.deadlines.run(
      (kind) => serveDeadline(state, this.#parts, kind),
      (kind, error) => logError("session_deadline_failed", error, { ...state.identity, deadline: kind }),
    );
  }

  get #parts() {
    return { connections: this.#connections, starter: this.#starter, end: this.#end };
  }

  #resume(record: SessionRecord): void {
    const state = this.#state;
    if (record.phase === "active") {
      const idleSince = idleSinceAfterRestart(state.storage.readActivity(), Date.now());
      state.storage.writeActivity({ idleSince });
      this.#connections.current.activityRow.restore();
    }
    if (record.move !== undefined && record.phase !== "ended") {
      state.inBackground("move_not_finished", this.#context.finishMove());
    }
    const { recordings, recording } = this.#connections.current;
    recordings.finishEndedSoon();
    recording.begin();
    this.#starter.resume(record);
    this.#sockets.endIfUnused();
  }
}

import { resolveWithin } from "../../../lib/common/concurrency.ts";
import { notFound, ServiceError, serviceUnavailable } from "../../../lib/common/errors.ts";
import { HUNG_TABS_HEADER, type HungTab, presentHungTabs } from "../../../lib/common/hung-tabs.ts";
import { logError, logEvent } from "../../../lib/common/log.ts";
import { bindingOf } from "../../../platform/broker/index.ts";
import {
  BrowserUnavailableError,
  ClientContexts,
  ClientFiles,
  closeSocket,
  openDevToolsSocket,
  Relay,
  readDevToolsDocument,
  serveShownTab,
  showsTab,
} from "../../../platform/browser/index.ts";
import { REVOKED } from "../require-access.ts";
import type { SessionBrowser } from "./browser.ts";
import type { ConnectionScope } from "./scope.ts";

/** Each run takes memory that all code of the local runtime shares. */
const MAX_RUNS = 10;

const PING_TIMEOUT_MS = 2000;

const RUN_ENDED = "the run of this code has ended";

/** The reasons of the Kernel SDK. */
const DISCONNECT_REASONS = {
  client: "client_close",
  browser: "upstream_error",
  relay: "context_cancelled",
};

export interface ClientTarget {
  browserId: string;
  /** Absent: the whole browser. */
  pageId?: string;
  /** The generation of the URL that the client connected with. */
  generation: number;
  /** Present if the client is a run of code; see {@link SessionClients.beginRun}. */
  runId?: string;
  /** The client does not see tabs that do not respond now; a header of the response lists them. */
  skipsHungTabs?: boolean;
  /** The connection does not keep the session in use; its commands do. */
  isPassive?: boolean;
}

export interface ClientsListener {
  /** Called when a client has connected or disconnected. */
  onCount: () => void;
  /** Called when the last client has gone. */
  onUnused: () => void;
}

/** The DevTools clients of a session: one relay and one use of the session for each. */
export class SessionClients {
  readonly #scope: ConnectionScope;
  readonly #browser: SessionBrowser;
  readonly #relays = new Set<Relay>();
  /** Clients whose sockets to the browser are being opened. */
  #connecting = 0;
  readonly #runs = new Map<string, Set<Relay>>();
  readonly #listener: ClientsListener;

  constructor(scope: ConnectionScope, browser: SessionBrowser, listener: ClientsListener) {
    this.#scope = scope;
    this.#browser = browser;
    this.#listener = listener;
  }

  get count(): number {
    return this.#relays.size;
  }

  /** Whether there is no client, not even one whose socket is being opened. */
  get isEmpty(): boolean {
    return this.#relays.size + this.#connecting === 0;
  }

  /**
   * Begins a run of code beside the browser, which keeps the session in use. When the run ends, its
   * connections are closed and it gets no new ones.
   *
   * @throws ServiceError 429 at the limit of concurrent runs.
   */
  beginRun(): { id: string; end: Disposable } {
    if (this.#runs.size >= MAX_RUNS) {
      const message = `This session already runs ${MAX_RUNS} pieces of code at once`;
      throw new ServiceError("too_many_requests", message, { retryAfterSeconds: 1 });
    }
    const id = crypto.randomUUID();
    const use = this.#scope.activity.begin();
    this.#runs.set(id, new Set());
    const end = () => {
      const relays = this.#runs.get(id) ?? [];
      this.#runs.delete(id);
      for (const relay of relays) relay.close(1001, RUN_ENDED);
      use[Symbol.dispose]();
    };
    return { id, end: { [Symbol.dispose]: end } };
  }

  /**
   * Connects a client to the browser or to one page.
   *
   * @returns the response to its upgrade.
   * @throws ServiceError 404 for an unknown page, 410 for a run that has ended, 429 at the limit of
   * connections, 503 when the browser does not answer.
   */
  async connect(target: ClientTarget): Promise<Response> {
    const scope = this.#scope;
    const { clientIdleMs: idleMs, maxDevToolsConnections: maxClients } = scope.state.settings;
    const browser = this.#browser;
    const { runId } = target;
    const recordConnection = (type: string, data?: Record<string, unknown>) =>
      scope.state.telemetry.record({ category: "connection", type, data });
    const isRunning = () => runId === undefined || this.#runs.has(runId);
    if (!isRunning()) throw new ServiceError("gone", RUN_ENDED, { shouldRetry: false });
    if (this.#relays.size + this.#connecting >= maxClients) {
      const message = `This session already has ${maxClients} DevTools connections (MAX_DEVTOOLS_CONNECTIONS)`;
      throw new ServiceError("too_many_requests", message, { retryAfterSeconds: 1 });
    }
    const use = target.isPassive ? undefined : scope.activity.begin();
    this.#connecting += 1;
    try {
      const socket = await openDevToolsSocket(
        bindingOf(scope.state.env, target.browserId),
        target.browserId,
        target.pageId,
      ).catch((error: unknown) => this.#throwConnectError(error, target));
      if (target.pageId !== undefined && !(await this.#mayAttach(target.pageId))) {
        closeSocket(socket);
        throw notFound("page");
      }
      const hung = target.skipsHungTabs ? await this.#findHungTabs() : [];
      const { 0: answered, 1: client } = new WebSocketPair();
      client.accept();
      const openedAt = Date.now();
      const files = this.#openFiles();
      const contexts = new ClientContexts(() => browser.connect());
      const relay = new Relay({
        client,
        browser: socket,
        handler: {
          serve: async (command, ask) => {
            if (showsTab(command)) return serveShownTab(command, ask, browser.connected?.tabs);
            return contexts.serves(command) ? contexts.serve(command, ask) : files.serve(command, ask);
          },
          handleFrame: (frame) => files.handleFrame(frame),
        },
        mainContext: () => scope.record?.mainContext,
        isPrivate: (id) => browser.connected?.privateContexts.has(id) ?? false,
        mayOpen: (url) => browser.mayOpen(url),
        isSkipped: (targetId) => hung.some(({ id }) => id === targetId),
        answersOthers: () => this.#browserAnswers(),
        pageId: target.pageId,
        idleMs,
        onClosed: ({ by, code, frames }) => {
          this.#relays.delete(relay);
          if (runId !== undefined) this.#runs.get(runId)?.delete(relay);
          files.end();
          use?.[Symbol.dispose]();
          this.#listener.onCount();
          const duration_ms = Date.now() - openedAt;
          logEvent("client_disconnected", { ...scope.state.identity, by, code, duration_ms });
          const reason = DISCONNECT_REASONS[by];
          recordConnection("cdp_disconnect", { duration_ms, message_count: frames, reason });
          this.#checkUse();
        },
      });
      this.#relays.add(relay);
      this.#listener.onCount();
      if (runId !== undefined) this.#runs.get(runId)?.add(relay);
      logEvent("client_connected", scope.state.identity);
      recordConnection("cdp_connect");
      // The session or the run may have ended, or the URL been revoked, while the socket opened.
      if (scope.record?.phase !== "active") relay.close(1001, "the session ended");
      if (!isRunning()) relay.close(1001, RUN_ENDED);
      if (target.generation < (scope.record?.urlGeneration ?? 0)) relay.close(1001, REVOKED);
      const headers = hung.length === 0 ? undefined : { [HUNG_TABS_HEADER]: presentHungTabs(hung) };
      return new Response(null, { status: 101, webSocket: answered, headers });
    } catch (error) {
      use?.[Symbol.dispose]();
      throw error;
    } finally {
      this.#connecting -= 1;
      this.#checkUse();
    }
  }

  #checkUse(): void {
    if (this.isEmpty) this.#listener.onUnused();
  }

  closeAll(reason: string): void {
    for (const relay of this.#relays) relay.close(1001, reason);
  }

  /** Detaches all clients from a target that they must not control. */
  hide(targetId: string): void {
    for (const relay of this.#relays) relay.hide(targetId);
  }

  async #browserAnswers(): Promise<boolean> {
    const answered = this.#browser.connected?.ping().then(
      () => true,
      () => false,
    );
    return answered === undefined || ((await resolveWithin(answered, PING_TIMEOUT_MS)) ?? false);
  }

  async #findHungTabs(): Promise<HungTab[]> {
    const browser = await this.#browser.connect().catch(() => undefined);
    return (await browser?.tabs.findHung()) ?? [];
  }

  async #mayAttach(pageId: string): Promise<boolean> {
    const browser = await this.#browser.connect().catch(() => undefined);
    return (await browser?.mayAttach(pageId)) ?? false;
  }

  #openFiles(): ClientFiles {
    const { files, downloads, state } = this.#scope;
    return new ClientFiles({
      files,
      downloads,
      connect: () => this.#browser.connect(),
      connected: () => this.#browser.connected,
      onFailure: (error) => logError("client_files_failed", error, state.identity),
    });
  }

  async #throwConnectError(error: unknown, target: ClientTarget): Promise<never> {
    const { browserId, pageId } = target;
    if (pageId !== undefined && error instanceof BrowserUnavailableError) {
      const pages = await readDevToolsDocument(
        bindingOf(this.#scope.state.env, browserId),
        browserId,
        "list",
      ).catch(() => undefined);
      if (pages !== undefined && !pages.includes(`"${pageId}"`)) throw notFound("page");
    }
    throw serviceUnavailable("The session's browser does not answer", 1, error);
  }
}

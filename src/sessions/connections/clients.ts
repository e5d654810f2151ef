import {
  BrowserUnavailableError,
  ClientContexts,
  ClientFiles,
  openDevToolsSocket,
  Relay,
  readDevToolsDocument,
} from "../../browser/index.ts";
import { notFound, ServiceError, serviceUnavailable } from "../../common/errors.ts";
import { logError, logEvent } from "../../common/log.ts";
import { REVOKED } from "../access.ts";
import type { SessionBrowser } from "./browser.ts";
import type { ConnectionScope } from "./scope.ts";

/** Each takes its part of the memory that all of the local runtime's code shares. */
const MAX_RUNS = 10;

const RUN_ENDED = "the run of this code has ended";

export interface ClientLimits {
  /** A client without a frame either way for so long is closed. */
  idleMs: number;
  /** Clients that may be connected at once. */
  maxClients: number;
}

export interface ClientTarget {
  browserId: string;
  /** Absent: the browser as a whole. */
  pageId?: string;
  /** How often the session's URLs had been revoked when the client got its own. */
  generation: number;
  /** The run of code that the client is, where it is one; see {@link SessionClients.beginRun}. */
  runId?: string;
}

/** The DevTools clients of a session: one relay and one use of the session for each. */
export class SessionClients {
  readonly #scope: ConnectionScope;
  readonly #browser: SessionBrowser;
  readonly #relays = new Set<Relay>();
  /** Clients whose sockets to the browser are being opened. */
  #connecting = 0;
  /** The connections of each run of code that is under way. */
  readonly #runs = new Map<string, Set<Relay>>();

  constructor(scope: ConnectionScope, browser: SessionBrowser) {
    this.#scope = scope;
    this.#browser = browser;
  }

  get count(): number {
    return this.#relays.size;
  }

  /**
   * Begins a run of code beside the browser, which is a use of the session until it ends. With that its connections
   * end, whatever is still going on of the code, and it gets no other.
   *
   * @throws ServiceError 429 while as many are under way as may be.
   */
  beginRun(): { id: string; end: Disposable } {
    if (this.#runs.size >= MAX_RUNS) {
      const message = `This session runs ${MAX_RUNS} pieces of code at once, and no more`;
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
   * Connects one more client: to the browser, or to one page of it.
   *
   * @returns the answer to its upgrade.
   * @throws ServiceError 404 for a page that is not there, 410 for a run that is over, 429 while as many are connected
   * as may be, 503 when the browser does not answer.
   */
  async connect(target: ClientTarget, { idleMs, maxClients }: ClientLimits): Promise<Response> {
    const scope = this.#scope;
    const browser = this.#browser;
    const { runId } = target;
    const isUnderWay = () => runId === undefined || this.#runs.has(runId);
    if (!isUnderWay()) throw new ServiceError("gone", RUN_ENDED, { shouldRetry: false });
    if (this.#relays.size + this.#connecting >= maxClients) {
      const message = `This session has ${maxClients} DevTools connections, and no more (MAX_DEVTOOLS_CONNECTIONS)`;
      throw new ServiceError("too_many_requests", message, { retryAfterSeconds: 1 });
    }
    const use = scope.activity.begin();
    this.#connecting += 1;
    try {
      const upstream = await openDevToolsSocket(
        scope.state.env.BROWSER,
        target.browserId,
        target.pageId,
      ).catch((error: unknown) => this.#explainNoSocket(error, target));
      const { 0: client, 1: server } = new WebSocketPair();
      server.accept();
      const openedAt = Date.now();
      const files = this.#openFiles();
      const contexts = new ClientContexts(() => browser.connect());
      const relay = new Relay({
        client: server,
        upstream,
        server: {
          serve: (command, ask) =>
            contexts.serves(command) ? contexts.serve(command, ask) : files.serve(command, ask),
          hear: (frame) => files.hear(frame),
        },
        mainContext: () => scope.record?.mainContext,
        isPrivate: (id) => browser.connected?.privateContexts.has(id) ?? false,
        isOfBrowser: target.pageId === undefined,
        idleMs,
        onClosed: ({ by, code }) => {
          this.#relays.delete(relay);
          if (runId !== undefined) this.#runs.get(runId)?.delete(relay);
          files.end();
          use[Symbol.dispose]();
          logEvent("client_disconnected", {
            ...scope.state.identity,
            by,
            code,
            duration_ms: Date.now() - openedAt,
          });
        },
      });
      this.#relays.add(relay);
      if (runId !== undefined) this.#runs.get(runId)?.add(relay);
      logEvent("client_connected", scope.state.identity);
      // The session or the run may have ended, or the URL been revoked, while the socket opened.
      if (scope.record?.phase !== "active") relay.close(1001, "the session ended");
      if (!isUnderWay()) relay.close(1001, RUN_ENDED);
      if (target.generation < (scope.record?.urlGeneration ?? 0)) relay.close(1001, REVOKED);
      return new Response(null, { status: 101, webSocket: client });
    } catch (error) {
      use[Symbol.dispose]();
      throw error;
    } finally {
      this.#connecting -= 1;
    }
  }

  /** Ends every client's connection; each is told why. */
  closeAll(reason: string): void {
    for (const relay of this.#relays) relay.close(1001, reason);
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

  async #explainNoSocket(error: unknown, target: ClientTarget): Promise<never> {
    const { browserId, pageId } = target;
    if (pageId !== undefined && error instanceof BrowserUnavailableError) {
      const pages = await readDevToolsDocument(this.#scope.state.env.BROWSER, browserId, "list").catch(
        () => undefined,
      );
      if (pages !== undefined && !pages.includes(`"${pageId}"`)) throw notFound("page");
    }
    throw serviceUnavailable("The session's browser does not answer", 1, error);
  }
}

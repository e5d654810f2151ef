import { tryWithin } from "../../lib/common/concurrency.ts";
import { notFound, ServiceError, serviceUnavailable } from "../../lib/common/errors.ts";
import { settle, unwrap } from "../../lib/common/outcome.ts";
import { toErrorResponse } from "../../lib/http/wire-error.ts";
import type { CurrentConnections, SessionConnections } from "./connections/connections.ts";
import type { SessionEnd } from "./lifecycle/end.ts";
import type { SessionStarter } from "./lifecycle/start.ts";
import type { SessionRecord } from "./record.ts";
import { type AddressGrant, requireReachable } from "./require-access.ts";
import type { SessionState } from "./state.ts";

/** How long a client waits for the session's own connection to its browser. */
const CONNECT_TIMEOUT_MS = 5000;

export const NO_ANSWER = "The session's browser does not answer";

export interface SessionParts {
  connections: CurrentConnections;
  starter: SessionStarter;
  end: SessionEnd;
}

/** Opens the sockets of clients and viewers, and ends a session that exists only for them once they go. */
export class SessionSockets {
  readonly #state: SessionState;
  readonly #parts: SessionParts;
  /** Clients that are not connected yet. */
  #connecting = 0;

  constructor(state: SessionState, parts: SessionParts) {
    this.#state = state;
    this.#parts = parts;
  }

  /** See `BrowserSession.fetch`. */
  async serve(request: Request): Promise<Response> {
    const outcome = await settle(() => this.#serve(request));
    return outcome.ok ? outcome.value : toErrorResponse(ServiceError.fromRecord(outcome.error));
  }

  async #serve(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    if (searchParams.has("starting")) unwrap(await this.#parts.starter.outcome());
    const lease = searchParams.get("lease");
    const generation = Number(searchParams.get("generation"));
    const grant = { lease: lease === null ? undefined : Number(lease), generation };
    const { browserId, headless } = requireReachable(this.#state.record, grant);
    const { current } = this.#parts.connections;
    const handoff = searchParams.get("handoff") ?? undefined;
    const over = current.handoffs.shownTo(handoff);
    if (typeof over === "string") throw new ServiceError("gone", over, { shouldRetry: false });
    if (pathname.startsWith("/live/")) {
      if (headless) throw notFound("live view of this headless session");
      return current.liveView.connect(pathname === "/live/control" ? "control" : "watch", handoff);
    }
    if (pathname === "/files") return current.serveFile(request, searchParams.get("name") ?? "");
    const pageId = /^\/devtools\/page\/([^/]+)$/.exec(pathname)?.[1];
    const target = {
      browserId,
      pageId,
      runId: searchParams.get("run") ?? undefined,
      skipsHungTabs: searchParams.has("skip_hung_tabs"),
      generation,
    };
    this.#connecting += 1;
    try {
      const { clients, webDriver, watch } = await this.prepareForClient(grant);
      const isBegun = pathname === "/webdriver/begun";
      const connected = pathname.startsWith("/webdriver")
        ? webDriver.connectBidi(target, isBegun)
        : clients.connect(target);
      return await connected.catch((error) => {
        watch.checkSoon();
        throw error;
      });
    } catch (error) {
      // The session may have ended in the meantime, which explains more than a browser that does not respond.
      requireReachable(this.#state.record, grant);
      throw error;
    } finally {
      this.#connecting -= 1;
      this.endIfUnused();
    }
  }

  /** After a restart, the object must reconnect first: new pages would lack size, stealth and scripts. */
  async prepareForClient(grant: AddressGrant): Promise<SessionConnections> {
    requireReachable(this.#state.record, grant);
    const connections = this.#parts.connections.current;
    const connected = connections.browser.connect();
    await tryWithin(connected, CONNECT_TIMEOUT_MS);
    // Without a connection, nothing keeps pages from bypassing the proxy.
    if (this.#state.record?.mainContext?.proxy !== undefined) {
      await connected.catch((error) => {
        connections.watch.checkSoon();
        throw serviceUnavailable(NO_ANSWER, 1, error);
      });
    }
    await connections.browser.connected?.shown;
    return connections;
  }

  /** Ends the session or the lease if it existed only for its connections and none is left. */
  endIfUnused(): void {
    const { record } = this.#state;
    if (record?.phase !== "active" || !record.endsWithConnection) return;
    if (this.#connecting > 0 || !this.#parts.connections.current.clients.isEmpty) return;
    this.#state.inBackground("session_not_ended", this.#endUnused(record));
  }

  async #endUnused({ id, organizationId, projectId, pool, lease }: SessionRecord): Promise<void> {
    if (pool === undefined) return this.#parts.end.begin("connection_closed");
    const holder = { poolId: pool.id, organizationId, projectId };
    const poolObject = this.#state.env.BROWSER_POOL.getByName(pool.id);
    unwrap(await poolObject.release(holder, { sessionId: id, reuse: true, lease }));
  }
}

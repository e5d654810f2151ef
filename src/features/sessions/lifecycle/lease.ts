import { resolveWithin, settleAll } from "../../../lib/common/concurrency.ts";
import { logEvent } from "../../../lib/common/log.ts";
import type { Viewport } from "../../../platform/browser/index.ts";
import { machineObject } from "../../machine/index.ts";
import { DEFAULT_CONFIG } from "../../telemetry/index.ts";
import type { CurrentConnections } from "../connections/connections.ts";
import type { Lease, SessionRecord } from "../record.ts";
import { RETURNED } from "../require-access.ts";
import type { SessionState } from "../state.ts";
import type { SessionBrowserContext } from "./browser-context.ts";

/** How long the browser of an idle session may take to answer. */
const CHECK_TIMEOUT_MS = 3000;

/** A page that does not respond does not keep the browser from its next lease. */
const PREPARE_TIMEOUT_MS = 3000;

/** How long a browser may take to release pressed keys and buttons. */
const COMPUTER_CLOSE_TIMEOUT_MS = 500;

/** The properties that a session returns to after a lease. */
export type ReturnedSession = Pick<SessionRecord, "viewport" | "startURL" | "proxyId" | "profile">;

/** The leases of a pooled session, one after another. */
export class SessionLeases {
  readonly #state: SessionState;
  readonly #connections: CurrentConnections;
  readonly #context: SessionBrowserContext;

  constructor(state: SessionState, connections: CurrentConnections, context: SessionBrowserContext) {
    this.#state = state;
    this.#connections = connections;
    this.#context = context;
  }

  /** Begins a lease; false when the session cannot be used, or the lease is not newer than the last one. */
  async begin(lease: Lease): Promise<boolean> {
    const { number, startURL, telemetry, isRecorded = false, endsWithConnection = false } = lease;
    const answer = await resolveWithin(this.#connections.current.browser.check(), CHECK_TIMEOUT_MS);
    const { record } = this.#state;
    if (answer !== "alive" || record?.phase !== "idle" || number <= (record.lastLease ?? 0)) return false;
    const { current } = this.#connections;
    current.activity.touch();
    const leased = {
      startURL: startURL ?? record.startURL,
      telemetry: telemetry ?? record.telemetry,
      isRecorded,
      endsWithConnection,
      lease: number,
      lastLease: number,
    };
    await this.#state.becomeActive({ ...record, ...leased });
    current.recording.begin();
    this.#state.inBackground("telemetry_not_configured", current.browser.reconfigureTelemetry());
    if (startURL !== null) this.#connections.current.openStartURL(startURL);
    return true;
  }

  /**
   * Ends a lease, unless it has ended, and prepares the session for the next one.
   *
   * @returns the session's properties; undefined when it has ended.
   * @throws when it is not ready yet. Another call finishes the work.
   */
  async end(lease: number): Promise<ReturnedSession | undefined> {
    const state = this.#state;
    const leased = state.record;
    if (leased?.phase === "active" && leased.lease === lease) await this.#disconnect(leased);
    const { id, phase, hasMachine } = state.record ?? {};
    if (id === undefined || phase !== "idle") return undefined;
    await settleAll([
      this.#prepareForNextLease(),
      hasMachine ? machineObject(state.env, id).end() : Promise.resolve(),
    ]);
    const { record } = state;
    if (record?.phase !== "idle") return undefined;
    await state.becomeIdle({ ...record, hasMachine: false, previousViewport: undefined });
    return record;
  }

  /** Restores the proxy, a tab, and the windows' size. */
  async #prepareForNextLease(): Promise<void> {
    const browser = await this.#connections.current.browser.connect();
    await this.#context.endLease();
    await resolveWithin(browser.prepareForNextClient(), PREPARE_TIMEOUT_MS);
    const { viewport, previousViewport } = this.#state.record ?? {};
    if (viewport !== undefined && previousViewport !== undefined && !isSameSize(viewport, previousViewport)) {
      await browser.resize(viewport);
    }
  }

  /** Invalidates the lease's URLs, then closes its connections and releases pressed keys and buttons. */
  async #disconnect(record: SessionRecord): Promise<void> {
    const { viewport = record.viewport, startURL = null, telemetry = DEFAULT_CONFIG } = record.pool ?? {};
    const leased = this.#connections.current;
    const previousViewport = record.viewport;
    leased.handoffs.endAll();
    this.#state.write({
      ...record,
      phase: "idle",
      lease: undefined,
      viewport,
      startURL,
      previousViewport,
      telemetry,
      isRecorded: false,
      endsWithConnection: false,
    });
    this.#state.storage.deleteSnapshot();
    this.#connections.renew();
    logEvent("lease_ended", { ...this.#state.identity, clients: leased.clients.count });
    leased.closeAll(RETURNED, "use");
    this.#state.telemetry.endLog();
    const closing = leased.computer.close().catch(() => undefined);
    await Promise.all([resolveWithin(closing, COMPUTER_CLOSE_TIMEOUT_MS), leased.recordings.close()]);
    leased.close();
  }
}

function isSameSize(first: Viewport, second: Viewport): boolean {
  return first.width === second.width && first.height === second.height;
}

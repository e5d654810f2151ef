import type { Viewport } from "../../browser/viewport.ts";
import { allDone, withinTime } from "../../common/concurrency.ts";
import { type LogFields, logEvent } from "../../common/log.ts";
import { RETURNED } from "../access.ts";
import type { SessionConnections } from "../connections/connections.ts";
import type { Lease, SessionRecord } from "../record.ts";
import type { SessionContext } from "./context.ts";

/** How long the browser of an idle session may take to show that it lives. */
const LONGEST_CHECK_MS = 3000;

/** A page that stands still does not keep the browser from being ready. */
const LONGEST_PREPARATION_MS = 3000;

/** What a session is again when it is back in its pool. */
export type ReturnedSession = Pick<SessionRecord, "viewport" | "startURL" | "proxyId" | "profile">;

interface SessionLeasesOptions {
  env: Env;
  readRecord: () => SessionRecord | undefined;
  writeRecord: (record: SessionRecord) => void;
  connections: () => SessionConnections;
  context: SessionContext;
  /** Puts new connections in the place of those that are in use. */
  renewConnections: () => void;
  becomeActive: (record: SessionRecord) => Promise<void>;
  becomeIdle: (record: SessionRecord) => Promise<void>;
  /** Names the session in log lines. */
  identify: () => LogFields;
}

/** The leases of a session that belongs to a pool, one after the other. */
export class SessionLeases {
  readonly #options: SessionLeasesOptions;

  constructor(options: SessionLeasesOptions) {
    this.#options = options;
  }

  /** Begins one; false when the session cannot be used, or the lease is no newer than the last. */
  async begin({ number, startURL }: Lease): Promise<boolean> {
    const { connections, readRecord, becomeActive } = this.#options;
    const state = await withinTime(connections().browser.check(), LONGEST_CHECK_MS);
    const record = readRecord();
    if (state !== "alive" || record?.phase !== "idle" || number <= (record.lastLease ?? 0)) return false;
    const leased = { startURL: startURL ?? record.startURL, lease: number, lastLease: number };
    await becomeActive({ ...record, ...leased, phase: "active" });
    if (startURL !== null) connections().openStartURL(startURL);
    return true;
  }

  /**
   * Ends one, unless it has ended, and makes the session ready for the next.
   *
   * @returns how the session is now; undefined when it has ended.
   * @throws when it is not ready yet.
   */
  async end(lease: number): Promise<ReturnedSession | undefined> {
    const { env, readRecord, becomeIdle } = this.#options;
    const leased = readRecord();
    if (leased?.phase === "active" && leased.lease === lease) await this.#end(leased);
    const { id, phase, hasMachine } = readRecord() ?? {};
    if (id === undefined || phase !== "idle") return undefined;
    await allDone([
      this.#makeReady(),
      hasMachine ? env.SESSION_MACHINE.getByName(id).end() : Promise.resolve(),
    ]);
    const record = readRecord();
    if (record?.phase !== "idle") return undefined;
    await becomeIdle({ ...record, hasMachine: false, sizedAs: undefined });
    return record;
  }

  /** What a lease may have left otherwise than the next one expects it: another proxy, no tab, windows of another size. */
  async #makeReady(): Promise<void> {
    const { connections, context, readRecord } = this.#options;
    const browser = await connections().browser.connect();
    await context.endLease();
    await withinTime(browser.prepareForNextClient(), LONGEST_PREPARATION_MS);
    const record = readRecord();
    if (record?.sizedAs !== undefined && !isSameSize(record.viewport, record.sizedAs)) {
      await browser.resize(record.viewport);
    }
  }

  /** From the first moment on the lease's addresses are dead. Then what it has left pressed is let go. */
  async #end(record: SessionRecord): Promise<void> {
    const { connections, renewConnections, writeRecord, identify } = this.#options;
    const { viewport = record.viewport, startURL = null } = record.pool ?? {};
    const leased = connections();
    writeRecord({ ...record, phase: "idle", lease: undefined, viewport, startURL, sizedAs: record.viewport });
    renewConnections();
    logEvent("lease_ended", { ...identify(), clients: leased.clients.count });
    leased.closeAll(RETURNED);
    await leased.control.closeComputer();
    leased.end();
  }
}

function isSameSize(first: Viewport, second: Viewport): boolean {
  return first.width === second.width && first.height === second.height;
}

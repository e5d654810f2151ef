import { allDone, withinTime } from "../concurrency.ts";
import { type LogFields, logEvent } from "../log.ts";
import { RETURNED } from "./session-access.ts";
import type { SessionConnections } from "./session-connections.ts";
import type { Lease, SessionRecord } from "./session-record.ts";

/** How long the browser of an idle session may take to show that it lives. */
const LONGEST_CHECK_MS = 3000;

interface SessionLeasesOptions {
  env: Env;
  readRecord: () => SessionRecord | undefined;
  writeRecord: (record: SessionRecord) => void;
  connections: () => SessionConnections;
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

  /** Begins one; false when the session cannot be used. */
  async begin({ number, timeoutMs, startURL }: Lease): Promise<boolean> {
    const { connections, readRecord, becomeActive } = this.#options;
    const state = await withinTime(connections().browser.check(), LONGEST_CHECK_MS);
    const record = readRecord();
    if (state !== "alive" || record?.phase !== "idle") return false;
    const leased = { startURL: startURL ?? record.startURL, timeoutMs, lease: number };
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
  async end(lease: number): Promise<Pick<SessionRecord, "viewport" | "startURL"> | undefined> {
    const { env, readRecord, connections, becomeIdle } = this.#options;
    const leased = readRecord();
    if (leased?.phase === "active" && leased.lease === lease) await this.#end(leased);
    const { id, phase, hasMachine } = readRecord() ?? {};
    if (id === undefined || phase !== "idle") return undefined;
    await allDone([
      connections().browser.connect(),
      hasMachine ? env.SESSION_MACHINE.getByName(id).end() : Promise.resolve(),
    ]);
    const record = readRecord();
    if (record?.phase !== "idle") return undefined;
    await becomeIdle({ ...record, hasMachine: false });
    return { viewport: record.viewport, startURL: record.startURL };
  }

  /** From the first moment on the lease's addresses are dead. Then what it has left pressed is let go. */
  async #end(record: SessionRecord): Promise<void> {
    const { connections, renewConnections, writeRecord, identify } = this.#options;
    const { viewport = record.viewport, startURL = null } = record.pool ?? {};
    const leased = connections();
    writeRecord({ ...record, phase: "idle", lease: undefined, viewport, startURL });
    renewConnections();
    logEvent("lease_ended", { ...identify(), clients: leased.clients.count });
    leased.closeAll(RETURNED);
    await leased.control.letGo();
    leased.end();
  }
}

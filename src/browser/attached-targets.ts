import { type CDPSession, CDPSessionEvent } from "@cloudflare/puppeteer/internal/api/CDPSession.js";
import type { Connection } from "@cloudflare/puppeteer/internal/cdp/Connection.js";
import type { Protocol } from "devtools-protocol";
import { logError } from "../log.ts";

export type TargetInfo = Protocol.Target.TargetInfo;

/** Work on a target that is done before its first script runs, as far as the target is new. */
export type Preparation = (session: CDPSession, target: TargetInfo) => Promise<unknown>;

/**
 * Attaches the control connection to a browser's targets: those that are there, and each new one as it opens,
 * which is held at its start until it is prepared.
 */
export class AttachedTargets {
  readonly #connection: Connection;
  readonly #prepare: Preparation;
  readonly #preparing = new Set<Promise<unknown>>();
  readonly #parents = new WeakSet<Connection | CDPSession>();
  readonly #attached = new Map<CDPSession, TargetInfo>();

  /** @param prepare is called once for each target; what fails of it is logged, and releases the target too. */
  constructor(connection: Connection, prepare: Preparation) {
    this.#connection = connection;
    this.#prepare = prepare;
  }

  /**
   * Begins to attach to the targets of these types below `parent`: the connection for what has a place of its own
   * in the browser (pages, shared and service workers), or a page's session for its frames and workers. Where it
   * has begun already, nothing changes.
   */
  async attachBelow(parent: Connection | CDPSession, types: readonly string[]): Promise<void> {
    if (this.#parents.has(parent)) return;
    this.#parents.add(parent);
    parent.on("Target.attachedToTarget", ({ sessionId, targetInfo, waitingForDebugger }) => {
      const session = this.#connection.session(sessionId);
      if (session !== null && types.includes(targetInfo.type))
        this.#take(session, targetInfo, waitingForDebugger);
    });
    await parent.send("Target.setAutoAttach", {
      autoAttach: true,
      waitForDebuggerOnStart: true,
      flatten: true,
      filter: [...types.map((type) => ({ type })), { exclude: true }],
    });
  }

  /**
   * Resolves when every target that is there now is prepared.
   *
   * @throws when a preparation fails. A page that is busy, or shows a dialog, can be the reason.
   */
  async prepared(): Promise<void> {
    await Promise.all(this.#preparing);
  }

  /** Sessions of the targets of these types that are there now. */
  attached(types: readonly string[]): CDPSession[] {
    return [...this.#attached].filter(([, { type }]) => types.includes(type)).map(([session]) => session);
  }

  #take(session: CDPSession, target: TargetInfo, isHeld: boolean): void {
    this.#attached.set(session, target);
    session.once(CDPSessionEvent.Disconnected, () => this.#attached.delete(session));
    const work = this.#prepare(session, target).finally(async () => {
      if (isHeld) await session.send("Runtime.runIfWaitingForDebugger");
    });
    this.#preparing.add(work);
    work
      .catch((error) => {
        // A target that closes while it is being prepared needs nothing any more.
        if (this.#connection.session(session.id()) !== null) logError("target_not_prepared", error);
      })
      .finally(() => this.#preparing.delete(work));
  }
}

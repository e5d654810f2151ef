import type { Protocol } from "devtools-protocol";
import { logError } from "../../common/log.ts";
import { type CDPSession, CDPSessionEvent, type Connection } from "./puppeteer.ts";

export type TargetInfo = Protocol.Target.TargetInfo;

/**
 * What is done to a new target. Its commands are sent at once, so that they take effect before its first script;
 * what they come to is `done`, which the target's start does not wait for: a page that was opened without an opener
 * has no process before it starts, and answers nothing until then.
 */
export interface Preparation {
  /** What its start does wait for: commands to the browser, not to the target. */
  beforeStart: Promise<unknown>;
  done: Promise<unknown>;
}

/**
 * Attaches the control connection to a browser's targets: those that are there, and each new one as it opens,
 * which is held at its start until it is prepared.
 */
export class AttachedTargets {
  readonly #connection: Connection;
  readonly #prepare: (session: CDPSession, target: TargetInfo) => Preparation;
  readonly #starting = new Set<Promise<unknown>>();
  readonly #preparing = new Set<Promise<unknown>>();
  readonly #parents = new WeakSet<Connection | CDPSession>();
  readonly #attached = new Map<CDPSession, TargetInfo>();

  /** @param prepare is called once for each target; what fails of it is logged, and releases the target too. */
  constructor(connection: Connection, prepare: (session: CDPSession, target: TargetInfo) => Preparation) {
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
   * Resolves when every target that is there now may start.
   *
   * @throws when what comes before that fails.
   */
  async started(): Promise<void> {
    await Promise.all(this.#starting);
  }

  /**
   * Resolves when every target that is there now is prepared: once it has a process that answers.
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
    // What is attached already, at another level or for a while by somebody else, is prepared once.
    if ([...this.#attached.values()].some(({ targetId }) => targetId === target.targetId)) {
      if (isHeld) session.send("Runtime.runIfWaitingForDebugger").catch(() => undefined);
      return;
    }
    this.#attached.set(session, target);
    session.once(CDPSessionEvent.Disconnected, () => this.#attached.delete(session));
    const { beforeStart, done } = this.#prepare(session, target);
    const started = beforeStart.finally(async () => {
      if (isHeld) await session.send("Runtime.runIfWaitingForDebugger");
    });
    this.#starting.add(started);
    started.catch(() => undefined).finally(() => this.#starting.delete(started));
    const work = Promise.all([started, done]);
    this.#preparing.add(work);
    work
      .catch((error) => {
        // A target that closes while it is being prepared needs nothing any more.
        if (this.#connection.session(session.id()) !== null) logError("target_not_prepared", error);
      })
      .finally(() => this.#preparing.delete(work));
  }
}

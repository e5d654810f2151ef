import type { Protocol } from "devtools-protocol";
import { logError } from "../../../lib/common/log.ts";
import { type CDPSession, CDPSessionEvent, type Connection } from "./puppeteer.ts";

export type TargetInfo = Protocol.Target.TargetInfo;

export const DOCUMENT_TYPES = ["page", "iframe"];

/**
 * The preparation of a new target. Its commands are sent before the target starts, but their answers arrive
 * later: a page opened without an opener has no process until then.
 */
export interface Preparation {
  beforeStart: Promise<unknown>;
  done: Promise<unknown>;
}

/** @param options.isNew false for targets that existed before Berth connected. */
type Prepare = (session: CDPSession, target: TargetInfo, options: { isNew: boolean }) => Preparation;

export class AttachedTargets {
  readonly #connection: Connection;
  readonly #prepare: Prepare;
  readonly #starting = new Set<Promise<unknown>>();
  readonly #preparing = new Set<Promise<unknown>>();
  readonly #typesBelow = new WeakMap<Connection | CDPSession, Set<string>>();
  readonly #attached = new Map<CDPSession, TargetInfo>();

  /** @param prepare called once per target. Its failure is logged, and the target still starts. */
  constructor(connection: Connection, prepare: Prepare) {
    this.#connection = connection;
    this.#prepare = prepare;
  }

  /** Attaches to present and future targets of these types, and of those given before. */
  async attachBelow(parent: Connection | CDPSession, types: readonly string[]): Promise<void> {
    const known = this.#typesBelow.get(parent);
    if (types.every((type) => known?.has(type))) return;
    const all = new Set([...(known ?? []), ...types]);
    this.#typesBelow.set(parent, all);
    if (known === undefined) {
      parent.on("Target.attachedToTarget", ({ sessionId, targetInfo, waitingForDebugger }) => {
        const session = this.#connection.session(sessionId);
        if (session !== null && this.#typesBelow.get(parent)?.has(targetInfo.type))
          this.#attach(session, targetInfo, waitingForDebugger);
      });
    }
    await parent.send("Target.setAutoAttach", {
      autoAttach: true,
      waitForDebuggerOnStart: true,
      flatten: true,
      filter: [...[...all].map((type) => ({ type })), { exclude: true }],
    });
  }

  /** @throws when a command before a target's start fails. */
  async started(): Promise<void> {
    await Promise.all(this.#starting);
  }

  async prepared(): Promise<void> {
    await Promise.all(this.#preparing);
  }

  attached(types: readonly string[]): CDPSession[] {
    return [...this.#attached].filter(([, { type }]) => types.includes(type)).map(([session]) => session);
  }

  #attach(session: CDPSession, target: TargetInfo, isHeld: boolean): void {
    // A target can attach twice: at another level, or through a temporary session.
    if ([...this.#attached.values()].some(({ targetId }) => targetId === target.targetId)) {
      if (isHeld) session.send("Runtime.runIfWaitingForDebugger").catch(() => undefined);
      return;
    }
    this.#attached.set(session, target);
    session.once(CDPSessionEvent.Disconnected, () => this.#attached.delete(session));
    const { beforeStart, done } = this.#prepare(session, target, { isNew: isHeld });
    const started = beforeStart.finally(async () => {
      if (isHeld) await session.send("Runtime.runIfWaitingForDebugger");
    });
    // Clients do not wait for workers, which may end as they start.
    if (!target.type.endsWith("worker")) this.#starting.add(started);
    started.catch(() => undefined).finally(() => this.#starting.delete(started));
    const work = Promise.all([started, done]);
    this.#preparing.add(work);
    work
      .catch((error) => {
        if (this.#connection.session(session.id()) !== null) logError("target_not_prepared", error);
      })
      .finally(() => this.#preparing.delete(work));
  }
}

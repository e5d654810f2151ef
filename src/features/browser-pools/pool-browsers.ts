import { forEachConcurrently } from "../../lib/common/concurrency.ts";
import { conflict, ServiceError, serviceUnavailable } from "../../lib/common/errors.ts";
import { logError } from "../../lib/common/log.ts";
import type { BrowserPoolRow } from "../../lib/database/schema/browser-pools.ts";
import type { BrowserSessionRow } from "../../lib/database/schema/browser-sessions.ts";
import { limitReached } from "../organizations/index.ts";
import { emitSessionCreated, sessionObject } from "../sessions/index.ts";
import { PoolFilling } from "./pool-filling.ts";
import type { Member } from "./pool-members.ts";
import {
  type LeaseRequest,
  leasePooledSession,
  returnPooledSession,
  startPooledSession,
} from "./pool-sessions.ts";
import type { PoolState } from "./state.ts";

const CONCURRENCY = 6;

export class PoolBrowsers {
  readonly filling: PoolFilling;
  readonly #state: PoolState;
  /** A browser has at most one operation in progress. */
  readonly #work = new Map<string, Promise<unknown>>();

  constructor(state: PoolState) {
    this.#state = state;
    this.filling = new PoolFilling(state, this);
  }

  get isBusy(): boolean {
    return this.#work.size > 0;
  }

  async start(pool: BrowserPoolRow, sessionId: string): Promise<void> {
    await this.#track(sessionId, async () => {
      if (await startPooledSession(this.#state.env, pool, sessionId)) return this.#markIdle(sessionId);
      // The pool is deleted or disabled. The sweep reconciles it when it is enabled again.
      const { members, record } = this.#state;
      members.remove(sessionId);
      if (record !== undefined) this.#state.write({ ...record, isEnabled: false });
    });
  }

  /** Returns undefined when another browser may be tried. After any failure the browser is released. */
  async lease(member: Member, request: LeaseRequest): Promise<BrowserSessionRow | undefined> {
    const { sessionId } = member;
    const { env, members, record } = this.#state;
    if (record === undefined) return undefined;
    try {
      return await this.#track(sessionId, async () => {
        const session = await leasePooledSession(env, record.pool, member, request);
        // The browser or the pool may have ended in the meantime.
        if (members.get(sessionId)?.state !== "leasing") return undefined;
        if (session === "name-taken") {
          throw conflict(`name: another active session is named "${request.name}"`);
        }
        if (session === "key-limit") throw limitReached("API key");
        if (session !== "unusable") {
          members.move(sessionId, "leased");
          emitSessionCreated(this.#state, session);
          return session;
        }
        members.move(sessionId, "ending", "browser_lost");
        this.#state.waitUntil(this.settle(sessionId));
        return undefined;
      });
    } catch (error) {
      this.release(member);
      if (error instanceof ServiceError) throw error;
      throw serviceUnavailable("The browser could not be acquired", 1, error);
    }
  }

  release({ sessionId }: Member): void {
    const state = this.#state.members.get(sessionId)?.state;
    if (state !== "leasing" && state !== "leased") return;
    this.#state.members.move(sessionId, "releasing");
    this.#state.waitUntil(this.settle(sessionId));
  }

  /** Ends idle browsers, and launching ones once they have started. @returns their number. */
  discardAllIdle(): number {
    const { members } = this.#state;
    const before = members.leaving;
    this.#discard(members.inState("idle", "launching"));
    return members.leaving - before;
  }

  /** Discards the browsers beyond the pool's size, launching ones first. */
  discardExcess(size: number): void {
    const { members } = this.#state;
    const excess = Math.max(0, members.size - members.leaving - size);
    const launching = members.inState("launching").filter(({ isUnwanted }) => !isUnwanted);
    this.#discard([...launching, ...members.inState("idle")].slice(0, excess));
  }

  endDiscarded(): Promise<void> {
    return this.settleEach(this.#state.members.inState("ending"));
  }

  settleAll(): Promise<void> {
    return this.settleEach(this.#state.members.inState("launching", "leasing", "releasing", "ending"));
  }

  settleEach(members: Member[]): Promise<void> {
    return this.#forEach(members, ({ sessionId }) => this.settle(sessionId));
  }

  discardUnknown(sessionIds: string[]): Promise<void> {
    return this.#forEach(sessionIds, (id) => sessionObject(this.#state.env, id).retire("discarded"));
  }

  /** Takes a browser from a transitional state to a stable one, or ends it. */
  async settle(sessionId: string): Promise<void> {
    for (let work = this.#work.get(sessionId); work !== undefined; work = this.#work.get(sessionId)) {
      await work.catch(() => undefined);
    }
    const { state } = this.#state.members.get(sessionId) ?? {};
    if (state === undefined || state === "idle" || state === "leased") return;
    try {
      await this.#track(sessionId, () => this.#finish(sessionId));
    } catch (error) {
      const { identity } = this.#state;
      logError("pool_browser_settle_failed", error, { ...identity, session_id: sessionId, state });
    }
    this.filling.fill();
    await this.#state.deleteIfEmpty();
  }

  async #finish(sessionId: string): Promise<void> {
    const { env, members } = this.#state;
    const session = sessionObject(env, sessionId);
    const member = members.get(sessionId);
    if (member?.state === "launching") {
      if (await session.isIdle()) this.#markIdle(sessionId);
      else {
        members.move(sessionId, "ending", "discarded");
        this.filling.refund();
      }
    }
    if (member?.state === "leasing" || member?.state === "releasing") {
      if (await returnPooledSession(this.#state, member)) this.#markIdle(sessionId);
      else members.move(sessionId, "ending", "browser_lost");
    }
    const { state, reason = "discarded" } = members.get(sessionId) ?? {};
    if (state === "ending" && (await session.retire(reason))) members.remove(sessionId);
  }

  #markIdle(sessionId: string): void {
    const { members, queue, record } = this.#state;
    const member = members.get(sessionId);
    if (member === undefined || member.state === "ending" || record === undefined) return;
    const staying = members.size - members.leaving;
    if (record.isDeleted || member.isUnwanted || staying > record.pool.size) {
      members.move(sessionId, "ending", "discarded");
      return;
    }
    members.move(sessionId, "idle");
    queue.dispatch();
  }

  #discard(discarded: Member[]): void {
    const { members } = this.#state;
    for (const { sessionId, state } of discarded) {
      if (state === "launching") members.markUnwanted(sessionId);
      else members.move(sessionId, "ending", "discarded");
    }
  }

  /** Runs work on a browser. The alarm settles the browser if the work does not finish. */
  async #track<T>(sessionId: string, work: () => Promise<T>): Promise<T> {
    this.#state.settleSoon();
    const done = work();
    this.#work.set(sessionId, done);
    try {
      return await done;
    } finally {
      if (this.#work.get(sessionId) === done) this.#work.delete(sessionId);
    }
  }

  #forEach<T>(items: T[], work: (item: T) => Promise<unknown>): Promise<void> {
    return forEachConcurrently(items, CONCURRENCY, work, (error) =>
      logError("pool_browser_settle_failed", error, this.#state.identity),
    );
  }
}

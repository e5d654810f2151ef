import { forEachConcurrently } from "../../lib/common/concurrency.ts";
import { conflict, ServiceError, serviceUnavailable } from "../../lib/common/errors.ts";
import { logError } from "../../lib/common/log.ts";
import type { BrowserPoolRow } from "../../lib/database/schema/browser-pools.ts";
import type { BrowserSessionRow } from "../../lib/database/schema/browser-sessions.ts";
import { limitReached } from "../organizations/index.ts";
import { emitSessionCreated, sessionObject } from "../sessions/index.ts";
import type { PoolBrowser } from "./pool-browsers.ts";
import { PoolFilling } from "./pool-filling.ts";
import {
  type LeaseRequest,
  leasePooledSession,
  returnPooledSession,
  startPooledSession,
} from "./pool-sessions.ts";
import type { PoolState } from "./state.ts";

export class PoolOperations {
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
      const { browsers, record } = this.#state;
      browsers.remove(sessionId);
      if (record !== undefined) this.#state.write({ ...record, isEnabled: false });
    });
  }

  /** Returns undefined when another browser may be tried. After any failure the browser is released. */
  async lease(browser: PoolBrowser, request: LeaseRequest): Promise<BrowserSessionRow | undefined> {
    const { sessionId } = browser;
    const { env, browsers, record } = this.#state;
    if (record === undefined) return undefined;
    try {
      return await this.#track(sessionId, async () => {
        const session = await leasePooledSession(env, record.pool, browser, request);
        // The browser or the pool may have ended in the meantime.
        if (browsers.get(sessionId)?.state !== "leasing") return undefined;
        if (session === "name-taken") {
          throw conflict(`name: another active session is named "${request.name}"`);
        }
        if (session === "key-limit") throw limitReached("API key");
        if (session !== "unusable") {
          browsers.move(sessionId, "leased");
          emitSessionCreated(this.#state, session);
          return session;
        }
        browsers.move(sessionId, "ending", "browser_lost");
        this.#state.waitUntil(this.settle(sessionId));
        return undefined;
      });
    } catch (error) {
      this.release(browser);
      if (error instanceof ServiceError) throw error;
      throw serviceUnavailable("The browser could not be acquired", 1, error);
    }
  }

  release({ sessionId }: PoolBrowser): void {
    const state = this.#state.browsers.get(sessionId)?.state;
    if (state !== "leasing" && state !== "leased") return;
    this.#state.browsers.move(sessionId, "releasing");
    this.#state.waitUntil(this.settle(sessionId));
  }

  /** Ends idle browsers, and launching ones once they have started. @returns their number. */
  discardAllIdle(): number {
    const { browsers } = this.#state;
    const before = browsers.leaving;
    this.#discard(browsers.inState("idle", "launching"));
    return browsers.leaving - before;
  }

  /** Discards the browsers beyond the pool's size, launching ones first. */
  discardExcess(size: number): void {
    const { browsers } = this.#state;
    const excess = Math.max(0, browsers.size - browsers.leaving - size);
    const launching = browsers.inState("launching").filter(({ isUnwanted }) => !isUnwanted);
    this.#discard([...launching, ...browsers.inState("idle")].slice(0, excess));
  }

  endDiscarded(): Promise<void> {
    return this.settleEach(this.#state.browsers.inState("ending"));
  }

  settleAll(): Promise<void> {
    return this.settleEach(this.#state.browsers.inState("launching", "leasing", "releasing", "ending"));
  }

  settleEach(browsers: PoolBrowser[]): Promise<void> {
    return this.#forEach(browsers, ({ sessionId }) => this.settle(sessionId));
  }

  discardUnknown(sessionIds: string[]): Promise<void> {
    return this.#forEach(sessionIds, (id) => sessionObject(this.#state.env, id).retire("discarded"));
  }

  /** Takes a browser from a transitional state to a stable one, or ends it. */
  async settle(sessionId: string): Promise<void> {
    for (let work = this.#work.get(sessionId); work !== undefined; work = this.#work.get(sessionId)) {
      await work.catch(() => undefined);
    }
    const { state } = this.#state.browsers.get(sessionId) ?? {};
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
    const { env, browsers } = this.#state;
    const session = sessionObject(env, sessionId);
    const browser = browsers.get(sessionId);
    if (browser?.state === "launching") {
      if (await session.isIdle()) this.#markIdle(sessionId);
      else {
        browsers.move(sessionId, "ending", "discarded");
        this.filling.refund();
      }
    }
    if (browser?.state === "leasing" || browser?.state === "releasing") {
      if (await returnPooledSession(this.#state, browser)) this.#markIdle(sessionId);
      else browsers.move(sessionId, "ending", "browser_lost");
    }
    const { state, reason = "discarded" } = browsers.get(sessionId) ?? {};
    if (state === "ending" && (await session.retire(reason))) browsers.remove(sessionId);
  }

  #markIdle(sessionId: string): void {
    const { browsers, queue, record } = this.#state;
    const browser = browsers.get(sessionId);
    if (browser === undefined || browser.state === "ending" || record === undefined) return;
    const staying = browsers.size - browsers.leaving;
    if (record.isDeleted || browser.isUnwanted || staying > record.pool.size) {
      browsers.move(sessionId, "ending", "discarded");
      return;
    }
    browsers.move(sessionId, "idle");
    queue.dispatch();
  }

  #discard(discarded: PoolBrowser[]): void {
    const { browsers } = this.#state;
    for (const { sessionId, state } of discarded) {
      if (state === "launching") browsers.markUnwanted(sessionId);
      else browsers.move(sessionId, "ending", "discarded");
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
    return forEachConcurrently(items, work, (error) =>
      logError("pool_browser_settle_failed", error, this.#state.identity),
    );
  }
}

import { DurableObject } from "cloudflare:workers";
import { Deadlines } from "../alarms/deadlines.ts";
import { eachConcurrently } from "../common/concurrency.ts";
import { conflict, notFound, ServiceError, serviceUnavailable } from "../common/errors.ts";
import { logError, logEvent } from "../common/log.ts";
import { type Outcome, settle } from "../common/outcome.ts";
import { readSettings } from "../common/settings.ts";
import { type Database, openDatabase } from "../database/client.ts";
import type { BrowserPoolRow } from "../database/schema/browser-pools.ts";
import type { BrowserSessionRow } from "../database/schema/browser-sessions.ts";
import { listPooledSessions, sessionObject } from "../sessions/index.ts";
import { PoolFilling } from "./pool-filling.ts";
import { type Member, PoolMembers } from "./pool-members.ts";
import { refusePool } from "./pool-refusal.ts";
import {
  type LeaseRequest,
  leasePooledSession,
  returnPooledSession,
  startPooledSession,
} from "./pool-sessions.ts";
import { deletePool, notePoolError, type PoolChange, readPool, updatePool } from "./store.ts";
import { WaitingLine } from "./waiting-line.ts";

/** When the alarm takes up what was under way with a browser and did not come through. */
const SETTLE_AFTER_MS = 30_000;

/** Browsers that are settled at the same time. */
const CONCURRENCY = 6;

/** A session that is younger may be on its way here. */
const GRACE_MS = 120_000;

const LAUNCH_FAILED = "The browser could not be launched";

const RECORD_KEY = "pool";

/** Which pool is asked for, and who asks. */
export interface PoolCaller {
  poolId: string;
  organizationId: string;
}

/** Somebody wants a browser. */
export interface AcquireCall extends LeaseRequest {
  /** Names the call, for {@link BrowserPool.cancelAcquire}. */
  id: string;
  waitMs: number;
}

interface PoolRecord {
  /** The pool as D1 has it. */
  pool: BrowserPoolRow;
  /** Whether browsers may be made for it: its organization is not disabled. */
  isEnabled: boolean;
  /** It is gone for callers; what is left is to end its browsers. */
  isDeleted: boolean;
}

/**
 * One browser pool, named by its id: the single writer of who holds which of its browsers. Each browser is a session
 * like any other, whose own object knows it as idle while it waits here.
 */
export class BrowserPool extends DurableObject<Env> {
  readonly #deadlines: Deadlines<"fill" | "settle">;
  readonly #members: PoolMembers;
  readonly #filling: PoolFilling;
  readonly #line = new WaitingLine<Member>(() => this.#members.lease());
  /** What is under way with each browser: one thing at a time. */
  readonly #works = new Map<string, Promise<unknown>>();
  /** When the alarm takes up what has not come through by then. */
  #settleAt = 0;
  #record: PoolRecord | undefined;
  /** Changes of the pool as a whole, one after the other. */
  #lastChange: Promise<unknown> = Promise.resolve();

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    const { kv } = ctx.storage;
    this.#deadlines = new Deadlines(ctx.storage);
    this.#members = new PoolMembers(kv);
    this.#record = kv.get<PoolRecord>(RECORD_KEY);
    this.#filling = new PoolFilling({
      kv,
      members: this.#members,
      deadlines: this.#deadlines,
      readPool: () => {
        const { pool, isEnabled, isDeleted } = this.#record ?? {};
        return isEnabled && !isDeleted ? pool : undefined;
      },
      start: (pool, sessionId) => this.#start(pool, sessionId),
      settle: (sessionId) => this.#settleMember(sessionId),
      noteLaunch: (error) => this.#noteLaunch(error),
      waitUntil: (work) => this.ctx.waitUntil(work),
      identify: () => this.#identity,
    });
    // D1 may know more than the object that was here before.
    if (this.#record !== undefined) ctx.waitUntil(this.#begin(this.#record.pool.id));
  }

  /**
   * Brings the pool to what D1 says of it: fills it, or ends it where it, or its organization, is gone. Called once it
   * is created, and by the sweep.
   */
  async keep(poolId: string): Promise<void> {
    await this.#inOrder(async () => {
      const found = await readPool(this.#database, poolId);
      if (found === undefined && this.#record === undefined) return;
      if (found !== undefined && !this.#record?.isDeleted) {
        this.#write({
          pool: found.pool,
          isEnabled: found.organization === "enabled",
          isDeleted: found.organization === "deleted",
        });
      } else if (this.#record !== undefined) {
        this.#write({ ...this.#record, isDeleted: true });
      }
      if (this.#record?.isEnabled === false) this.#discardAllIdle();
    });
    // Not in order: changes of the pool do not wait for its launches.
    await this.#takeUp();
    if (this.#record !== undefined) await this.#endStrangers(poolId);
  }

  /**
   * Leases a browser to a caller: an idle one at once, else the next that becomes idle when those who came before have
   * theirs. Undefined when the time is up, or the caller has left.
   */
  acquire(caller: PoolCaller, call: AcquireCall): Promise<Outcome<BrowserSessionRow | undefined>> {
    return settle(async () => {
      await this.#requirePool(caller);
      using turn = this.#line.join(call.id, call.waitMs);
      for (let member = await turn.next(); member !== undefined; member = await turn.next()) {
        const session = await this.#handOut(member, call);
        if (session === undefined) continue;
        if (!turn.hasLeft) return session;
        this.#giveBack(member);
        break;
      }
      await this.#requirePool(caller);
      return undefined;
    });
  }

  /** Whoever made that call has left: they get no browser. */
  cancelAcquire(callId: string): void {
    this.#line.leave(callId);
  }

  /**
   * Takes a leased browser back: makes it ready for the next lease, or ends it and has another one launched.
   *
   * @param lease where it is given, the browser is taken back from this lease only.
   */
  release(
    caller: PoolCaller,
    { sessionId, reuse, lease }: { sessionId: string; reuse: boolean; lease?: number },
  ): Promise<Outcome<void>> {
    return settle(async () => {
      await this.#requirePool(caller);
      const member = this.#members.get(sessionId);
      const isHeld = member?.state === "leased" || member?.state === "releasing";
      if (!isHeld || (lease !== undefined && member.lease !== lease))
        throw notFound("leased browser session");
      // A call that is repeated finds its browser on its way, and waits for it.
      if (member.state === "leased") {
        if (reuse) this.#members.move(sessionId, "releasing");
        else this.#members.move(sessionId, "ending", "released");
      }
      await this.#settleMember(sessionId);
    });
  }

  /**
   * Changes the pool, for the browsers that are made from then on. One that is smaller now ends idle browsers first, and
   * leased ones as they are released.
   *
   * @param discardAllIdle ends every idle browser, and launches others in their place whatever the fill rate.
   */
  update(caller: PoolCaller, change: PoolChange, discardAllIdle: boolean): Promise<Outcome<void>> {
    return this.#change(caller, async (record) => {
      const limit = readSettings(this.env).maxPooledSessions;
      const pool = await updatePool(this.#database, record.pool, change, limit);
      if (pool === undefined) throw notFound("browser pool");
      if (typeof pool === "string") throw refusePool(pool, change.name ?? "");
      this.#write({ ...record, pool });
      if (discardAllIdle) {
        this.#filling.owe(this.#discardAllIdle());
      } else {
        this.#discardExcess(pool.size);
      }
      await this.#endDiscarded();
      this.#filling.fill();
    });
  }

  /** Ends every idle browser; others take their place at the fill rate. */
  flush(caller: PoolCaller): Promise<Outcome<void>> {
    return this.#change(caller, async () => {
      this.#discardAllIdle();
      await this.#endDiscarded();
      this.#filling.fill();
    });
  }

  /** Ends the pool and its browsers; refused while any is leased, unless forced. */
  delete(caller: PoolCaller, force: boolean): Promise<Outcome<void>> {
    return this.#change(caller, async (record) => {
      const leased = this.#members.inState("leasing", "leased", "releasing").length;
      if (leased > 0 && !force) {
        throw conflict(`Browsers of the pool are leased (${leased}); release them, or delete it with force`);
      }
      this.#write({ ...record, isDeleted: true });
      this.#settleSoon();
      try {
        await deletePool(this.#database, record.pool.id);
      } catch (error) {
        this.#write({ ...record, isDeleted: false });
        throw error;
      }
      logEvent("pool_deleted", { ...this.#identity, browsers: this.#members.size });
      await this.#takeUp();
    });
  }

  /** A session of the pool has ended, by whatever way. Called by the session until it succeeds. */
  hearSessionEnded(sessionId: string): void {
    if (this.#members.get(sessionId) === undefined) return;
    this.#members.remove(sessionId);
    this.#filling.fill();
    this.ctx.waitUntil(this.#forgetIfOver());
  }

  override async alarm(): Promise<void> {
    await this.#deadlines.run(
      async (kind) => {
        // Not awaited: while the alarm's handler waits for a browser no other deadline is served.
        if (kind === "fill") return this.#filling.fill();
        this.#settleAt = 0;
        if (this.#works.size > 0) this.#settleSoon();
        this.ctx.waitUntil(this.#takeUp());
      },
      (kind, error) => logError("pool_deadline_failed", error, { ...this.#identity, deadline: kind }),
    );
  }

  async #begin(poolId: string): Promise<void> {
    try {
      await this.keep(poolId);
    } catch (error) {
      logError("pool_not_read", error, this.#identity);
      await this.#takeUp();
    }
  }

  /** Ends sessions of the pool that it knows nothing of: a start may reach its session after the pool gave it up. */
  async #endStrangers(poolId: string): Promise<void> {
    const sessionIds = await listPooledSessions(this.#database, poolId, Date.now() - GRACE_MS);
    const strangers = sessionIds.filter((sessionId) => this.#members.get(sessionId) === undefined);
    if (strangers.length > 0)
      logEvent("pool_strangers_ended", { ...this.#identity, sessions: strangers.length });
    await eachConcurrently(
      strangers,
      CONCURRENCY,
      (sessionId) => sessionObject(this.env, sessionId).retire("discarded"),
      (error) => logError("pool_browser_not_settled", error, this.#identity),
    );
  }

  /** Takes up whatever did not come through, as after a restart. What fails again is left to the alarm. */
  async #takeUp(): Promise<void> {
    try {
      if (this.#record?.isDeleted) return await this.#endPool();
      await this.#settleAll();
      this.#filling.fill();
    } catch (error) {
      logError("pool_not_taken_up", error, this.#identity);
      this.#settleSoon();
    }
  }

  /** Does not leave anything of a pool that is deleted; what fails is tried again by the alarm. */
  async #endPool(): Promise<void> {
    const { pool } = this.#record ?? {};
    if (pool === undefined) return;
    this.#settleSoon();
    this.#line.leaveAll();
    await deletePool(this.#database, pool.id);
    const launching = this.#members.inState("launching");
    const others = this.#members.all().filter(({ state }) => state !== "launching");
    for (const { sessionId } of this.#members.all()) this.#members.move(sessionId, "ending", "pool_deleted");
    // Nobody waits for launches, which may take long.
    this.ctx.waitUntil(this.#settleEach(launching));
    await this.#settleEach(others);
    await this.#forgetIfOver();
  }

  async #forgetIfOver(): Promise<void> {
    if (!this.#record?.isDeleted || this.#members.size > 0) return;
    this.#record = undefined;
    await this.ctx.storage.deleteAlarm();
    await this.ctx.storage.deleteAll();
  }

  async #start(pool: BrowserPoolRow, sessionId: string): Promise<void> {
    await this.#work(sessionId, async () => {
      if (await startPooledSession(this.env, pool, sessionId)) this.#becomeFree(sessionId);
      else this.#stopFilling(sessionId);
    });
  }

  /** What callers are told of the last launch. Written only when it changes. */
  #noteLaunch(error: unknown): void {
    const record = this.#record;
    if (record === undefined || (error === undefined && record.pool.lastError === null)) return;
    const reason = error instanceof ServiceError ? error.message : LAUNCH_FAILED;
    const last =
      error === undefined
        ? { lastError: null, lastErrorAt: null }
        : { lastError: reason, lastErrorAt: Date.now() };
    this.#write({ ...record, pool: { ...record.pool, ...last } });
    this.ctx.waitUntil(
      notePoolError(this.#database, record.pool.id, last).catch((failure) =>
        logError("pool_error_not_noted", failure, this.#identity),
      ),
    );
  }

  /** There is no pool for the browser any more, or it is disabled. The sweep tells when it is enabled again. */
  #stopFilling(sessionId: string): void {
    this.#members.remove(sessionId);
    if (this.#record !== undefined) this.#write({ ...this.#record, isEnabled: false });
  }

  /**
   * Gives a caller a browser; undefined when that one is no good, and another may be.
   *
   * @throws ServiceError 409 when another session has the name; whatever else fails. The browser is taken back then.
   */
  async #handOut(member: Member, call: AcquireCall): Promise<BrowserSessionRow | undefined> {
    const { sessionId } = member;
    const { pool } = this.#record ?? {};
    if (pool === undefined) return undefined;
    try {
      return await this.#work(sessionId, async () => {
        const session = await leasePooledSession(this.env, pool, member, call);
        // It may have ended meanwhile, or the pool with it.
        if (this.#members.get(sessionId)?.state !== "leasing") return undefined;
        if (session === "name-taken") throw conflict(`name: another active session is named "${call.name}"`);
        if (session !== "unusable") {
          this.#members.move(sessionId, "leased");
          return session;
        }
        this.#members.move(sessionId, "ending", "browser_lost");
        this.ctx.waitUntil(this.#settleMember(sessionId));
        return undefined;
      });
    } catch (error) {
      this.#giveBack(member);
      if (error instanceof ServiceError) throw error;
      throw serviceUnavailable("The browser could not be handed out", 1, error);
    }
  }

  /** Takes back a browser that nobody got. */
  #giveBack({ sessionId }: Member): void {
    const state = this.#members.get(sessionId)?.state;
    if (state !== "leasing" && state !== "leased") return;
    this.#members.move(sessionId, "releasing");
    this.ctx.waitUntil(this.#settleMember(sessionId));
  }

  /** A browser that is ready waits for the next caller, unless the pool wants it no more. */
  #becomeFree(sessionId: string): void {
    const member = this.#members.get(sessionId);
    if (member === undefined || member.state === "ending" || this.#record === undefined) return;
    const kept = this.#members.size - this.#members.leaving;
    if (this.#record.isDeleted || member.isUnwanted || kept > this.#record.pool.size) {
      this.#members.move(sessionId, "ending", "discarded");
      return;
    }
    this.#members.move(sessionId, "idle");
    this.#line.serve();
  }

  /** Idle browsers are to end, and those that are being launched once they have started. @returns how many these are. */
  #discardAllIdle(): number {
    const leavingBefore = this.#members.leaving;
    this.#discard(this.#members.inState("idle", "launching"));
    return this.#members.leaving - leavingBefore;
  }

  /** The same, for those that a smaller size has no place for; what is ready is kept rather than what is not yet. */
  #discardExcess(size: number): void {
    const excess = Math.max(0, this.#members.size - this.#members.leaving - size);
    const launching = this.#members.inState("launching").filter(({ isUnwanted }) => !isUnwanted);
    this.#discard([...launching, ...this.#members.inState("idle")].slice(0, excess));
  }

  #discard(members: Member[]): void {
    for (const { sessionId, state } of members) {
      if (state === "launching") this.#members.condemn(sessionId);
      else this.#members.move(sessionId, "ending", "discarded");
    }
  }

  #endDiscarded(): Promise<void> {
    return this.#settleEach(this.#members.inState("ending"));
  }

  #settleEach(members: Member[]): Promise<void> {
    return eachConcurrently(
      members,
      CONCURRENCY,
      ({ sessionId }) => this.#settleMember(sessionId),
      (error) => logError("pool_browser_not_settled", error, this.#identity),
    );
  }

  #settleAll(): Promise<void> {
    return this.#settleEach(this.#members.inState("launching", "leasing", "releasing", "ending"));
  }

  /** Brings a browser whose state is one of passage to its end, once what is under way with it is through. */
  async #settleMember(sessionId: string): Promise<void> {
    for (let work = this.#works.get(sessionId); work !== undefined; work = this.#works.get(sessionId)) {
      await work.catch(() => undefined);
    }
    const { state } = this.#members.get(sessionId) ?? {};
    if (state === undefined || state === "idle" || state === "leased") return;
    try {
      await this.#work(sessionId, () => this.#settle(sessionId));
    } catch (error) {
      logError("pool_browser_not_settled", error, { ...this.#identity, session_id: sessionId, state });
    }
    this.#filling.fill();
    await this.#forgetIfOver();
  }

  async #settle(sessionId: string): Promise<void> {
    const session = sessionObject(this.env, sessionId);
    const member = this.#members.get(sessionId);
    if (member?.state === "launching") {
      if (await session.isIdle()) this.#becomeFree(sessionId);
      else {
        this.#members.move(sessionId, "ending", "discarded");
        this.#filling.giveTurnBack();
      }
    }
    if (member?.state === "leasing" || member?.state === "releasing") {
      if (await returnPooledSession(this.env, member)) this.#becomeFree(sessionId);
      else this.#members.move(sessionId, "ending", "browser_lost");
    }
    const { state, reason = "discarded" } = this.#members.get(sessionId) ?? {};
    if (state === "ending" && (await session.retire(reason))) {
      this.#members.remove(sessionId);
    }
  }

  /** Does something with a browser. Should it not come through, the alarm takes it up. */
  async #work<T>(sessionId: string, work: () => Promise<T>): Promise<T> {
    this.#settleSoon();
    const done = work();
    this.#works.set(sessionId, done);
    try {
      return await done;
    } finally {
      if (this.#works.get(sessionId) === done) this.#works.delete(sessionId);
    }
  }

  #settleSoon(): void {
    if (this.#record === undefined || this.#settleAt > Date.now()) return;
    this.#settleAt = Date.now() + SETTLE_AFTER_MS;
    this.ctx.waitUntil(this.#deadlines.set({ settle: this.#settleAt }));
  }

  #change(caller: PoolCaller, work: (record: PoolRecord) => Promise<void>): Promise<Outcome<void>> {
    return settle(async () => {
      await this.#requirePool(caller);
      await this.#inOrder(() => work(this.#requireRecord(caller)));
    });
  }

  /** @throws ServiceError 404 unless there is this pool and it is the caller's. */
  async #requirePool(caller: PoolCaller): Promise<void> {
    if (this.#record === undefined) await this.keep(caller.poolId);
    this.#requireRecord(caller);
  }

  #requireRecord({ organizationId }: PoolCaller): PoolRecord {
    const record = this.#record;
    if (record === undefined || record.isDeleted || record.pool.organizationId !== organizationId) {
      throw notFound("browser pool");
    }
    return record;
  }

  #inOrder<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#lastChange.then(work);
    this.#lastChange = done.catch(() => undefined);
    return done;
  }

  #write(record: PoolRecord): void {
    this.#record = record;
    this.ctx.storage.kv.put(RECORD_KEY, record);
  }

  get #identity() {
    return { pool_id: this.#record?.pool.id, organization_id: this.#record?.pool.organizationId };
  }

  get #database(): Database {
    return openDatabase(this.env.DB);
  }
}

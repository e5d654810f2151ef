import { DurableObject } from "cloudflare:workers";
import { conflict, notFound } from "../../lib/common/errors.ts";
import { logError, logEvent } from "../../lib/common/log.ts";
import { type Outcome, settle } from "../../lib/common/outcome.ts";
import { readSettings } from "../../lib/common/settings.ts";
import type { ProjectScope } from "../../lib/database/project-scope.ts";
import type { BrowserPoolRow } from "../../lib/database/schema/browser-pools.ts";
import type { BrowserSessionRow } from "../../lib/database/schema/browser-sessions.ts";
import { budgetCheck, explainRefusal } from "../organizations/index.ts";
import { listPooledSessions, requireRecordable } from "../sessions/index.ts";
import { changeConfig, DEFAULT_CONFIG, type TelemetryRequest } from "../telemetry/index.ts";
import { toPoolError } from "./pool-error.ts";
import { PoolOperations } from "./pool-operations.ts";
import type { LeaseRequest } from "./pool-sessions.ts";
import { type PoolRecord, PoolState } from "./state.ts";
import { deletePool, type PoolChange, readPool, updatePool } from "./store.ts";

/** The pool may not have recorded a younger session yet. */
const GRACE_PERIOD_MS = 120_000;

export interface PoolCaller extends ProjectScope {
  poolId: string;
}

export interface AcquireCall extends LeaseRequest {
  id: string;
  waitMs: number;
}

/** One browser pool, named by its id: the single writer of its browsers' leases. */
export class BrowserPool extends DurableObject<Env> {
  readonly #state: PoolState;
  readonly #operations: PoolOperations;
  /** Changes of the pool as a whole are serialized. */
  #lastChange: Promise<unknown> = Promise.resolve();

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#state = new PoolState(ctx, env);
    this.#operations = new PoolOperations(this.#state);
    // D1 may have changed while the object was evicted.
    const { record } = this.#state;
    if (record !== undefined) ctx.waitUntil(this.#restart(record.pool.id));
  }

  /** Applies the pool's state in D1, as after its creation: fills it, or ends it with its organization. */
  async reconcile(poolId: string): Promise<void> {
    const state = this.#state;
    await this.#serialize(async () => {
      const found = await readPool(state.database, poolId);
      if (found !== undefined && !state.record?.isDeleted) {
        const { pool, organization } = found;
        state.write({ pool, isEnabled: organization === "enabled", isDeleted: organization === "deleted" });
      } else if (state.record !== undefined) {
        state.write({ ...state.record, isDeleted: true });
      }
      if (state.record?.isEnabled === false) this.#operations.discardAllIdle();
    });
    // Not serialized: changes of the pool must not wait for its launches.
    await this.#resume();
    if (state.record !== undefined) await this.#endOrphans(poolId);
  }

  /** Serves callers in order. Resolves to undefined after `waitMs`, or when the call is cancelled. */
  acquire(caller: PoolCaller, call: AcquireCall): Promise<Outcome<BrowserSessionRow | undefined>> {
    return settle(async () => {
      const { headless } = await this.#requirePool(caller);
      requireRecordable({ headless, record: call.record });
      if (this.#state.record?.isEnabled === false) {
        await explainRefusal(this.#state.database, [budgetCheck(caller)]);
        this.ctx.waitUntil(this.#restart(caller.poolId));
      }
      using place = this.#state.queue.join(call.id, call.waitMs);
      for (let browser = await place.next(); browser !== undefined; browser = await place.next()) {
        const session = await this.#operations.lease(browser, call);
        if (session === undefined) continue;
        if (!place.isCancelled) return session;
        this.#operations.release(browser);
        break;
      }
      await this.#requirePool(caller);
      return undefined;
    });
  }

  cancelAcquire(callId: string): void {
    this.#state.queue.cancel(callId);
  }

  /** Prepares a browser for its next lease, or replaces it. `lease` limits the release to that lease. */
  release(
    caller: PoolCaller,
    { sessionId, reuse, lease }: { sessionId: string; reuse: boolean; lease?: number },
  ): Promise<Outcome<void>> {
    return settle(async () => {
      await this.#requirePool(caller);
      const { browsers } = this.#state;
      const browser = browsers.get(sessionId);
      const isHeld = browser?.state === "leased" || browser?.state === "releasing";
      if (!isHeld || (lease !== undefined && browser.lease !== lease))
        throw notFound("leased browser session");
      // A repeated call just waits for the release in progress.
      if (browser.state === "leased") {
        if (reuse) browsers.move(sessionId, "releasing");
        else browsers.move(sessionId, "ending", "released");
      }
      await this.#operations.settle(sessionId);
    });
  }

  /** Affects new browsers. A smaller pool ends idle browsers at once, and leased ones when released. */
  update(
    caller: PoolCaller,
    configuration: PoolChange,
    { telemetry, discardAllIdle }: { telemetry: TelemetryRequest | null; discardAllIdle: boolean },
  ): Promise<Outcome<void>> {
    return this.#change(caller, async (record) => {
      const current = record.pool.telemetry ?? DEFAULT_CONFIG;
      const change = { ...configuration, telemetry: changeConfig(current, telemetry) };
      const { headless = record.pool.headless, record: isRecorded = record.pool.record } = change;
      requireRecordable({ headless, record: isRecorded });
      const limit = readSettings(this.env).maxPooledSessions;
      const pool = await updatePool(this.#state.database, record.pool, change, limit);
      if (pool === undefined) throw notFound("browser pool");
      if (typeof pool === "string") throw toPoolError(pool, change.name ?? "");
      this.#state.write({ ...record, pool });
      if (discardAllIdle) this.#operations.filling.addReplacements(this.#operations.discardAllIdle());
      else this.#operations.discardExcess(pool.size);
      await this.#operations.endDiscarded();
      this.#operations.filling.fill();
    });
  }

  flush(caller: PoolCaller): Promise<Outcome<void>> {
    return this.#change(caller, async () => {
      this.#operations.discardAllIdle();
      await this.#operations.endDiscarded();
      this.#operations.filling.fill();
    });
  }

  delete(caller: PoolCaller, force: boolean): Promise<Outcome<void>> {
    return this.#change(caller, async (record) => {
      const state = this.#state;
      const leased = state.browsers.inState("leasing", "leased", "releasing").length;
      if (leased > 0 && !force) {
        throw conflict(`Browsers of the pool are leased (${leased}); release them, or delete it with force`);
      }
      state.write({ ...record, isDeleted: true });
      state.settleSoon();
      try {
        await deletePool(state.database, record.pool.id);
      } catch (error) {
        state.write({ ...record, isDeleted: false });
        throw error;
      }
      logEvent("pool_deleted", { ...state.identity, browsers: state.browsers.size });
      await this.#resume();
    });
  }

  /** Called by a session that has ended, until the call succeeds. */
  removeSession(sessionId: string): void {
    const { browsers } = this.#state;
    if (browsers.get(sessionId) === undefined) return;
    browsers.remove(sessionId);
    this.#operations.filling.fill();
    this.ctx.waitUntil(this.#state.deleteIfEmpty());
  }

  override async alarm(): Promise<void> {
    const state = this.#state;
    await state.deadlines.run(
      async (kind) => {
        // Not awaited: the alarm handler must not wait for a browser.
        if (kind === "fill") return this.#operations.filling.fill();
        state.clearSettleTime();
        if (this.#operations.isBusy) state.settleSoon();
        this.ctx.waitUntil(this.#resume());
      },
      (kind, error) => logError("pool_deadline_failed", error, { ...state.identity, deadline: kind }),
    );
  }

  async #restart(poolId: string): Promise<void> {
    try {
      await this.reconcile(poolId);
    } catch (error) {
      logError("pool_reconcile_failed", error, this.#state.identity);
      await this.#resume();
    }
  }

  /** A start may reach its session after the pool has given up on it. */
  async #endOrphans(poolId: string): Promise<void> {
    const { database, browsers, identity } = this.#state;
    const sessionIds = await listPooledSessions(database, poolId, Date.now() - GRACE_PERIOD_MS);
    const orphans = sessionIds.filter((sessionId) => browsers.get(sessionId) === undefined);
    if (orphans.length === 0) return;
    logEvent("pool_orphans_ended", { ...identity, sessions: orphans.length });
    await this.#operations.discardUnknown(orphans);
  }

  async #resume(): Promise<void> {
    try {
      if (this.#state.record?.isDeleted) return await this.#end(this.#state.record.pool.id);
      await this.#operations.settleAll();
      this.#operations.filling.fill();
    } catch (error) {
      logError("pool_resume_failed", error, this.#state.identity);
      this.#state.settleSoon();
    }
  }

  async #end(poolId: string): Promise<void> {
    const { database, browsers, queue } = this.#state;
    this.#state.settleSoon();
    queue.cancelAll();
    await deletePool(database, poolId);
    const launching = browsers.inState("launching");
    const others = browsers.all().filter(({ state }) => state !== "launching");
    for (const { sessionId } of browsers.all()) browsers.move(sessionId, "ending", "pool_deleted");
    // Launches may take a long time, so they run in the background.
    this.ctx.waitUntil(this.#operations.settleEach(launching));
    await this.#operations.settleEach(others);
    await this.#state.deleteIfEmpty();
  }

  #change(caller: PoolCaller, work: (record: PoolRecord) => Promise<void>): Promise<Outcome<void>> {
    return settle(async () => {
      await this.#requirePool(caller);
      await this.#serialize(() => work(this.#state.requireRecord(caller)));
    });
  }

  async #requirePool({ poolId, ...scope }: PoolCaller): Promise<BrowserPoolRow> {
    if (this.#state.record === undefined) await this.reconcile(poolId);
    return this.#state.requireRecord(scope).pool;
  }

  #serialize<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#lastChange.then(work);
    this.#lastChange = done.catch(() => undefined);
    return done;
  }
}

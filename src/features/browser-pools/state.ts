import { notFound } from "../../lib/common/errors.ts";
import type { LogFields } from "../../lib/common/log.ts";
import type { ProjectScope } from "../../lib/database/project-scope.ts";
import type { BrowserPoolRow } from "../../lib/database/schema/browser-pools.ts";
import { ObjectState } from "../../lib/objects/object-state.ts";
import { type PoolBrowser, PoolBrowsers } from "./pool-browsers.ts";
import { WaitQueue } from "./wait-queue.ts";

/** The alarm settles work that has not finished by then. */
const SETTLE_DELAY_MS = 30_000;

export interface PoolRecord {
  pool: BrowserPoolRow;
  /** False while the organization is disabled or over its budget. */
  isEnabled: boolean;
  /** Hidden from callers; its browsers are being ended. */
  isDeleted: boolean;
}

/** The state of one pool, shared by the parts of its Durable Object. */
export class PoolState extends ObjectState<PoolRecord, "fill" | "settle"> {
  readonly kv: SyncKvStorage;
  readonly browsers: PoolBrowsers;
  readonly queue: WaitQueue<PoolBrowser>;
  #settleAt = 0;

  constructor(context: DurableObjectState, env: Env) {
    super(context, env, "pool");
    this.kv = context.storage.kv;
    this.browsers = new PoolBrowsers(this.kv);
    this.queue = new WaitQueue(() => this.browsers.lease());
  }

  get fillable(): BrowserPoolRow | undefined {
    const { pool, isEnabled, isDeleted } = this.record ?? {};
    return isEnabled && !isDeleted ? pool : undefined;
  }

  requireRecord({ organizationId, projectId }: ProjectScope): PoolRecord {
    const record = this.record;
    const { pool, isDeleted } = record ?? {};
    const isOwn = pool?.organizationId === organizationId && pool.projectId === projectId;
    if (record === undefined || isDeleted || !isOwn) {
      throw notFound("browser pool");
    }
    return record;
  }

  settleSoon(): void {
    if (this.record === undefined || this.#settleAt > Date.now()) return;
    this.#settleAt = Date.now() + SETTLE_DELAY_MS;
    this.waitUntil(this.deadlines.set({ settle: this.#settleAt }));
  }

  clearSettleTime(): void {
    this.#settleAt = 0;
  }

  /** Deletes the object's storage once the pool is deleted and all of its browsers have ended. */
  async deleteIfEmpty(): Promise<void> {
    if (!this.record?.isDeleted || this.browsers.size > 0) return;
    await this.delete();
  }

  override get identity(): LogFields {
    return { pool_id: this.record?.pool.id, organization_id: this.record?.pool.organizationId };
  }
}

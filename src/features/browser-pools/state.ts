import { Deadlines } from "../../lib/alarms/deadlines.ts";
import { notFound } from "../../lib/common/errors.ts";
import { type Database, openDatabase } from "../../lib/database/client.ts";
import type { ProjectScope } from "../../lib/database/project-scope.ts";
import type { BrowserPoolRow } from "../../lib/database/schema/browser-pools.ts";
import { type PoolBrowser, PoolBrowsers } from "./pool-browsers.ts";
import { WaitQueue } from "./wait-queue.ts";

/** The alarm settles work that has not finished by then. */
const SETTLE_DELAY_MS = 30_000;

const RECORD_KEY = "pool";

export interface PoolRecord {
  pool: BrowserPoolRow;
  /** False while the organization is disabled or over its budget. */
  isEnabled: boolean;
  /** Hidden from callers; its browsers are being ended. */
  isDeleted: boolean;
}

/** The state of one pool, shared by the parts of its Durable Object. */
export class PoolState {
  readonly env: Env;
  readonly kv: SyncKvStorage;
  readonly deadlines: Deadlines<"fill" | "settle">;
  readonly browsers: PoolBrowsers;
  readonly queue: WaitQueue<PoolBrowser>;
  readonly #context: DurableObjectState;
  #record: PoolRecord | undefined;
  #settleAt = 0;

  constructor(context: DurableObjectState, env: Env) {
    const { kv } = context.storage;
    this.#context = context;
    this.env = env;
    this.kv = kv;
    this.deadlines = new Deadlines(context.storage);
    this.browsers = new PoolBrowsers(kv);
    this.queue = new WaitQueue(() => this.browsers.lease());
    this.#record = kv.get<PoolRecord>(RECORD_KEY);
  }

  get record(): PoolRecord | undefined {
    return this.#record;
  }

  write(record: PoolRecord): void {
    this.#record = record;
    this.kv.put(RECORD_KEY, record);
  }

  get fillable(): BrowserPoolRow | undefined {
    const { pool, isEnabled, isDeleted } = this.#record ?? {};
    return isEnabled && !isDeleted ? pool : undefined;
  }

  requireRecord({ organizationId, projectId }: ProjectScope): PoolRecord {
    const record = this.#record;
    const { pool, isDeleted } = record ?? {};
    const isOwn = pool?.organizationId === organizationId && pool.projectId === projectId;
    if (record === undefined || isDeleted || !isOwn) {
      throw notFound("browser pool");
    }
    return record;
  }

  settleSoon(): void {
    if (this.#record === undefined || this.#settleAt > Date.now()) return;
    this.#settleAt = Date.now() + SETTLE_DELAY_MS;
    this.waitUntil(this.deadlines.set({ settle: this.#settleAt }));
  }

  clearSettleTime(): void {
    this.#settleAt = 0;
  }

  /** Deletes the object's storage once the pool is deleted and all of its browsers have ended. */
  async deleteIfEmpty(): Promise<void> {
    if (!this.#record?.isDeleted || this.browsers.size > 0) return;
    this.#record = undefined;
    await this.#context.storage.deleteAlarm();
    await this.#context.storage.deleteAll();
  }

  waitUntil(work: Promise<unknown>): void {
    this.#context.waitUntil(work);
  }

  get identity() {
    return { pool_id: this.#record?.pool.id, organization_id: this.#record?.pool.organizationId };
  }

  get database(): Database {
    return openDatabase(this.env.DB);
  }
}

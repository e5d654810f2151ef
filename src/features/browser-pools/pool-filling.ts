import { ServiceError } from "../../lib/common/errors.ts";
import { newIdentifier } from "../../lib/common/identifiers.ts";
import { logError } from "../../lib/common/log.ts";
import type { BrowserPoolRow } from "../../lib/database/schema/browser-pools.ts";
import type { Background } from "../../lib/objects/background.ts";
import { launchDelay } from "../../platform/broker/index.ts";
import { emitEvent } from "../webhooks/index.ts";
import { type FillState, NEW_FILL_STATE, planFill } from "./fill-policy.ts";
import type { PoolState } from "./state.ts";
import { updatePoolError } from "./store.ts";

const STATE_KEY = "fill";

const LAUNCH_FAILED = "The browser could not be launched";

interface BrowserLauncher {
  start(pool: BrowserPoolRow, sessionId: string): Promise<void>;
  settle(sessionId: string): Promise<void>;
}

/** Launches the browsers that a pool lacks, as {@link planFill} decides. */
export class PoolFilling {
  readonly #pool: PoolState;
  readonly #launcher: BrowserLauncher;
  #state: FillState;

  constructor(pool: PoolState, launcher: BrowserLauncher) {
    this.#pool = pool;
    this.#launcher = launcher;
    this.#state = pool.kv.get<FillState>(STATE_KEY) ?? NEW_FILL_STATE;
  }

  fill(): void {
    const { browsers, deadlines, fillable: pool } = this.#pool;
    if (pool === undefined) return;
    const counts = {
      size: pool.size,
      existing: browsers.size,
      leaving: browsers.leaving,
      launching: browsers.inState("launching").length,
      fillRatePerMinute: pool.fillRatePerMinute,
    };
    const plan = planFill(counts, this.#state, Date.now());
    this.#write(plan.state);
    for (let launch = 0; launch < plan.launches; launch += 1) {
      this.#pool.waitUntil(this.#launch(pool, { isReplacement: launch < plan.owed }));
    }
    if (plan.wakeAt !== undefined) this.#pool.waitUntil(deadlines.set({ fill: plan.wakeAt }));
  }

  addReplacements(browsers: number): void {
    this.#write({ ...this.#state, owed: this.#state.owed + browsers });
  }

  /** Lets the fill rate allow another launch in place of a failed one. */
  refund(): void {
    this.#write({ ...this.#state, nextAt: Math.min(this.#state.nextAt, Date.now()) });
  }

  async #launch(pool: BrowserPoolRow, { isReplacement }: { isReplacement: boolean }): Promise<void> {
    const { browsers } = this.#pool;
    const sessionId = newIdentifier();
    // Concurrent failures count as one.
    const failures = this.#state.failures + 1;
    browsers.add(sessionId);
    try {
      await this.#launcher.start(pool, sessionId);
      this.#write({ ...this.#state, failures: 0 });
      this.#recordError(undefined);
    } catch (error) {
      this.#recordError(error);
      this.#backOff(error, failures);
      if (!browsers.get(sessionId)?.isUnwanted) {
        if (isReplacement) this.addReplacements(1);
        else this.refund();
      }
      browsers.move(sessionId, "ending", "discarded");
    }
    await this.#launcher.settle(sessionId);
    this.fill();
  }

  #backOff(error: unknown, failures: number): void {
    const retryAfterSeconds = error instanceof ServiceError ? (error.retryAfterSeconds ?? 0) : 0;
    const delayMs = launchDelay(failures, retryAfterSeconds * 1000);
    logError("pool_launch_failed", error, { ...this.#pool.identity, failures, retry_in_ms: delayMs });
    const backOffUntil = Math.max(this.#state.backOffUntil, Date.now() + delayMs);
    this.#write({ ...this.#state, failures, backOffUntil });
  }

  /** Undefined: the launch succeeded. */
  #recordError(error: unknown): void {
    const { record, database } = this.#pool;
    if (record === undefined || (error === undefined && record.pool.lastError === null)) return;
    const message = error instanceof ServiceError ? error.message : LAUNCH_FAILED;
    const last =
      error === undefined
        ? { lastError: null, lastErrorAt: null }
        : { lastError: message, lastErrorAt: Date.now() };
    if (error !== undefined && record.pool.lastError === null)
      emitPoolFailing(this.#pool, record.pool, message);
    this.#pool.write({ ...record, pool: { ...record.pool, ...last } });
    this.#pool.waitUntil(
      updatePoolError(database, record.pool.id, last).catch((failure) =>
        logError("pool_error_save_failed", failure, this.#pool.identity),
      ),
    );
  }

  #write(state: FillState): void {
    this.#state = state;
    // A deleted pool must leave nothing in storage.
    if (this.#pool.fillable !== undefined) this.#pool.kv.put(STATE_KEY, state);
  }
}

function emitPoolFailing(
  background: Background,
  { id, name, organizationId }: BrowserPoolRow,
  error: string,
): void {
  const failed_at = new Date().toISOString();
  emitEvent(background, organizationId, "pool.failing", { pool_id: id, name, error, failed_at });
}

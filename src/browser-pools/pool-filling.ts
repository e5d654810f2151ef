import type { Deadlines } from "../alarms/deadlines.ts";
import { ServiceError } from "../common/errors.ts";
import { newIdentifier } from "../common/identifiers.ts";
import { type LogFields, logError } from "../common/log.ts";
import type { BrowserPoolRow } from "../database/schema/browser-pools.ts";
import { launchDelay } from "../sessions/index.ts";
import { type FillState, NEW_FILL_STATE, planFill } from "./fill-policy.ts";
import type { PoolMembers } from "./pool-members.ts";

const STATE_KEY = "fill";

interface PoolFillingOptions {
  kv: SyncKvStorage;
  members: PoolMembers;
  deadlines: Pick<Deadlines<"fill">, "set">;
  /** The pool, while browsers may be made for it. */
  readPool: () => BrowserPoolRow | undefined;
  /** Starts the session of a member. @throws when it does not start. */
  start: (pool: BrowserPoolRow, sessionId: string) => Promise<void>;
  /** Notes why a launch has failed; undefined: it has not. */
  noteLaunch: (error: unknown) => void;
  /** Brings a member whose start has failed, or that is not wanted any more, to its end. */
  settle: (sessionId: string) => Promise<void>;
  /** Keeps the object alive while work is under way. */
  waitUntil: (work: Promise<unknown>) => void;
  /** Names the pool in log lines. */
  identify: () => LogFields;
}

/** Launches the browsers that a pool lacks, as {@link planFill} says. */
export class PoolFilling {
  readonly #options: PoolFillingOptions;
  #state: FillState;

  constructor(options: PoolFillingOptions) {
    this.#options = options;
    this.#state = options.kv.get<FillState>(STATE_KEY) ?? NEW_FILL_STATE;
  }

  /** Launches what is to be launched now, and sets the alarm for what is to be later. */
  fill(): void {
    const { members, deadlines, waitUntil } = this.#options;
    const pool = this.#options.readPool();
    if (pool === undefined) return;
    const stock = {
      size: pool.size,
      existing: members.size,
      leaving: members.leaving,
      launching: members.inState("launching").length,
      fillRatePerMinute: pool.fillRatePerMinute,
    };
    const plan = planFill(stock, this.#state, Date.now());
    this.#write(plan.state);
    for (let launch = 0; launch < plan.launches; launch += 1) {
      waitUntil(this.#launch(pool, { isOwed: launch < plan.owed }));
    }
    if (plan.wakeAt !== undefined) waitUntil(deadlines.set({ fill: plan.wakeAt }));
  }

  /** So many more browsers are launched as soon as there is a place for them, whatever the fill rate. */
  owe(browsers: number): void {
    this.#write({ ...this.#state, owed: this.#state.owed + browsers });
  }

  /** The fill rate allows one more: one that it allowed has come to nothing. */
  giveTurnBack(): void {
    this.#write({ ...this.#state, nextAt: Math.min(this.#state.nextAt, Date.now()) });
  }

  async #launch(pool: BrowserPoolRow, { isOwed }: { isOwed: boolean }): Promise<void> {
    const { members, start, settle, noteLaunch } = this.#options;
    const sessionId = newIdentifier();
    const failuresBefore = this.#state.failures;
    members.add(sessionId);
    try {
      await start(pool, sessionId);
      this.#write({ ...this.#state, failures: 0 });
      noteLaunch(undefined);
    } catch (error) {
      noteLaunch(error);
      this.#backOff(error, failuresBefore + 1);
      if (!members.get(sessionId)?.isUnwanted) this.#tryAgain(isOwed);
      members.move(sessionId, "ending", "discarded");
    }
    await settle(sessionId);
    this.fill();
  }

  /** When launches are tried again, not when the fill rate would allow one more. */
  #tryAgain(isOwed: boolean): void {
    if (isOwed) this.owe(1);
    else this.giveTurnBack();
  }

  /** Of launches that fail side by side each counts as the first: together they tell no more than one. */
  #backOff(error: unknown, failures: number): void {
    const retryAfterSeconds = error instanceof ServiceError ? (error.retryAfterSeconds ?? 0) : 0;
    const delayMs = launchDelay(failures, retryAfterSeconds * 1000);
    logError("pool_launch_failed", error, { ...this.#options.identify(), failures, retry_in_ms: delayMs });
    const backOffUntil = Math.max(this.#state.backOffUntil, Date.now() + delayMs);
    this.#write({ ...this.#state, failures, backOffUntil });
  }

  #write(state: FillState): void {
    this.#state = state;
    // Of a pool that is deleted nothing is to be left.
    if (this.#options.readPool() !== undefined) this.#options.kv.put(STATE_KEY, state);
  }
}

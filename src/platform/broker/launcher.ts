import { resolveWithin } from "../../lib/common/concurrency.ts";
import { serviceUnavailable } from "../../lib/common/errors.ts";
import { logError, logEvent } from "../../lib/common/log.ts";
import { BrowserUnavailableError, readLimits } from "../browser/index.ts";
import type { Account, AccountLimits } from "./account.ts";
import { accountBinding, accountNames, accountOf, toBrowserId } from "./accounts.ts";
import type { BrowserCloser } from "./browser-closer.ts";
import { noBrowserInTime, toLaunchError } from "./launch-error.ts";
import type { LaunchInAccount, LaunchResult } from "./launch-in-account.ts";
import type { QueuedLaunch } from "./launch-queue.ts";
import { LaunchSchedule, type ScheduledLaunch } from "./launch-schedule.ts";
import type { BrokerState } from "./state.ts";

/** After this time, a launch counts as lost. Its owner waits at most a minute for the platform. */
const LOST_AFTER_MS = 70_000;

/** For how long a session waits for a standby browser that is being launched; a launch takes 2 to 4 seconds. */
const MAX_COMING_MS = 5000;

/** Who a browser is launched for. The id is the session's; the session owns the browser from then on. */
export interface LaunchFor extends Omit<QueuedLaunch, "deadline"> {
  /** Whether a standby browser will do. */
  allowsStandby: boolean;
}

export interface AcquiredBrowser {
  browserId: string;
  /** It was launched earlier, so it may be gone by now. */
  isStandby: boolean;
  /** The time that standby browsers have waited, in milliseconds, and that no earlier session counts. */
  standbyMs: number;
}

interface Launch extends LaunchFor, ScheduledLaunch {
  launchIn: LaunchInAccount;
  answer: PromiseWithResolvers<AcquiredBrowser>;
}

/** Launches browsers in fair order within the accounts' limits. Whatever changes these calls `dispatch`. */
export class Launcher {
  readonly #state: BrokerState;
  readonly #closer: BrowserCloser;
  readonly #schedule = new LaunchSchedule<Launch>();
  /** Standby browsers that are being launched. The first sessions wait for them, which takes less long. */
  readonly coming = new Set<{ since: number }>();
  /** Launches whose callers still wait, queued or under way, by id. */
  readonly #launches = new Map<string, Launch>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(state: BrokerState, closer: BrowserCloser) {
    this.#state = state;
    this.#closer = closer;
  }

  /**
   * Lets its owner launch a browser. A repeated call waits for the same launch.
   *
   * @param launchIn is called when the launch may begin.
   * @throws ServiceError 503 when it fails or cannot begin in time.
   */
  async launch(wanted: LaunchFor, launchIn: LaunchInAccount): Promise<AcquiredBrowser> {
    const known = this.#launches.get(wanted.id);
    if (known !== undefined) {
      // The earlier caller's object may have been reset.
      known.launchIn = launchIn;
      return known.answer.promise;
    }
    const now = Date.now();
    const deadline = now + this.#state.settings.launchWaitMs;
    this.#countBrowsers();
    const hasStandby = wanted.allowsStandby && this.#state.records.list("ready").length > 0;
    const startsAt = hasStandby ? now : this.#schedule.estimate(wanted, now);
    if (startsAt > deadline) throw noBrowserInTime(startsAt - now);
    const answer = Promise.withResolvers<AcquiredBrowser>();
    const launch: Launch = { ...wanted, launchIn, deadline, answer, tried: new Set() };
    this.#launches.set(launch.id, launch);
    this.#schedule.queue.add(launch);
    this.dispatch();
    if (this.#schedule.queue.has(launch.id)) {
      logEvent("browser_launch_queued", { kind: launch.kind, waiting: this.#schedule.queue.size });
    }
    return launch.answer.promise;
  }

  /** Gives up a launch that has not begun. */
  leaveQueue(id: string): void {
    if (this.#schedule.queue.has(id)) this.abandon(id);
  }

  /** Gives up a launch in any phase. A browser that arrives too late is closed. */
  abandon(id: string): void {
    const launch = this.#launches.get(id);
    if (launch === undefined) return;
    this.#schedule.queue.remove(id);
    this.#fail(launch, serviceUnavailable("The launch was given up while it waited for a free browser"));
    this.dispatch();
  }

  get waiting(): number {
    return this.#schedule.queue.size;
  }

  /** How many browsers the platform allows, as far as it is known. */
  get maxBrowsers(): number {
    return this.#schedule.maxBrowsers;
  }

  /** Launches whose callers still wait. */
  get launches(): Iterable<LaunchFor> {
    return this.#launches.values();
  }

  /** Begins all launches that may begin now. */
  dispatch(): void {
    const now = Date.now();
    this.#countBrowsers();
    while (this.#handOverReady(now) || this.#begin(now));
    for (const { launch, retryAfterMs } of this.#schedule.takeHopeless(now)) {
      logEvent("browser_launch_refused", { kind: launch.kind, waiting: this.#schedule.queue.size });
      this.#fail(launch, noBrowserInTime(retryAfterMs));
    }
    this.#makeRoom();
    clearTimeout(this.#timer ?? null);
    if (this.#launches.size === 0) return;
    for (const account of this.#schedule.beginReading(now)) {
      this.#state.inBackground("browser_limits_not_read", this.#readLimits(account));
    }
    if (this.#schedule.queue.size === 0) return;
    const comingUntil = [...this.coming].map(({ since }) => since + MAX_COMING_MS).filter((at) => at > now);
    const nextAt = Math.min(this.#schedule.nextChangeAt(now), ...comingUntil);
    this.#timer = setTimeout(() => this.dispatch(), nextAt - now);
  }

  /** Gives a standby browser to the first launch that accepts one. @returns false if there is none. */
  #handOverReady(now: number): boolean {
    const { records } = this.#state;
    if (records.list("ready").length === 0) return false;
    const launch = this.#schedule.queue.take(({ allowsStandby }) => allowsStandby);
    const ready = launch && records.takeReady({ ...launch, sessionId: launch.id }, now);
    if (launch === undefined || ready === undefined) return false;
    this.#launches.delete(launch.id);
    launch.answer.resolve({ ...ready, isStandby: true });
    return true;
  }

  /** Closes standby browsers that hold the slots of launches that cannot use them. */
  #makeRoom(): void {
    const { records } = this.#state;
    const missing = this.#schedule.countBlocked() - records.list("closing").length;
    const ready = records.list("ready").slice(0, Math.max(0, missing));
    const closing = this.#closer.close(ready.map(({ browserId }) => browserId));
    this.#state.inBackground("browser_not_closed", closing);
  }

  /** @returns false if nothing may begin. */
  #begin(now: number): boolean {
    let coming = [...this.coming].filter(({ since }) => now - since < MAX_COMING_MS).length;
    const begun = this.#schedule.begin(now, ({ allowsStandby }) => !allowsStandby || coming-- <= 0);
    if (begun === undefined) return false;
    this.#state.inBackground("browser_launch_crashed", this.#launch(begun.launch, begun.account));
    return true;
  }

  async #launch(launch: Launch, account: Account): Promise<void> {
    const launchedAt = Date.now();
    const { launchIn } = launch;
    const launching = async () => {
      const result = await launchIn(account.name);
      if ("browserId" in result) this.#deliver(launch, result.browserId, launchedAt);
      return result;
    };
    const result = await resolveWithin(launching(), LOST_AFTER_MS).catch(() => undefined);
    if (result === undefined) this.#handleLoss(launch, account, launchIn);
    else if ("failure" in result) this.#handleFailure(launch, account, result);
    else account.launched();
    this.dispatch();
  }

  /** The browser is recorded before anyone learns of it. */
  #deliver(launch: Launch, browserId: string, launchedAt: number): void {
    const { id: sessionId, organizationId, kind } = launch;
    this.#state.records.add({ browserId, sessionId, organizationId, kind, state: "used", launchedAt });
    launch.answer.resolve({ browserId, isStandby: false, standbyMs: 0 });
    if (!this.#isWanted(launch)) {
      this.#state.inBackground("browser_not_closed", this.#closer.close([browserId]));
      return;
    }
    this.#launches.delete(sessionId);
    // It waits again if it seemed lost.
    this.#schedule.queue.remove(sessionId);
  }

  /** The owner's object was reset or is not responding. That says nothing about the account. */
  #handleLoss(launch: Launch, account: Account, launchIn: LaunchInAccount): void {
    account.lost();
    logEvent("browser_launch_lost", { kind: launch.kind });
    if (!this.#isWanted(launch)) return;
    if (launch.launchIn !== launchIn) this.#schedule.queue.putBack(launch);
    else this.#fail(launch, serviceUnavailable("The launch was interrupted; try again"));
  }

  #handleFailure(
    launch: Launch,
    account: Account,
    { failure, cause }: Extract<LaunchResult, { failure: unknown }>,
  ): void {
    const { queue } = this.#schedule;
    const { kind, message, retryAfterSeconds } = failure;
    const error = new BrowserUnavailableError(kind, message, retryAfterSeconds, cause);
    logError("browser_launch_failed", error, { account: account.name, waiting: queue.size });
    const refusedForMs = kind === "limit" ? retryAfterSeconds * 1000 : undefined;
    const mayRetry = this.#schedule.mayRetry(launch, account, Date.now(), refusedForMs);
    if (!this.#isWanted(launch)) return;
    if (mayRetry) queue.putBack(launch);
    else this.#fail(launch, toLaunchError(error));
  }

  #isWanted(launch: Launch): boolean {
    return this.#launches.get(launch.id) === launch;
  }

  #fail(launch: Launch, error: Error): void {
    this.#launches.delete(launch.id);
    // An abandoned launch has no listener.
    launch.answer.promise.catch(() => undefined);
    launch.answer.reject(error);
  }

  async #readLimits(account: Account): Promise<void> {
    let limits: AccountLimits | undefined;
    try {
      const read = await readLimits(accountBinding(this.#state.env, account.name));
      limits = read && { ...read, foreign: this.#countForeign(account, read.running) };
    } catch (error) {
      logError("browser_limits_not_read", error, { account: account.name });
    }
    account.limitsRead(limits, Date.now());
    this.dispatch();
  }

  #countForeign({ name, underWay }: Account, running: readonly string[]): number {
    const present = new Set(running.map((id) => toBrowserId(name, id)));
    const own = this.#state.records.list().filter(({ browserId }) => accountOf(browserId) === name);
    const missing = own.filter(({ browserId }) => !present.has(browserId));
    // The platform's list may lag behind.
    const before = Date.now() - this.#state.settings.browserListLagMs;
    const gone = missing.filter(({ launchedAt }) => launchedAt < before);
    // A browser that is being launched may run already.
    return Math.max(0, present.size - (own.length - missing.length) - underWay) - gone.length;
  }

  #countBrowsers(): void {
    const counts = new Map(accountNames(this.#state.env).map((name) => [name, 0]));
    for (const { browserId } of this.#state.records.list()) {
      const account = accountOf(browserId);
      const count = counts.get(account);
      if (count !== undefined) counts.set(account, count + 1);
    }
    this.#schedule.setAccounts(counts);
  }
}

import { Account } from "./account.ts";
import { LaunchQueue, type QueuedLaunch } from "./launch-queue.ts";

/** When to try again while all accounts are full. The platform does not say when a browser will close. */
const FULL_RETRY_MS = 10_000;

export interface ScheduledLaunch extends QueuedLaunch {
  /** Names of accounts where it has failed. */
  tried: Set<string>;
}

/** Decides which launch begins when, and in which account. Times are milliseconds since the epoch. */
export class LaunchSchedule<T extends ScheduledLaunch> {
  readonly queue = new LaunchQueue<T>();
  #accounts: Account[] = [];

  /** @param own the number of the broker's browsers in each account, by account name. */
  setAccounts(own: ReadonlyMap<string, number>): void {
    this.#accounts = [...own].map(([name, browsers]) => {
      const account = this.#accounts.find((known) => known.name === name) ?? new Account(name);
      account.own = browsers;
      return account;
    });
  }

  /**
   * Takes the first launch that an account may do now. One that has failed there does not hold up others.
   *
   * @param mayBegin is asked in the order of service.
   */
  begin(now: number, mayBegin: (launch: T) => boolean = () => true) {
    const accountFor = ({ tried }: T) => chooseAccount(this.#accounts, tried, now);
    const launch = this.queue.take((waiting) => mayBegin(waiting) && accountFor(waiting) !== undefined);
    const account = launch && accountFor(launch);
    if (launch === undefined || account === undefined) return undefined;
    account.launchBegan();
    return { launch, account };
  }

  /**
   * Records that a launch has failed in an account.
   *
   * @param refusedForMs the time to wait, if the account has reached a limit.
   * @returns false if it has failed in all accounts.
   */
  mayRetry(launch: T, account: Account, now: number, refusedForMs?: number): boolean {
    if (refusedForMs === undefined) {
      account.failed(now);
      launch.tried.add(account.name);
    } else account.refused(refusedForMs, now);
    return this.#accounts.some(({ name }) => !launch.tried.has(name));
  }

  /** When a launch can begin at the platform's rate. @returns a lower bound: slots may stay in use longer. */
  estimate(launch: Pick<T, "organizationId" | "weight" | "kind">, now: number): number {
    return estimateLaunchAt(this.#accounts, this.queue.ahead(launch), now);
  }

  /** Removes the launches that cannot begin before their deadlines. */
  takeHopeless(now: number): { launch: T; retryAfterMs: number }[] {
    const hopeless = this.queue.takeHopeless(nextLaunchAt(this.#accounts, now));
    const leastMs = this.#accounts.every(({ isFull }) => isFull) ? FULL_RETRY_MS : 0;
    const estimatedMs = estimateLaunchAt(this.#accounts, this.queue.size, now) - now;
    return hopeless.map((launch) => ({ launch, retryAfterMs: Math.max(leastMs, estimatedMs) }));
  }

  /** The browsers that all accounts may run. */
  get maxBrowsers(): number {
    return this.#accounts.reduce((sum, account) => sum + account.maxBrowsers, 0);
  }

  /** Launches of callers that wait because all accounts are full. */
  countBlocked(): number {
    if (this.queue.size === 0 || this.#accounts.some(({ isKnown, isFull }) => !isKnown || !isFull)) return 0;
    return this.queue.countOthers("standby");
  }

  /** The accounts whose limits must be read now. */
  beginReading(now: number): Account[] {
    const due = this.#accounts.filter(({ readDueAt }) => readDueAt <= now);
    for (const account of due) account.readingBegan();
    return due;
  }

  /** When something may change without an event while launches are waiting. */
  nextChangeAt(now: number): number {
    const reads = this.#accounts.map(({ readDueAt }) => readDueAt);
    const times = [this.queue.nextDeadline, nextLaunchAt(this.#accounts, now), ...reads];
    return Math.min(...times.filter((at) => at > now));
  }
}

/**
 * The account to launch the next browser in: the least used one that has a free slot now. Failing accounts
 * are used only if all are failing.
 *
 * @param tried names of accounts where this launch has failed.
 */
export function chooseAccount(
  accounts: readonly Account[],
  tried: ReadonlySet<string>,
  now: number,
): Account | undefined {
  const healthy = accounts.filter((account) => account.avoidUntil <= now);
  return (healthy.length > 0 ? healthy : accounts)
    .filter((account) => !tried.has(account.name) && account.mayLaunch(now))
    .toSorted((first, second) => first.load - second.load)[0];
}

/** The earliest moment at which any account may launch. One without a free slot may get one at any time. */
export function nextLaunchAt(accounts: readonly Account[], now: number): number {
  return Math.min(...accounts.map(({ launchAt }) => Math.max(now, launchAt)));
}

/** When a launch with `ahead` others before it can begin. */
export function estimateLaunchAt(accounts: readonly Account[], ahead: number, now: number): number {
  const perMs = accounts.reduce((sum, { launchesPerMs }) => sum + launchesPerMs, 0);
  return nextLaunchAt(accounts, now) + ahead / perMs;
}

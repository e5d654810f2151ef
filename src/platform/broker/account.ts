import { launchDelay } from "./launch-delay.ts";

/** What an account of the platform allows at one moment. */
export interface AccountLimits {
  /** Browsers that the account may run at once. */
  maxBrowsers: number;
  /** Browsers of other brokers and services, minus our own ones that the platform no longer runs. */
  foreign: number;
  /** Launches that were allowed at once. */
  allowedLaunches: number;
  /** Milliseconds until the next launch was allowed. */
  nextLaunchInMs: number;
}

/** Before the limits are read. */
const NO_LAUNCHES: AccountLimits = { maxBrowsers: 1, foreign: 0, allowedLaunches: 0, nextLaunchInMs: 0 };

/** For a platform that does not report its limits. A refusal corrects them. */
const UNKNOWN_LIMITS = { maxBrowsers: 120, foreign: 0, allowedLaunches: 1, nextLaunchInMs: 1000 };

const FRESH_MS = 5000;

/** Limits are read again when their launches are used up, but no more often than this. */
const MIN_READ_INTERVAL_MS = 250;

/** What a broker knows of an account. Times are milliseconds since the epoch. */
export class Account {
  /** Empty: the account of this Worker. */
  readonly name: string;
  /** This broker's recorded browsers, which are not gone. */
  own = 0;
  /** Launches that have begun and not ended. */
  underWay = 0;
  #limits = NO_LAUNCHES;
  #readAt = Number.NEGATIVE_INFINITY;
  #isReading = false;
  #maxAllowed = 0;
  /** Launches since the limits were read. */
  #launches = 0;
  #launchesBeforeReading = 0;
  /** The platform asked not to launch before this time. */
  #refusedUntil = 0;
  /** Failed launches since the last successful one. */
  #failures = 0;
  /** Other accounts are preferred until then. */
  avoidUntil = 0;

  constructor(name: string) {
    this.name = name;
  }

  launchBegan(): void {
    this.#launches += 1;
    this.underWay += 1;
  }

  launched(): void {
    this.underWay -= 1;
    this.#failures = 0;
    this.avoidUntil = 0;
  }

  /** A launch whose result is unknown. */
  lost(): void {
    this.underWay -= 1;
  }

  /** The platform refused a launch because of a limit. Its limits are to be read again. */
  refused(retryAfterMs: number, now: number): void {
    this.underWay -= 1;
    this.#refusedUntil = Math.max(this.#refusedUntil, now + retryAfterMs);
    this.#readAt = Number.NEGATIVE_INFINITY;
  }

  /** The account is avoided for a time that doubles with each failure. */
  failed(now: number): void {
    this.underWay -= 1;
    this.#failures += 1;
    this.avoidUntil = now + launchDelay(this.#failures, 0);
  }

  readingBegan(): void {
    this.#isReading = true;
    this.#launchesBeforeReading = this.#launches;
  }

  /** @param limits undefined when the platform did not report them. */
  limitsRead(limits: AccountLimits | undefined, now: number): void {
    this.#isReading = false;
    this.#limits = limits ?? (this.isKnown ? this.#limits : UNKNOWN_LIMITS);
    this.#maxAllowed = Math.max(this.#maxAllowed, this.#limits.allowedLaunches);
    this.#readAt = now;
    this.#launches -= this.#launchesBeforeReading;
  }

  /** When the limits must be read again. They may be used until then. */
  get readDueAt(): number {
    if (this.#isReading) return Number.POSITIVE_INFINITY;
    const { allowedLaunches, nextLaunchInMs } = this.#limits;
    if (this.#launches < allowedLaunches) return this.#readAt + FRESH_MS;
    return this.#readAt + Math.max(nextLaunchInMs, MIN_READ_INTERVAL_MS);
  }

  /** When the launch rate permits a launch. */
  get launchAt(): number {
    const { allowedLaunches, nextLaunchInMs } = this.#limits;
    const allowedAt = this.#launches < allowedLaunches ? 0 : this.#readAt + nextLaunchInMs;
    return Math.max(allowedAt, this.#refusedUntil);
  }

  /** What remains of a second's launches is less than the rate, so the most that was ever allowed counts. */
  get launchesPerMs(): number {
    const { nextLaunchInMs } = this.#limits;
    return this.#maxAllowed > 0 ? this.#maxAllowed / 1000 : 1 / Math.max(1, nextLaunchInMs);
  }

  /** Whether the limits were ever read. */
  get isKnown(): boolean {
    return this.#limits !== NO_LAUNCHES;
  }

  get maxBrowsers(): number {
    return this.#limits.maxBrowsers;
  }

  get isFull(): boolean {
    return this.#inUse >= this.maxBrowsers;
  }

  /** The share of its browsers that is in use. */
  get load(): number {
    return this.#inUse / this.maxBrowsers;
  }

  get #inUse(): number {
    return this.own + this.underWay + this.#limits.foreign;
  }

  mayLaunch(now: number): boolean {
    return !this.isFull && this.#launches < this.#limits.allowedLaunches && this.#refusedUntil <= now;
  }
}

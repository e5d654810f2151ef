import { acquireBrowser, BrowserUnavailableError, readLimits } from "../browser/index.ts";
import { serviceUnavailable } from "../common/errors.ts";
import { logError, logEvent } from "../common/log.ts";
import {
  type AccountLimits,
  type AccountState,
  type AccountUse,
  afterFailure,
  afterLaunch,
  afterLaunchBegan,
  afterRefusal,
  chooseAccount,
  estimateLaunchAt,
  freeSlots,
  newAccount,
  nextLaunchAt,
  readDueAt,
  withLimits,
} from "./account-policy.ts";
import { accountBinding, accountNames, toBrowserId } from "./accounts.ts";
import { noBrowserInTime, toLaunchError } from "./launch-error.ts";
import { LaunchQueue, type QueuedLaunch } from "./launch-queue.ts";
import type { BrokerState } from "./state.ts";

/** When to try again while all accounts are full. Nobody knows when a browser is closed. */
const FULL_RETRY_MS = 10_000;

const GIVEN_UP = "The launch was given up while it waited for a free browser";

/** Who a browser is launched for. The id is that of the session, which owns the browser from then on. */
export interface LaunchFor extends Omit<QueuedLaunch, "deadline"> {
  /** Whether a standby browser will do. */
  allowsStandby: boolean;
}

export interface AcquiredBrowser {
  browserId: string;
  /** It was launched earlier, so it may be gone. */
  isStandby: boolean;
}

interface Launch extends LaunchFor, QueuedLaunch {
  answer: PromiseWithResolvers<AcquiredBrowser>;
  /** Names of accounts where it has failed. */
  tried: Set<string>;
  /** The account where it is under way. */
  account?: string;
  /** Nobody waits for it any more. */
  isAbandoned: boolean;
}

interface Listener {
  /** A standby browser was handed to a session. */
  onReadyTaken: () => void;
  /** A launched browser has no owner. */
  onUnwanted: (browserId: string) => void;
}

/** Launches browsers in fair order, as far as the accounts' limits allow. Whatever changes them calls `dispatch`. */
export class Launcher {
  readonly #state: BrokerState;
  readonly #listener: Listener;
  readonly #queue = new LaunchQueue<Launch>();
  /** Those that wait and those under way, by id. */
  readonly #launches = new Map<string, Launch>();
  readonly #accounts = new Map<string, AccountState>();
  /** Names of the accounts whose limits are being read. */
  readonly #reading = new Set<string>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(state: BrokerState, listener: Listener) {
    this.#state = state;
    this.#listener = listener;
  }

  /**
   * Launches a browser. A repeated call waits for the same launch.
   *
   * @throws ServiceError 503 when it fails or cannot begin in time.
   */
  async launch(wanted: LaunchFor): Promise<AcquiredBrowser> {
    const known = this.#launches.get(wanted.id);
    if (known !== undefined) return known.answer.promise;
    const now = Date.now();
    const deadline = now + this.#state.settings.launchWaitMs;
    const startsAt = estimateLaunchAt(this.#use(), this.#queue.ahead(wanted), now);
    if (startsAt > deadline) throw noBrowserInTime(startsAt - now);
    const answer = Promise.withResolvers<AcquiredBrowser>();
    const launch: Launch = { ...wanted, deadline, answer, tried: new Set(), isAbandoned: false };
    this.#launches.set(launch.id, launch);
    this.#queue.add(launch);
    this.dispatch();
    if (launch.account === undefined && this.#launches.has(launch.id)) {
      logEvent("browser_launch_queued", { kind: launch.kind, waiting: this.#queue.size });
    }
    return answer.promise;
  }

  /** Gives up a launch that has not begun. */
  leaveQueue(id: string): void {
    const launch = this.#launches.get(id);
    if (launch === undefined || launch.account !== undefined) return;
    this.#queue.remove(id);
    this.#fail(launch, serviceUnavailable(GIVEN_UP));
    this.dispatch();
  }

  /** Gives up a launch in any phase. Its browser is for another one, or closed. */
  abandon(id: string): void {
    const launch = this.#launches.get(id);
    if (launch?.account === undefined) this.leaveQueue(id);
    else launch.isAbandoned = true;
  }

  get waiting(): number {
    return this.#queue.size;
  }

  /** Launches for sessions of an organization that have no browser yet. */
  countSessions(organizationId: string): number {
    return [...this.#launches.values()].filter(
      (launch) =>
        launch.kind === "session" && launch.organizationId === organizationId && !launch.isAbandoned,
    ).length;
  }

  /** Begins all launches that may begin now. */
  dispatch(): void {
    const now = Date.now();
    for (let next = this.#queue.first(); next !== undefined; next = this.#queue.first()) {
      const user = { ...next, sessionId: next.id };
      const ready = next.allowsStandby ? this.#state.records.takeReady(user, now) : undefined;
      const account = ready === undefined ? chooseAccount(this.#use(), next.tried, now) : undefined;
      if (ready === undefined && account === undefined) break;
      this.#queue.take();
      if (account !== undefined) this.#begin(next, account);
      if (ready !== undefined) {
        this.#launches.delete(next.id);
        next.answer.resolve({ browserId: ready, isStandby: true });
        this.#listener.onReadyTaken();
      }
    }
    this.#refuseHopeless(now);
    this.#readDueLimits(now);
    this.#dispatchLater(now);
  }

  #begin(launch: Launch, account: AccountState): void {
    launch.account = account.name;
    this.#accounts.set(account.name, afterLaunchBegan(account));
    this.#state.inBackground("browser_launch_crashed", this.#launch(launch, account.name));
  }

  async #launch(launch: Launch, account: string): Promise<void> {
    const launchedAt = Date.now();
    try {
      const binding = accountBinding(this.#state.env, account);
      const id = await acquireBrowser(binding, this.#state.settings.browserKeepAliveMs);
      this.#change(account, afterLaunch);
      this.#deliver(launch, { browserId: toBrowserId(account, id), account, launchedAt });
    } catch (error) {
      launch.account = undefined;
      this.#handleFailure(launch, account, error);
    }
    this.dispatch();
  }

  /** The browser is recorded before anybody hears of it. */
  #deliver(launch: Launch, browser: { browserId: string; account: string; launchedAt: number }): void {
    const receiver = launch.isAbandoned ? this.#queue.take() : launch;
    if (launch.isAbandoned) this.#fail(launch, serviceUnavailable(GIVEN_UP));
    const { id, organizationId, kind } = receiver ?? launch;
    this.#state.records.add({ ...browser, sessionId: id, organizationId, kind, state: "used" });
    this.#launches.delete(id);
    receiver?.answer.resolve({ browserId: browser.browserId, isStandby: false });
    if (receiver === undefined) this.#listener.onUnwanted(browser.browserId);
  }

  #handleFailure(launch: Launch, account: string, error: unknown): void {
    const now = Date.now();
    logError("browser_launch_failed", error, { account, waiting: this.#queue.size });
    if (error instanceof BrowserUnavailableError && error.kind === "limit") {
      this.#change(account, (state) => afterRefusal(state, error.retryAfterSeconds * 1000, now));
    } else {
      this.#change(account, (state) => afterFailure(state, now));
      launch.tried.add(account);
    }
    const mayRetry = accountNames(this.#state.env).some((name) => !launch.tried.has(name));
    if (launch.isAbandoned || !mayRetry) this.#fail(launch, toLaunchError(error));
    else this.#queue.putBack(launch);
  }

  #fail(launch: Launch, error: Error): void {
    this.#launches.delete(launch.id);
    // An abandoned launch has no listener.
    launch.answer.promise.catch(() => undefined);
    launch.answer.reject(error);
  }

  #refuseHopeless(now: number): void {
    const use = this.#use();
    const isFull = use.every(({ state, own }) => freeSlots(state, own) === 0);
    for (const launch of this.#queue.takeHopeless(nextLaunchAt(use, now))) {
      const retryAfterMs = estimateLaunchAt(use, this.#queue.size, now) - now;
      logEvent("browser_launch_refused", { kind: launch.kind, waiting: this.#queue.size, full: isFull });
      this.#fail(launch, noBrowserInTime(isFull ? Math.max(FULL_RETRY_MS, retryAfterMs) : retryAfterMs));
    }
  }

  #readDueLimits(now: number): void {
    if (this.#queue.size === 0 && this.#launches.size === 0) return;
    for (const { state } of this.#use()) {
      if (this.#reading.has(state.name) || readDueAt(state) > now) continue;
      this.#reading.add(state.name);
      this.#state.inBackground("browser_limits_not_read", this.#readLimits(state));
    }
  }

  async #readLimits({ name, launches, limits: before, readAt: readBefore }: AccountState): Promise<void> {
    let limits: AccountLimits | undefined;
    try {
      const read = await readLimits(accountBinding(this.#state.env, name));
      limits = read && { ...read, foreign: this.#countForeign(name, read.running) };
    } catch (error) {
      logError("browser_limits_not_read", error, { account: name });
      if (Number.isFinite(readBefore)) limits = before;
    }
    this.#reading.delete(name);
    this.#change(name, (state) => withLimits(state, limits, Date.now(), state.launches - launches));
    this.dispatch();
  }

  #countForeign(account: string, running: readonly string[]): number {
    const present = new Set(running.map((id) => toBrowserId(account, id)));
    const own = this.#state.records.list().filter((record) => record.account === account);
    const found = own.filter(({ browserId }) => present.has(browserId)).length;
    // The platform's list may lag behind.
    const before = Date.now() - this.#state.settings.browserListLagMs;
    const gone = own.filter(
      ({ browserId, launchedAt }) => launchedAt < before && !present.has(browserId),
    ).length;
    // A browser that is being launched may run already.
    return Math.max(0, present.size - found - this.#underWay(account)) - gone;
  }

  #dispatchLater(now: number): void {
    clearTimeout(this.#timer ?? null);
    if (this.#queue.size === 0) return;
    const use = this.#use();
    const reads = use
      .filter(({ state }) => !this.#reading.has(state.name))
      .map(({ state }) => readDueAt(state));
    const times = [this.#queue.nextDeadline, nextLaunchAt(use, now), ...reads].filter((at) => at > now);
    this.#timer = setTimeout(() => this.dispatch(), Math.min(...times) - now);
  }

  #use(): AccountUse[] {
    const own = this.#state.records.countByAccount();
    return accountNames(this.#state.env).map((name) => ({
      state: this.#accounts.get(name) ?? newAccount(name),
      own: (own.get(name) ?? 0) + this.#underWay(name),
    }));
  }

  #underWay(account: string): number {
    return [...this.#launches.values()].filter((launch) => launch.account === account).length;
  }

  #change(name: string, change: (state: AccountState) => AccountState): void {
    this.#accounts.set(name, change(this.#accounts.get(name) ?? newAccount(name)));
  }
}

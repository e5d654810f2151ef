/** What an account of the platform allows, as the platform said at `readAt`. */
export interface AccountLimits {
  /** Browsers that the account may run at once. */
  maxBrowsers: number;
  /** Browsers of other brokers and services, less the own ones that the platform does not run any more. */
  foreign: number;
  /** Launches that were allowed at once. */
  allowedLaunches: number;
  /** Milliseconds until the next launch was allowed. */
  nextLaunchInMs: number;
}

/** What a broker knows of an account. Times are milliseconds since the epoch. */
export interface AccountState {
  /** Empty: the account of this Worker. */
  name: string;
  limits: AccountLimits;
  readAt: number;
  /** Launches since the limits were read. */
  launches: number;
  /** The platform asked not to launch before. */
  refusedUntil: number;
  /** Failed launches since the last successful one. */
  failures: number;
  /** Other accounts are preferred until then. */
  avoidUntil: number;
}

/** For a platform that does not tell its limits. A refusal corrects them. */
const UNKNOWN_LIMITS: AccountLimits = {
  maxBrowsers: 120,
  foreign: 0,
  allowedLaunches: 1,
  nextLaunchInMs: 1000,
};

const FRESH_MS = 5000;

/** Limits are read again when their launches are used up, but not more often. */
const MIN_READ_INTERVAL_MS = 250;

const FIRST_AVOIDANCE_MS = 5000;
const MAX_AVOIDANCE_MS = 300_000;

export function newAccount(name: string): AccountState {
  const state = {
    readAt: Number.NEGATIVE_INFINITY,
    launches: 0,
    refusedUntil: 0,
    failures: 0,
    avoidUntil: 0,
  };
  return { ...state, name, limits: { ...UNKNOWN_LIMITS, allowedLaunches: 0, nextLaunchInMs: 0 } };
}

/**
 * @param limits undefined when the platform did not tell them.
 * @param launches those that began while the limits were read.
 */
export function withLimits(
  state: AccountState,
  limits: AccountLimits | undefined,
  readAt: number,
  launches = 0,
): AccountState {
  return { ...state, limits: limits ?? UNKNOWN_LIMITS, readAt, launches };
}

export function afterLaunchBegan(state: AccountState): AccountState {
  return { ...state, launches: state.launches + 1 };
}

export function afterLaunch(state: AccountState): AccountState {
  return { ...state, failures: 0, avoidUntil: 0 };
}

/** The platform refused a launch because of a limit. Its limits are to be read again. */
export function afterRefusal(state: AccountState, retryAfterMs: number, now: number): AccountState {
  const refusedUntil = Math.max(state.refusedUntil, now + retryAfterMs);
  return { ...state, refusedUntil, readAt: Number.NEGATIVE_INFINITY };
}

/** The account is avoided for a time that doubles with each failure. */
export function afterFailure(state: AccountState, now: number): AccountState {
  const delayMs = Math.min(MAX_AVOIDANCE_MS, FIRST_AVOIDANCE_MS * 2 ** state.failures);
  return { ...state, failures: state.failures + 1, avoidUntil: now + delayMs };
}

/** When the limits are to be read again. They may be used until then. */
export function readDueAt(state: AccountState): number {
  const { limits, readAt, launches } = state;
  if (launches < limits.allowedLaunches) return readAt + FRESH_MS;
  return readAt + Math.max(limits.nextLaunchInMs, MIN_READ_INTERVAL_MS);
}

/** @param own this broker's browsers that are not gone, with those that are being launched. */
export function freeSlots({ limits }: AccountState, own: number): number {
  return Math.max(0, limits.maxBrowsers - limits.foreign - own);
}

function mayLaunch(state: AccountState, own: number, now: number): boolean {
  const { limits, launches, refusedUntil } = state;
  return freeSlots(state, own) > 0 && launches < limits.allowedLaunches && refusedUntil <= now;
}

/** An account, and this broker's browsers in it. */
export interface AccountUse {
  state: AccountState;
  own: number;
}

/**
 * The account to launch the next browser in: the least used one that has a free slot now. Failing accounts are used only
 * if all are failing.
 *
 * @param tried names of accounts where this launch has failed.
 */
export function chooseAccount(
  accounts: readonly AccountUse[],
  tried: ReadonlySet<string>,
  now: number,
): AccountState | undefined {
  const healthy = accounts.filter(({ state }) => state.avoidUntil <= now);
  const candidates = (healthy.length > 0 ? healthy : accounts).filter(
    ({ state, own }) => !tried.has(state.name) && mayLaunch(state, own, now),
  );
  const load = ({ state, own }: AccountUse) => (own + state.limits.foreign) / state.limits.maxBrowsers;
  candidates.sort((first, second) => load(first) - load(second));
  return candidates[0]?.state;
}

/** The earliest moment at which any account may launch. An account without a free slot may get one at any time. */
export function nextLaunchAt(accounts: readonly AccountUse[], now: number): number {
  return Math.min(...accounts.map(({ state }) => Math.max(now, launchAllowedAt(state))));
}

function launchAllowedAt({ limits, readAt, launches, refusedUntil }: AccountState): number {
  const allowedAt = launches < limits.allowedLaunches ? 0 : readAt + limits.nextLaunchInMs;
  return Math.max(allowedAt, refusedUntil);
}

/**
 * When a launch can begin that has `ahead` others before it, at the rate that the platform allows.
 *
 * @returns milliseconds since the epoch; a lower bound, because slots may be in use for longer.
 */
export function estimateLaunchAt(accounts: readonly AccountUse[], ahead: number, now: number): number {
  const usable = accounts.map(({ state }) => ({
    at: Math.max(now, launchAllowedAt(state)),
    left: Math.max(1, state.limits.allowedLaunches - state.launches),
    perMs: launchesPerMs(state.limits),
  }));
  const first = Math.min(...usable.map(({ at }) => at));
  const ready = usable.filter(({ at }) => at === first);
  const atOnce = ready.reduce((sum, { left }) => sum + left, 0);
  const perMs = usable.reduce((sum, account) => sum + account.perMs, 0);
  return first + Math.max(0, ahead + 1 - atOnce) / perMs;
}

function launchesPerMs({ allowedLaunches, nextLaunchInMs }: AccountLimits): number {
  return allowedLaunches > 0 ? allowedLaunches / 1000 : 1 / Math.max(1, nextLaunchInMs);
}

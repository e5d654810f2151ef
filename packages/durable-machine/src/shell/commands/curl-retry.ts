/** What `--retry` and its relatives say. */
export interface RetryPolicy {
  retries: number;
  /** Seconds between two attempts; undefined: ever longer ones. */
  delay?: number;
  /** Seconds from the first attempt, after which there is no other. */
  maxTime?: number;
  ofAllErrors: boolean;
  ofRefusedConnections: boolean;
}

/** What an attempt came to. */
export interface AttemptEnd {
  exitCode: number;
  /** Of the last response; 0: there was none. */
  status: number;
  /** What a server says of when to come again: seconds or a date. */
  retryAfter: string | null;
}

const TRANSIENT_STATUSES = new Set([408, 429, 500, 502, 503, 504]);

const FIRST_DELAY = 1;
const LONGEST_DELAY = 600;

/**
 * Seconds to wait before the next attempt; undefined: there is none.
 *
 * @param attempt how many there were before this one.
 * @param now seconds since the epoch.
 * @param elapsed seconds since the first attempt.
 */
export function retryDelay(
  policy: RetryPolicy,
  end: AttemptEnd,
  { attempt, now, elapsed }: { attempt: number; now: number; elapsed: number },
): number | undefined {
  if (attempt >= policy.retries || !isTransient(policy, end)) return undefined;
  const delay =
    policy.delay ?? Math.max(askedDelay(end, now), Math.min(LONGEST_DELAY, FIRST_DELAY * 2 ** attempt));
  return policy.maxTime !== undefined && elapsed + delay > policy.maxTime ? undefined : delay;
}

function isTransient(policy: RetryPolicy, { exitCode, status }: AttemptEnd): boolean {
  if (TRANSIENT_STATUSES.has(status) || exitCode === 28) return true;
  if (exitCode === 7 && policy.ofRefusedConnections) return true;
  return exitCode !== 0 && policy.ofAllErrors;
}

function askedDelay({ retryAfter }: AttemptEnd, now: number): number {
  if (retryAfter === null) return 0;
  if (/^\d+$/.test(retryAfter)) return Math.min(LONGEST_DELAY, Number(retryAfter));
  const date = Date.parse(retryAfter) / 1000;
  return Number.isNaN(date) ? 0 : Math.min(LONGEST_DELAY, Math.max(0, date - now));
}

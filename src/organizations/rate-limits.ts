import { ServiceError } from "../common/errors.ts";
import { logError } from "../common/log.ts";
import { readSettings } from "../common/settings.ts";
import type { Caller } from "./caller.ts";

const MINUTE_MS = 60_000;

interface Limit {
  name: string;
  /** Whose calls are counted. */
  key: string;
  perMinute: number;
  /** The platform's count of one location, which has the same limit. Absent: only this isolate counts. */
  binding?: RateLimit;
}

/** What is left of the limit that is reached first. */
export interface RateStanding {
  perMinute: number;
  remaining: number;
}

/** Counts the calls of the current minute that this isolate has seen. */
export class MinuteCounter {
  #minute = 0;
  #counts = new Map<string, number>();

  add(key: string, now: number): number {
    const minute = Math.floor(now / MINUTE_MS);
    if (minute !== this.#minute) this.#counts = new Map();
    this.#minute = minute;
    const count = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, count);
    return count;
  }
}

const counter = new MinuteCounter();

/**
 * Counts a call of a caller. @returns the nearest limit, if there is any.
 *
 * @param operation method and pattern of a route; `POST /browsers` also counts as a creation.
 * @throws ServiceError 429 at a limit.
 */
export async function countCall(
  env: Env,
  caller: Caller,
  operation: string,
): Promise<RateStanding | undefined> {
  let nearest: RateStanding | undefined;
  // In order: a call that its key does not allow must not use up what other keys may do.
  for (const limit of listLimits(env, caller, operation)) {
    const standing = await measure(limit);
    if (nearest === undefined || standing.remaining < nearest.remaining) nearest = standing;
  }
  return nearest;
}

export function rateHeaders({ perMinute, remaining }: RateStanding): Record<string, string> {
  return { "x-ratelimit-limit": String(perMinute), "x-ratelimit-remaining": String(remaining) };
}

/** A limit of 0 is none. */
function listLimits(env: Env, caller: Caller, operation: string): Limit[] {
  const { rateLimits } = readSettings(env);
  const { organizationId } = caller;
  const isKey = caller.scope === "organization";
  const key = isKey ? caller.keyId : caller.invocationId;
  const own = isKey ? (caller.rights.requestsPerMinute ?? 0) : 0;
  const limits: Limit[] = [
    { name: "API key", key, perMinute: own },
    { name: "API key", key, perMinute: rateLimits.ofKey, binding: env.KEY_REQUESTS },
    {
      name: "organization",
      key: organizationId,
      perMinute: rateLimits.ofOrganization,
      binding: env.ORGANIZATION_REQUESTS,
    },
  ];
  if (operation === "POST /browsers") {
    limits.push({
      name: "organization's creations of sessions",
      key: organizationId,
      perMinute: rateLimits.ofCreations,
      binding: env.SESSION_CREATIONS,
    });
  }
  return limits.filter(({ perMinute }) => perMinute > 0);
}

async function measure({ name, key, perMinute, binding }: Limit): Promise<RateStanding> {
  const now = Date.now();
  const count = counter.add(`${name}\n${perMinute}\n${key}`, now);
  const outcome = await binding
    ?.limit({ key })
    .catch((error: unknown) => logError("call_not_counted", error));
  const standing = { perMinute, remaining: Math.max(0, perMinute - count) };
  if (count <= perMinute && outcome?.success !== false) return standing;
  throw new ServiceError("too_many_requests", `Limit of the ${name}: ${perMinute} calls a minute`, {
    retryAfterSeconds: (MINUTE_MS - (now % MINUTE_MS)) / 1000,
    headers: rateHeaders({ perMinute, remaining: 0 }),
  });
}

import { ServiceError } from "../../lib/common/errors.ts";
import { logError } from "../../lib/common/log.ts";
import { readSettings } from "../../lib/common/settings.ts";
import { isAllowed } from "./api-keys/rights.ts";
import type { Caller } from "./caller.ts";

const MINUTE_MS = 60_000;

interface Limit {
  name: string;
  /** Whose calls are counted. */
  key: string;
  perMinute: number;
  /** The platform's counter for one location, which has the same limit. Absent: only this isolate counts. */
  binding?: RateLimit;
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
 * Counts a call of a caller. @returns response headers with the nearest limit, if there is any.
 *
 * @param operation method and pattern of a route; `POST /browsers` also counts as a creation.
 * @throws ServiceError 429 at a limit.
 */
export async function countCall(
  env: Env,
  caller: Caller,
  operation: string,
): Promise<Record<string, string>> {
  let nearest = Number.POSITIVE_INFINITY;
  let headers = {};
  // In order: a call beyond its key's limit must not use up the calls of other keys.
  for (const limit of listLimits(env, caller, operation)) {
    const remaining = await measure(limit);
    if (remaining < nearest) headers = rateHeaders(limit, remaining);
    nearest = Math.min(nearest, remaining);
  }
  return headers;
}

function rateHeaders({ perMinute }: Limit, remaining: number): Record<string, string> {
  return { "x-ratelimit-limit": String(perMinute), "x-ratelimit-remaining": String(remaining) };
}

/** 0 means no limit. */
function listLimits(env: Env, caller: Caller, operation: string): Limit[] {
  const { ofKey, ofOrganization, ofCreations } = readSettings(env).rateLimits;
  const { organizationId } = caller;
  const [key, own] =
    caller.scope === "organization"
      ? [caller.keyId, caller.rights.requestsPerMinute ?? 0]
      : [caller.invocationId, 0];
  // A call that the key does not allow must not use up the calls of other keys.
  const isCreation =
    operation === "POST /browsers" && (caller.scope === "invocation" || isAllowed(caller.rights, operation));
  const limits = [
    { name: "API key", key, perMinute: own },
    { name: "API key", key, perMinute: ofKey, binding: env.KEY_REQUESTS },
    {
      name: "organization",
      key: organizationId,
      perMinute: ofOrganization,
      binding: env.ORGANIZATION_REQUESTS,
    },
    {
      name: "organization's creations of sessions",
      key: organizationId,
      perMinute: isCreation ? ofCreations : 0,
      binding: env.SESSION_CREATIONS,
    },
  ];
  return limits.filter(({ perMinute }) => perMinute > 0);
}

/** Counts a call. @returns how many are left in this minute. */
async function measure(limit: Limit): Promise<number> {
  const { name, key, perMinute, binding } = limit;
  const now = Date.now();
  const count = counter.add(`${name}\n${perMinute}\n${key}`, now);
  const outcome = await binding
    ?.limit({ key })
    .catch((error: unknown) => logError("call_not_counted", error));
  if (count <= perMinute && outcome?.success !== false) return perMinute - count;
  throw new ServiceError("too_many_requests", `Limit of the ${name}: ${perMinute} calls a minute`, {
    retryAfterSeconds: (MINUTE_MS - (now % MINUTE_MS)) / 1000,
    headers: rateHeaders(limit, 0),
  });
}

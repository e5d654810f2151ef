import type { HonoRequest, MiddlewareHandler } from "hono";
import { ServiceError, serviceUnavailable, unauthorized } from "../common/errors.ts";
import { sha256 } from "../common/hash.ts";
import { logError } from "../common/log.ts";
import { type Database, openDatabase } from "../database/client.ts";
import type { APIKeyCaller, Caller, CallerEnv, Run, RunCaller, RunKeyVerifier } from "./caller.ts";
import { type ConsoleEnv, type ConsoleIdentity, operatorFingerprint } from "./console-session.ts";
import { KeyCache } from "./key-cache.ts";
import { findCallerByKey, findOrganization, KEY_USE_INTERVAL_MS, recordKeyUse } from "./store.ts";

export const keyCache = new KeyCache();

/** @param readKey finds the key in a request. @throws ServiceError 401 if there is none. */
export function authenticateCaller(
  runKeyVerifier: RunKeyVerifier,
  readKey = (request: HonoRequest) => readBearerToken(request.header("authorization")),
): MiddlewareHandler<CallerEnv> {
  return async (c, next) => {
    const identity = c.get("consoleSession")?.identity;
    const caller = await (identity?.kind === "organization"
      ? findKeyHolder(c, identity.keyId)
      : findCaller(c, runKeyVerifier, readKey(c.req)));
    if (caller === undefined) throw unauthorized("The API key is unknown, deleted or expired");
    if (caller.organizationDisabled) throw new ServiceError("forbidden", "This organization is disabled");
    if (caller.scope === "invocation" && !(await runKeyVerifier.isActive(c.env, caller))) {
      throw unauthorized("The invocation of this key has finished");
    }
    c.set("caller", caller);
    await next();
  };
}

export const authenticateOperator: MiddlewareHandler<ConsoleEnv> = async (c, next) => {
  const identity = c.get("consoleSession")?.identity;
  if (identity?.kind === "operator" && (await isSignedInOperator(c.env, identity))) return next();
  const header = c.req.header("authorization");
  readBearerToken(header);
  if (!(await isOperator(c.env, header))) throw unauthorized("The operator's token is invalid");
  await next();
};

export async function isOperator(env: Env, header: string | undefined): Promise<boolean> {
  const token = bearerToken(header);
  if (token === undefined || !env.ADMIN_TOKEN) return false;
  return areEqual(...(await Promise.all([sha256(token), sha256(env.ADMIN_TOKEN)])));
}

/** Whether the operator's token is still the one of the sign-in. */
export async function isSignedInOperator(
  env: Env,
  { fingerprint }: Extract<ConsoleIdentity, { kind: "operator" }>,
): Promise<boolean> {
  return areEqual(fingerprint, await operatorFingerprint(env));
}

/** Compares texts of the same length in constant time. */
function areEqual(given: string, expected: string): boolean {
  const encoder = new TextEncoder();
  const [left, right] = [encoder.encode(given), encoder.encode(expected)];
  return left.length === right.length && crypto.subtle.timingSafeEqual(left, right);
}

/**
 * Refuses requests that name a project. Berth has none, and ignoring the header would leave the project that
 * the caller means.
 */
export const refuseProjects: MiddlewareHandler = async (c, next) => {
  if (c.req.header("x-kernel-project-id") || c.req.header("x-kernel-project")) {
    throw new ServiceError("project_not_found", "project not found: this service has no projects");
  }
  await next();
};

/** The part of a request's context that looking up a key needs. */
interface Lookup {
  env: Env;
  executionCtx: { waitUntil(work: Promise<unknown>): void };
}

async function findCaller(
  lookup: Lookup,
  runKeyVerifier: RunKeyVerifier,
  key: string,
): Promise<Caller | undefined> {
  const keyHash = await sha256(key);
  return findCached(lookup, keyHash, async (database, now) => {
    const run = await runKeyVerifier.read(lookup.env, key);
    if (run !== undefined) return findRunCaller(database, run);
    return recordUse(lookup, await findCallerByKey(database, { keyHash }, now), now);
  });
}

/** The holder of the API key with an id, if the key is valid. */
export async function findKeyHolder(lookup: Lookup, keyId: string): Promise<APIKeyCaller | undefined> {
  const caller = await findCached(lookup, keyId, async (database, now) =>
    recordUse(lookup, await findCallerByKey(database, { keyId }, now), now),
  );
  return caller?.scope === "organization" ? caller : undefined;
}

async function findCached(
  { env }: Lookup,
  cacheKey: string,
  find: (database: Database, now: number) => Promise<Caller | undefined>,
): Promise<Caller | undefined> {
  const now = Date.now();
  const cached = keyCache.get(cacheKey, now);
  if (cached !== undefined) return cached;
  try {
    const caller = await find(openDatabase(env.DB), now);
    if (caller === undefined) keyCache.delete(cacheKey);
    else keyCache.set(cacheKey, caller, now);
    return caller;
  } catch (error) {
    const stale = keyCache.getStale(cacheKey, now);
    logError("api_key_lookup_failed", error, { served_from_cache: stale !== undefined });
    if (stale !== undefined) return stale;
    throw serviceUnavailable("API keys cannot be checked now", 1, error);
  }
}

function recordUse(
  { env, executionCtx }: Lookup,
  found: Awaited<ReturnType<typeof findCallerByKey>>,
  now: number,
): APIKeyCaller | undefined {
  if (found === undefined) return undefined;
  const { caller, lastUsedAt } = found;
  const isRecorded = lastUsedAt !== null && lastUsedAt > now - KEY_USE_INTERVAL_MS;
  if (!caller.organizationDisabled && !isRecorded) {
    const recording = recordKeyUse(openDatabase(env.DB), caller.keyId, now);
    executionCtx.waitUntil(recording.catch((error) => logError("api_key_use_not_recorded", error)));
  }
  return caller;
}

async function findRunCaller(database: Database, run: Run): Promise<RunCaller | undefined> {
  const organization = await findOrganization(database, run.organizationId);
  if (organization === undefined) return undefined;
  const { disabledAt, maxConcurrentSessions, weight } = organization;
  return {
    ...run,
    scope: "invocation",
    organizationDisabled: disabledAt !== null,
    maxConcurrentSessions,
    weight,
  };
}

export function bearerToken(header: string | undefined): string | undefined {
  return /^Bearer +(\S.*)$/i.exec(header ?? "")?.[1];
}

function readBearerToken(header: string | undefined): string {
  const token = bearerToken(header);
  if (token === undefined) throw unauthorized("Send an API key as `Authorization: Bearer <key>`");
  return token;
}

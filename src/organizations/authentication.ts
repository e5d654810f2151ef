import type { MiddlewareHandler } from "hono";
import { ServiceError, serviceUnavailable, unauthorized } from "../common/errors.ts";
import { sha256 } from "../common/hash.ts";
import { logError } from "../common/log.ts";
import { type Database, openDatabase } from "../database/client.ts";
import type { Caller, CallerEnv, KeysOfRuns, Run, RunCaller } from "./caller.ts";
import { KeyCache } from "./key-cache.ts";
import { findCallerByKeyHash, findOrganization } from "./store.ts";

/** One per isolate. */
export const keyCache = new KeyCache();

/** Middleware: only callers with a valid key go on, an API key or a run's; `c.var.caller` says who it is. */
export function authenticateCaller(keysOfRuns: KeysOfRuns): MiddlewareHandler<CallerEnv> {
  return async (c, next) => {
    const key = readBearerToken(c.req.header("authorization"));
    const caller = await findCaller(c.env, keysOfRuns, key, Date.now());
    if (caller === undefined) throw unauthorized("The API key is unknown, deleted or expired");
    if (caller.organizationDisabled) throw new ServiceError("forbidden", "This organization is disabled");
    if (caller.scope === "invocation" && !(await keysOfRuns.isUnderWay(c.env, caller))) {
      throw unauthorized("The invocation of this key has finished");
    }
    c.set("caller", caller);
    await next();
  };
}

/** Middleware: only the operator, with ADMIN_TOKEN, goes on. */
export const authenticateOperator: MiddlewareHandler<{ Bindings: Env }> = async (c, next) => {
  const header = c.req.header("authorization");
  readBearerToken(header);
  if (!(await isOperator(c.env, header))) throw unauthorized("This is not the operator's token");
  await next();
};

/** Whether an Authorization header carries ADMIN_TOKEN, where there is one. */
export async function isOperator(env: Env, header: string | undefined): Promise<boolean> {
  const token = bearerToken(header);
  if (token === undefined || !env.ADMIN_TOKEN) return false;
  const [given, expected] = await Promise.all([sha256(token), sha256(env.ADMIN_TOKEN)]);
  const encoder = new TextEncoder();
  return crypto.subtle.timingSafeEqual(encoder.encode(given), encoder.encode(expected));
}

/**
 * Middleware: Berth has no projects, so every header that names one names an unknown one. Serving such a call
 * would answer from outside the project that the caller means to stay in.
 */
export const refuseProjects: MiddlewareHandler = async (c, next) => {
  if (c.req.header("x-kernel-project-id") || c.req.header("x-kernel-project")) {
    throw new ServiceError("project_not_found", "project not found: this service has no projects");
  }
  await next();
};

/** A key's caller from the cache or the database; an older cached one holds while the database fails. */
async function findCaller(
  env: Env,
  keysOfRuns: KeysOfRuns,
  key: string,
  now: number,
): Promise<Caller | undefined> {
  const keyHash = await sha256(key);
  const cached = keyCache.fresh(keyHash, now);
  if (cached !== undefined) return cached;
  try {
    const run = await keysOfRuns.read(env, key);
    const database = openDatabase(env.DB);
    const caller = await (run === undefined
      ? findCallerByKeyHash(database, keyHash, now)
      : findRunCaller(database, run));
    if (caller === undefined) keyCache.forget(keyHash);
    else keyCache.keep(keyHash, caller, now);
    return caller;
  } catch (error) {
    const older = keyCache.withoutDatabase(keyHash, now);
    logError("api_key_lookup_failed", error, { served_from_cache: older !== undefined });
    if (older !== undefined) return older;
    throw serviceUnavailable("API keys cannot be checked at the moment", 1, error);
  }
}

/** The key of a run is good for as long as its organization is; undefined when that is deleted. */
async function findRunCaller(database: Database, run: Run): Promise<RunCaller | undefined> {
  const organization = await findOrganization(database, run.organizationId);
  if (organization === undefined) return undefined;
  return { ...run, scope: "invocation", organizationDisabled: organization.disabledAt !== null };
}

function bearerToken(header: string | undefined): string | undefined {
  return /^Bearer +(\S.*)$/i.exec(header ?? "")?.[1];
}

function readBearerToken(header: string | undefined): string {
  const token = bearerToken(header);
  if (token === undefined) throw unauthorized("Send an API key as `Authorization: Bearer <key>`");
  return token;
}

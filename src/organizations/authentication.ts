import type { HonoRequest, MiddlewareHandler } from "hono";
import { ServiceError, serviceUnavailable, unauthorized } from "../common/errors.ts";
import { sha256 } from "../common/hash.ts";
import { logError } from "../common/log.ts";
import { type Database, openDatabase } from "../database/client.ts";
import type { APIKeyCaller, Caller, CallerEnv, Run, RunCaller, RunKeyVerifier } from "./caller.ts";
import { KeyCache } from "./key-cache.ts";
import { findCallerByKeyHash, findOrganization, KEY_USE_INTERVAL_MS, recordKeyUse } from "./store.ts";

export const keyCache = new KeyCache();

/** @param readKey finds the key in a request. @throws ServiceError 401 if there is none. */
export function authenticateCaller(
  runKeyVerifier: RunKeyVerifier,
  readKey = (request: HonoRequest) => readBearerToken(request.header("authorization")),
): MiddlewareHandler<CallerEnv> {
  return async (c, next) => {
    const key = readKey(c.req);
    const background = { env: c.env, waitUntil: (work: Promise<unknown>) => c.executionCtx.waitUntil(work) };
    const caller = await findCaller(background, runKeyVerifier, key, Date.now());
    if (caller === undefined) throw unauthorized("The API key is unknown, deleted or expired");
    if (caller.organizationDisabled) throw new ServiceError("forbidden", "This organization is disabled");
    if (caller.scope === "invocation" && !(await runKeyVerifier.isActive(c.env, caller))) {
      throw unauthorized("The invocation of this key has finished");
    }
    c.set("caller", caller);
    await next();
  };
}

export const authenticateOperator: MiddlewareHandler<{ Bindings: Env }> = async (c, next) => {
  const header = c.req.header("authorization");
  readBearerToken(header);
  if (!(await isOperator(c.env, header))) throw unauthorized("The operator's token is invalid");
  await next();
};

export async function isOperator(env: Env, header: string | undefined): Promise<boolean> {
  const token = bearerToken(header);
  if (token === undefined || !env.ADMIN_TOKEN) return false;
  const [given, expected] = await Promise.all([sha256(token), sha256(env.ADMIN_TOKEN)]);
  const encoder = new TextEncoder();
  return crypto.subtle.timingSafeEqual(encoder.encode(given), encoder.encode(expected));
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

interface Background {
  env: Env;
  waitUntil(work: Promise<unknown>): void;
}

async function findCaller(
  background: Background,
  runKeyVerifier: RunKeyVerifier,
  key: string,
  now: number,
): Promise<Caller | undefined> {
  const keyHash = await sha256(key);
  const cached = keyCache.get(keyHash, now);
  if (cached !== undefined) return cached;
  try {
    const run = await runKeyVerifier.read(background.env, key);
    const caller = await (run === undefined
      ? findKeyCaller(background, keyHash, now)
      : findRunCaller(openDatabase(background.env.DB), run));
    if (caller === undefined) keyCache.delete(keyHash);
    else keyCache.set(keyHash, caller, now);
    return caller;
  } catch (error) {
    const stale = keyCache.getStale(keyHash, now);
    logError("api_key_lookup_failed", error, { served_from_cache: stale !== undefined });
    if (stale !== undefined) return stale;
    throw serviceUnavailable("API keys cannot be checked now", 1, error);
  }
}

async function findKeyCaller(
  { env, waitUntil }: Background,
  keyHash: string,
  now: number,
): Promise<APIKeyCaller | undefined> {
  const database = openDatabase(env.DB);
  const found = await findCallerByKeyHash(database, keyHash, now);
  if (found === undefined) return undefined;
  const { caller, lastUsedAt } = found;
  const isRecorded = lastUsedAt !== null && lastUsedAt > now - KEY_USE_INTERVAL_MS;
  if (!caller.organizationDisabled && !isRecorded) {
    waitUntil(
      recordKeyUse(database, caller.keyId, now).catch((error) => logError("api_key_use_not_recorded", error)),
    );
  }
  return caller;
}

async function findRunCaller(database: Database, run: Run): Promise<RunCaller | undefined> {
  const organization = await findOrganization(database, run.organizationId);
  if (organization === undefined) return undefined;
  return { ...run, scope: "invocation", organizationDisabled: organization.disabledAt !== null };
}

export function bearerToken(header: string | undefined): string | undefined {
  return /^Bearer +(\S.*)$/i.exec(header ?? "")?.[1];
}

function readBearerToken(header: string | undefined): string {
  const token = bearerToken(header);
  if (token === undefined) throw unauthorized("Send an API key as `Authorization: Bearer <key>`");
  return token;
}

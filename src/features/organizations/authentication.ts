import type { Context, HonoRequest, MiddlewareHandler } from "hono";
import { matchedRoutes } from "hono/route";
import { badRequest, ServiceError, serviceUnavailable, unauthorized } from "../../lib/common/errors.ts";
import { sha256 } from "../../lib/common/hash.ts";
import { logError } from "../../lib/common/log.ts";
import { type Database, openDatabase } from "../../lib/database/client.ts";
import { idOfProject, scopeOf } from "../../lib/database/project-scope.ts";
import type { ProjectRow } from "../../lib/database/schema/organizations.ts";
import { isAllowed } from "./api-keys/rights.ts";
import type { APIKeyCaller, Caller, CallerEnv, Run, RunCaller, RunKeyVerifier } from "./caller.ts";
import { type ConsoleEnv, type ConsoleIdentity, operatorFingerprint } from "./console-session.ts";
import { KeyCache } from "./key-cache.ts";
import { projectNotFound } from "./projects/limits.ts";
import { findProject } from "./projects/store.ts";
import { countCall } from "./rate-limits.ts";
import { findCallerByKey, findOrganization, KEY_USE_INTERVAL_MS, recordKeyUse } from "./store.ts";

export const keyCache = new KeyCache<Caller>();

const projectCache = new KeyCache<ScopedProject>();

type ScopedProject = ProjectRow & { expiresAt: null };

/** Drops what is cached about an organization. Other isolates read it again within 30 seconds. */
export function forgetOrganization(organizationId: string): void {
  keyCache.deleteOrganization(organizationId);
  projectCache.deleteOrganization(organizationId);
}

interface AuthenticationOptions {
  /** Finds the key in a request. */
  readKey?: (request: HonoRequest) => string;
  /** The operation whose rights a call needs, such as `POST /browsers`; absent: its route. */
  operation?: string;
}

/**
 * Finds who calls, in which project, and counts the call.
 *
 * @throws ServiceError 401 without a valid key, 403 for what it does not allow, 404 for an unknown project,
 * 429 at a limit of calls.
 */
export function authenticateCaller(
  runKeyVerifier: RunKeyVerifier,
  {
    readKey = (request) => readBearerToken(request.header("authorization")),
    operation,
  }: AuthenticationOptions = {},
): MiddlewareHandler<CallerEnv> {
  return async (c, next) => {
    const identity = c.get("consoleSession")?.identity;
    const holder = await (identity?.kind === "organization"
      ? findKeyHolder(c, identity.keyId)
      : findCaller(c, runKeyVerifier, readKey(c.req)));
    if (holder === undefined) throw unauthorized("The API key is unknown, deleted or expired");
    // The logs also contain the organization of refused calls.
    c.set("caller", holder);
    if (holder.organizationDisabled) throw new ServiceError("forbidden", "This organization is disabled");
    const operations = operation === undefined ? matchedOperations(c) : [operation];
    const rateHeaders = await countCall(c.env, holder, operations[0] ?? "");
    if (holder.scope === "invocation" && !(await runKeyVerifier.isActive(c.env, holder))) {
      throw unauthorized("The invocation of this key has finished");
    }
    requireRights(holder, operations);
    c.set("caller", { ...holder, projectId: await selectProject(c, holder) });
    await next();
    if (c.res.status === 101) return;
    for (const [name, value] of Object.entries(rateHeaders)) c.header(name, value);
  };
}

/** Methods and patterns of the routes that match a request, such as `GET /browsers/:id`. */
function matchedOperations(c: Context): string[] {
  const method = c.req.method === "HEAD" ? "GET" : c.req.method;
  const patterns = matchedRoutes(c).map(({ path }) => path);
  return patterns.filter((path) => !path.endsWith("*")).map((path) => `${method} ${path}`);
}

/** @throws ServiceError 403 */
function requireRights(caller: Caller, operations: readonly string[]): void {
  if (caller.scope === "invocation" || operations.every((each) => isAllowed(caller.rights, each))) return;
  const { access, projectId } = caller.rights;
  const reach = projectId === null ? "" : ", and only within its project";
  throw new ServiceError("forbidden", `This API key has ${access} access${reach}`);
}

/**
 * The project that a call acts in, in the form that `ProjectScope` uses.
 *
 * @throws ServiceError 403 where the key belongs to another project, 404 for an unknown or archived project.
 */
async function selectProject(c: Context<CallerEnv>, caller: Caller): Promise<string> {
  const named = readProjectHeader(c.req);
  const { organizationId } = caller;
  const isRun = caller.scope === "invocation";
  const own = isRun ? idOfProject(caller) : caller.rights.projectId;
  const text = named?.text ?? own ?? organizationId;
  const isOwn = own === null || text === own;
  // Another project may have the id of this one as its name.
  const isId = named?.isId || text === own;
  // A run continues when its project is archived.
  if (isOwn && (isRun || text === organizationId)) return scopeOf(organizationId, text).projectId;
  const project = await findCached(
    projectCache,
    c,
    `${organizationId}\n${isId}\n${text}`,
    async (database) => {
      const row = await findProject(database, { organizationId }, text, { isId });
      return row && { ...row, expiresAt: null };
    },
  );
  if (!isOwn && project?.id !== own) {
    throw new ServiceError("forbidden", "This key gives access to another project only");
  }
  if (project?.status !== "active") throw projectNotFound();
  return scopeOf(organizationId, project.id).projectId;
}

function readProjectHeader(request: HonoRequest): { text: string; isId: boolean } | undefined {
  const id = request.header("x-kernel-project-id");
  const text = request.header("x-kernel-project");
  if (id && text && id !== text) {
    throw badRequest({
      field: "X-Kernel-Project",
      message: "differs from X-Kernel-Project-Id; send one of them",
    });
  }
  if (id) return { text: id, isId: true };
  return text ? { text, isId: false } : undefined;
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

/** The part of a request's context needed to look up a key. */
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
  return findCached(keyCache, lookup, keyHash, async (database, now) => {
    const run = await runKeyVerifier.read(lookup.env, key);
    if (run !== undefined) return findRunCaller(database, run);
    return findKey(lookup, { keyHash }, now);
  });
}

/** The holder of the API key with an id, if the key is valid. */
export async function findKeyHolder(lookup: Lookup, keyId: string): Promise<APIKeyCaller | undefined> {
  const caller = await findCached(keyCache, lookup, keyId, (_database, now) =>
    findKey(lookup, { keyId }, now),
  );
  return caller?.scope === "organization" ? caller : undefined;
}

async function findCached<T extends Caller | ScopedProject>(
  cache: KeyCache<T>,
  { env }: Lookup,
  cacheKey: string,
  find: (database: Database, now: number) => Promise<T | undefined>,
): Promise<T | undefined> {
  const now = Date.now();
  const cached = cache.get(cacheKey, now);
  if (cached !== undefined) return cached;
  try {
    const found = await find(openDatabase(env.DB), now);
    if (found === undefined) cache.delete(cacheKey);
    else cache.set(cacheKey, found, now);
    return found;
  } catch (error) {
    const stale = cache.getStale(cacheKey, now);
    logError("api_key_lookup_failed", error, { served_from_cache: stale !== undefined });
    if (stale !== undefined) return stale;
    throw serviceUnavailable("API keys cannot be checked now", 1, error);
  }
}

/** Finds the holder of a valid key, and records the use. */
async function findKey(
  { env, executionCtx }: Lookup,
  key: { keyHash: string } | { keyId: string },
  now: number,
): Promise<APIKeyCaller | undefined> {
  const database = openDatabase(env.DB);
  const found = await findCallerByKey(database, key, now);
  if (found === undefined) return undefined;
  const { caller, lastUsedAt } = found;
  const isRecorded = lastUsedAt !== null && lastUsedAt > now - KEY_USE_INTERVAL_MS;
  if (!caller.organizationDisabled && !isRecorded) {
    const recording = recordKeyUse(database, caller.keyId, now);
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
    // Sessions of runs always get their row first.
    hasOwnLimits: true,
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

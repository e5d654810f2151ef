import { badRequest, conflict, ServiceError } from "../../common/errors.ts";
import { unwrap } from "../../common/outcome.ts";
import { readSettings } from "../../common/settings.ts";
import { type Database, openDatabase } from "../../database/client.ts";
import type { BrowserSessionRow } from "../../database/schema/browser-sessions.ts";
import type { CallerReach } from "../../organizations/index.ts";
import { findIdempotencyClaim, findLivingSession, isInvocationUnfinished } from "../queries.ts";
import { newSessionRow, toSessionStart, toViewportColumns } from "../row.ts";
import { type IdempotencyClaim, insertStartingSession } from "../store.ts";
import { sessionObject } from "../stub.ts";
import { hashBody } from "./idempotency.ts";
import type { CreateSessionBody } from "./schema.ts";
import { type SelectedReferences, selectReferences, touchReferences } from "./select-references.ts";

/** A refusal whose reason is gone when it is looked for was another call's doing: the insert is tried again. */
const ATTEMPTS = 2;

const RETRY_AFTER_LIMIT_SECONDS = 10;

export interface CreateSessionRequest {
  caller: CallerReach;
  /** The API key of the call; null: the key of a run. */
  apiKeyId: string | null;
  body: CreateSessionBody;
  idempotencyKey: string | undefined;
}

/**
 * Creates a session, or answers with the one that an earlier call with the same Idempotency-Key, or a living
 * session with the same persistence id, stands for.
 *
 * @throws ServiceError 400 for an invocation that is unknown, has finished or is not the caller's own, 409 for a name in use or a key used otherwise, 429 at a limit, 503 without a browser.
 */
export async function createSession(env: Env, request: CreateSessionRequest): Promise<BrowserSessionRow> {
  const database = openDatabase(env.DB);
  const settings = readSettings(env);
  const invocationId = selectInvocation(request);
  const selected = await selectReferences(env, request.caller, request.body);
  const row = toRow(request, { ...selected, invocationId });
  const claim = await toClaim(request, row.createdAt - settings.idempotencyRetentionMs);
  const options = { defaultLimit: settings.maxConcurrentSessions, claim };
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    if (await insertStartingSession(database, row, options)) {
      await touchReferences(database, row, row.createdAt);
      return startSession(env, row, request.body.profile?.save_changes ?? false);
    }
    const repeated = await repeatedSession(env, database, row, claim);
    if (repeated !== undefined) return repeated;
    await requireUnfinishedInvocation(database, row);
    const persistent = await persistentSession(env, database, row);
    if (persistent !== undefined) return persistent;
    await requireFreeName(database, row);
  }
  throw new ServiceError(
    "too_many_requests",
    "The organization has reached its limit of concurrent sessions (max_concurrent_sessions); end one, or wait",
    { shouldRetry: false, retryAfterSeconds: RETRY_AFTER_LIMIT_SECONDS },
  );
}

/**
 * The invocation that the session is to belong to; null: none. A run's are its own.
 *
 * @throws ServiceError 400 when a run asks for what may not be its own, or the session may be one that there is already.
 */
function selectInvocation({ caller, body }: CreateSessionRequest): string | null {
  const asked = body.invocation_id ?? caller.invocationId;
  if (caller.invocationId !== null && asked !== caller.invocationId) {
    throw badRequest({ field: "invocation_id", message: "must be the invocation whose key this is" });
  }
  if (asked !== null && body.persistence !== undefined) {
    throw badRequest({
      field: "persistence",
      message: "is not for a session of an invocation, since one that has the id already may be another's",
    });
  }
  return asked;
}

async function toClaim(
  { caller, idempotencyKey, body }: CreateSessionRequest,
  expiredBefore: number,
): Promise<IdempotencyClaim | undefined> {
  if (idempotencyKey === undefined) return undefined;
  // No header has a line break in it, so that what others send is never the same.
  const key = caller.invocationId === null ? idempotencyKey : `${caller.invocationId}\n${idempotencyKey}`;
  return { key, bodyHash: await hashBody(body), expiredBefore };
}

/** The session that an earlier call with the same key created, once that call is through. */
async function repeatedSession(
  env: Env,
  database: Database,
  { organizationId }: BrowserSessionRow,
  claim: IdempotencyClaim | undefined,
): Promise<BrowserSessionRow | undefined> {
  const earlier = claim && (await findIdempotencyClaim(database, organizationId, claim));
  if (earlier === undefined) return undefined;
  if (earlier.bodyHash !== claim?.bodyHash) throw conflict("This Idempotency-Key was used with another body");
  if (earlier.session === null || earlier.session.state === "ended") {
    throw conflict("The session that this Idempotency-Key created has ended");
  }
  return onceUsable(env, earlier.session);
}

/** The living session with the persistence id of the one asked for, once it has started. */
async function persistentSession(
  env: Env,
  database: Database,
  { organizationId, persistenceId }: BrowserSessionRow,
): Promise<BrowserSessionRow | undefined> {
  if (persistenceId === null) return undefined;
  const living = await findLivingSession(database, organizationId, { persistenceId });
  return living && onceUsable(env, living);
}

async function onceUsable(env: Env, row: BrowserSessionRow): Promise<BrowserSessionRow> {
  unwrap(await sessionObject(env, row.id).whenUsable());
  return { ...row, state: "active" };
}

async function requireUnfinishedInvocation(
  database: Database,
  { organizationId, invocationId }: BrowserSessionRow,
): Promise<void> {
  if (invocationId === null || (await isInvocationUnfinished(database, organizationId, invocationId))) return;
  throw badRequest({ field: "invocation_id", message: "there is no such invocation, or it has finished" });
}

async function requireFreeName(
  database: Database,
  { organizationId, name }: BrowserSessionRow,
): Promise<void> {
  if (name === null) return;
  const living = await findLivingSession(database, organizationId, { name });
  if (living !== undefined) throw conflict(`name: another active session is named "${name}"`);
}

async function startSession(
  env: Env,
  row: BrowserSessionRow,
  savesProfile: boolean,
): Promise<BrowserSessionRow> {
  const starting = sessionObject(env, row.id).start(toSessionStart(row, savesProfile));
  const started = await starting.catch(async (error: unknown) => {
    // The object was reset half-way. A fresh one takes back what there is; where it cannot, its alarm will.
    await sessionObject(env, row.id)
      .reconcile(row.id)
      .catch(() => undefined);
    throw error;
  });
  unwrap(started);
  return { ...row, state: "active" };
}

function toRow(
  { caller, apiKeyId, body }: CreateSessionRequest,
  { extensionIds, proxyId, profile, invocationId }: SelectedReferences & { invocationId: string | null },
): BrowserSessionRow {
  return newSessionRow({
    organizationId: caller.organizationId,
    name: body.name ?? null,
    tags: body.tags,
    headless: body.headless,
    stealth: body.stealth,
    kioskMode: body.kiosk_mode,
    timeoutSeconds: body.timeout_seconds,
    ...toViewportColumns(body.viewport),
    startURL: body.start_url ?? null,
    persistenceId: body.persistence?.id ?? null,
    extensionIds,
    proxyId,
    profileId: profile?.id ?? null,
    invocationId,
    apiKeyId,
  });
}

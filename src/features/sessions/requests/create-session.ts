import { badRequest, conflict, ServiceError } from "../../../lib/common/errors.ts";
import { logError } from "../../../lib/common/log.ts";
import { unwrap } from "../../../lib/common/outcome.ts";
import type { Region } from "../../../lib/common/regions.ts";
import { readSettings } from "../../../lib/common/settings.ts";
import { type Database, openDatabase } from "../../../lib/database/client.ts";
import type { BrowserSessionRow } from "../../../lib/database/schema/browser-sessions.ts";
import { brokerOf, sessionLimitReached } from "../../../platform/broker/index.ts";
import type { Caller } from "../../organizations/index.ts";
import { changeConfig, DEFAULT_CONFIG } from "../../telemetry/index.ts";
import type { UnlistedSession } from "../lifecycle/start.ts";
import { toOptionColumns } from "../options.ts";
import { findIdempotencyClaim, findLivingSession, isInvocationUnfinished } from "../queries.ts";
import { requireRecordable } from "../require-recordable.ts";
import { newSessionRow, type StartOptions, toSessionStart } from "../row.ts";
import type { CreateSessionBody } from "../schema.ts";
import { explainRefusedInsert, hasReachedLimit, type IdempotencyClaim, insertSession } from "../store.ts";
import { sessionObject } from "../stub.ts";
import { hashBody } from "./idempotency.ts";
import { selectMachine } from "./select-machine.ts";
import { type SelectedReferences, selectReferences, touchReferences } from "./select-references.ts";
import { selectTelemetry } from "./select-telemetry.ts";

/** A concurrent call may remove the reason of a refusal, so the insert is retried. */
const MAX_ATTEMPTS = 2;

/** After a refusal, creates of the organization are counted before they start. */
const COUNT_AFTER_REFUSAL_MS = 5000;

/** When creates without a reservation were last refused, by organization, in that order. */
const refusedAt = new Map<string, number>();

const MAX_REFUSED = 1000;

export interface CreateSessionRequest {
  caller: Caller;
  apiKeyId: string | null;
  body: CreateSessionBody;
  idempotencyKey: string | undefined;
  /** The region near the caller, which a session without a region runs in. */
  near: Region | null;
  options?: StartOptions;
  /** When it aborts, the start is abandoned. */
  disconnected?: AbortSignal;
  /** Called once the start is under way, for calls to the session's object that need not wait for its end. */
  onStarting?: (row: BrowserSessionRow) => void;
}

/**
 * Returns the session of an earlier call with the same Idempotency-Key or persistence id, if there is one.
 *
 * @throws ServiceError 400 for an unknown or finished invocation and a headless session that is recorded, 402
 * over the budget, 409 for a name in use or a key used with another body, 429 at a limit, 503 without a
 * browser.
 */
export async function createSession(env: Env, request: CreateSessionRequest): Promise<BrowserSessionRow> {
  const database = openDatabase(env.DB);
  const settings = readSettings(env);
  requireRecordable(request.body);
  const machine = selectMachine(env, request.body.machine);
  const invocationId = selectInvocation(request);
  const selected = await selectReferences(env, request.caller, request.body);
  const { name = null, tags, telemetry } = request.body;
  const recorded = await selectTelemetry(database, request.caller.organizationId, telemetry, { name, tags });
  const row = toRow(request, {
    ...selected,
    invocationId,
    machine,
    telemetry: changeConfig(DEFAULT_CONFIG, recorded),
  });
  const claim = await toClaim(request, row.createdAt - settings.idempotencyRetentionMs);
  const options = { defaultLimit: settings.maxConcurrentSessions, claim };
  if (!needsReservation(request.caller, row, claim)) {
    const { defaultLimit } = options;
    const maxSessions = request.caller.maxConcurrentSessions ?? defaultLimit;
    return startUnlisted(env, request, { row, defaultLimit, maxSessions });
  }
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    if (await insertSession(database, row, options)) {
      await touchReferences(database, row, row.createdAt);
      return startSession(env, row, request);
    }
    const repeated = await findRepeatedSession(env, database, row, claim);
    if (repeated !== undefined) return repeated;
    await requireUnfinishedInvocation(database, row);
    const persistent = await findPersistentSession(env, database, row);
    if (persistent !== undefined) return persistent;
    await requireFreeName(database, row);
  }
  return explainRefusedInsert(database, row);
}

/** A refused start costs others more time than a count, so organizations at their limit are counted first. */
async function startUnlisted(
  env: Env,
  request: CreateSessionRequest,
  unlisted: UnlistedSession,
): Promise<BrowserSessionRow> {
  const { organizationId } = unlisted.row;
  try {
    if (await isAtLimit(env, unlisted)) throw sessionLimitReached();
    return await startSession(env, unlisted.row, request, unlisted);
  } catch (error) {
    if (error instanceof ServiceError && error.status === 429) rememberRefusal(organizationId);
    throw error;
  }
}

/** Without a recent refusal, only the start finds out. */
async function isAtLimit(env: Env, { row, maxSessions, defaultLimit }: UnlistedSession): Promise<boolean> {
  if (maxSessions <= 0) return true;
  const { organizationId, region } = row;
  if (Date.now() - (refusedAt.get(organizationId) ?? 0) > COUNT_AFTER_REFUSAL_MS) return false;
  try {
    // The broker knows sessions that are starting, and the database those of all regions.
    const counts = await Promise.all([
      brokerOf(env, region).hasReachedLimit(organizationId, maxSessions),
      hasReachedLimit(openDatabase(env.DB), organizationId, defaultLimit),
    ]);
    return counts.includes(true);
  } catch (error) {
    logError("sessions_not_counted", error, { organization_id: organizationId });
    return false;
  }
}

function rememberRefusal(organizationId: string): void {
  refusedAt.delete(organizationId);
  refusedAt.set(organizationId, Date.now());
  const [longest] = refusedAt.keys();
  if (refusedAt.size > MAX_REFUSED && longest !== undefined) refusedAt.delete(longest);
}

/**
 * Whether the session gets its row before its browser is launched: this claims early what only one session
 * may have, holds what it refers to, and checks limits other than the organization's. Other sessions get
 * their row once they are usable.
 */
function needsReservation(
  { hasOwnLimits }: Caller,
  row: BrowserSessionRow,
  claim: IdempotencyClaim | undefined,
): boolean {
  const { name, persistenceId, invocationId, proxyId, profileId, extensionIds } = row;
  const claims = [name, persistenceId, invocationId, proxyId, profileId].filter((value) => value !== null);
  return hasOwnLimits || claim !== undefined || claims.length + extensionIds.length > 0;
}

function selectInvocation({ caller, body }: CreateSessionRequest): string | null {
  const asked = body.invocation_id ?? caller.invocationId;
  if (caller.invocationId !== null && asked !== caller.invocationId) {
    throw badRequest({ field: "invocation_id", message: "must be the invocation of this key" });
  }
  if (asked !== null && body.persistence !== undefined) {
    throw badRequest({
      field: "persistence",
      message: "cannot be used for a session of an invocation",
    });
  }
  return asked;
}

async function toClaim(
  { caller, idempotencyKey, body }: CreateSessionRequest,
  expiredBefore: number,
): Promise<IdempotencyClaim | undefined> {
  if (idempotencyKey === undefined) return undefined;
  // Headers have no line breaks, so other callers' keys cannot collide.
  const owner = caller.invocationId ?? caller.projectId;
  const key = owner === "" ? idempotencyKey : `${owner}\n${idempotencyKey}`;
  return { key, bodyHash: await hashBody(body), expiredBefore };
}

/** Waits until the earlier call has started the session. */
async function findRepeatedSession(
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
  return waitUntilUsable(env, earlier.session);
}

async function findPersistentSession(
  env: Env,
  database: Database,
  row: BrowserSessionRow,
): Promise<BrowserSessionRow | undefined> {
  const { persistenceId } = row;
  if (persistenceId === null) return undefined;
  const living = await findLivingSession(database, row, { persistenceId });
  return living && waitUntilUsable(env, living);
}

async function waitUntilUsable(env: Env, row: BrowserSessionRow): Promise<BrowserSessionRow> {
  unwrap(await sessionObject(env, row.id).whenUsable());
  return { ...row, state: "active" };
}

async function requireUnfinishedInvocation(database: Database, row: BrowserSessionRow): Promise<void> {
  const { invocationId } = row;
  if (invocationId === null || (await isInvocationUnfinished(database, row, invocationId))) return;
  throw badRequest({ field: "invocation_id", message: "is unknown or has finished" });
}

async function requireFreeName(database: Database, row: BrowserSessionRow): Promise<void> {
  const { name } = row;
  if (name === null) return;
  const living = await findLivingSession(database, row, { name });
  if (living !== undefined) throw conflict(`name: another active session is named "${name}"`);
}

async function startSession(
  env: Env,
  row: BrowserSessionRow,
  { caller, body, near, options, disconnected, onStarting }: CreateSessionRequest,
  unlisted?: UnlistedSession,
): Promise<BrowserSessionRow> {
  const { weight } = caller;
  const start = toSessionStart(row, { savesProfile: body.profile?.save_changes, weight, ...options });
  const object = sessionObject(env, row.id, row.region ?? near);
  const starting = object.start(start, unlisted);
  const giveUp = () => void object.giveUp().catch(() => undefined);
  if (disconnected?.aborted) giveUp();
  else disconnected?.addEventListener("abort", giveUp, { once: true });
  onStarting?.(row);
  const started = await starting.catch(async (error: unknown) => {
    // The object was reset during the start. A new one cleans up, or its alarm does.
    await sessionObject(env, row.id)
      .reconcile(row.id)
      .catch(() => undefined);
    throw error;
  });
  disconnected?.removeEventListener("abort", giveUp);
  unwrap(started);
  return { ...row, state: "active", idleSince: Date.now() };
}

function toRow(
  { caller, apiKeyId, body }: CreateSessionRequest,
  {
    extensionIds,
    proxyId,
    profile,
    invocationId,
    telemetry,
    machine,
  }: SelectedReferences & Pick<BrowserSessionRow, "invocationId" | "telemetry" | "machine">,
): BrowserSessionRow {
  return newSessionRow({
    organizationId: caller.organizationId,
    projectId: caller.projectId,
    name: body.name ?? null,
    tags: body.tags,
    ...toOptionColumns(body),
    machine,
    persistenceId: body.persistence?.id ?? null,
    extensionIds,
    proxyId,
    profileId: profile?.id ?? null,
    invocationId,
    apiKeyId,
    telemetry,
  });
}

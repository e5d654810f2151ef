import { type Database, openDatabase } from "../database/client.ts";
import type { BrowserSessionRow } from "../database/schema/browser-sessions.ts";
import { conflict, ServiceError } from "../http/errors.ts";
import { newIdentifier } from "../http/identifiers.ts";
import { unwrap } from "../http/outcome.ts";
import { readSettings } from "../settings.ts";
import { hashBody } from "./idempotency.ts";
import type { CreateSessionBody } from "./schema.ts";
import { type SelectedReferences, selectReferences, touchReferences } from "./select-references.ts";
import { sessionObject } from "./session-object.ts";
import {
  findIdempotencyClaim,
  findLivingSession,
  type IdempotencyClaim,
  insertStartingSession,
} from "./store.ts";

/** A refusal whose reason is gone when it is looked for was another call's doing: the insert is tried again. */
const ATTEMPTS = 2;

const RETRY_AFTER_LIMIT_SECONDS = 10;

export interface CreateSessionRequest {
  organizationId: string;
  body: CreateSessionBody;
  idempotencyKey: string | undefined;
}

/**
 * Creates a session, or answers with the one that an earlier call with the same Idempotency-Key, or a living
 * session with the same persistence id, stands for.
 *
 * @throws ServiceError 409 for a name in use or a key used otherwise, 429 at a limit, 503 without a browser.
 */
export async function createSession(env: Env, request: CreateSessionRequest): Promise<BrowserSessionRow> {
  const database = openDatabase(env.DB);
  const settings = readSettings(env);
  const selected = await selectReferences(env, request.organizationId, request.body);
  const row = toStartingRow(request, selected);
  const claim = await toClaim(request, row.createdAt - settings.idempotencyRetentionMs);
  const options = { defaultLimit: settings.maxConcurrentSessions, claim };
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    if (await insertStartingSession(database, row, options)) {
      await touchReferences(database, row, row.createdAt);
      return startSession(env, row, request.body.profile?.save_changes ?? false);
    }
    const standing =
      (await repeatedSession(env, database, row, claim)) ?? (await persistentSession(env, database, row));
    if (standing !== undefined) return standing;
    await requireFreeName(database, row);
  }
  throw new ServiceError(
    "too_many_requests",
    "The organization has reached its limit of concurrent sessions (max_concurrent_sessions); end one, or wait",
    { shouldRetry: false, retryAfterSeconds: RETRY_AFTER_LIMIT_SECONDS },
  );
}

async function toClaim(
  { idempotencyKey, body }: CreateSessionRequest,
  expiredBefore: number,
): Promise<IdempotencyClaim | undefined> {
  if (idempotencyKey === undefined) return undefined;
  return { key: idempotencyKey, bodyHash: await hashBody(body), expiredBefore };
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
  const starting = sessionObject(env, row.id).start({
    id: row.id,
    organizationId: row.organizationId,
    timeoutMs: row.timeoutSeconds * 1000,
    viewport: { width: row.viewportWidth, height: row.viewportHeight, refreshRate: row.viewportRefreshRate },
    startURL: row.startURL,
    headless: row.headless,
    stealth: row.stealth,
    kiosk: row.kioskMode,
    extensionIds: row.extensionIds,
    proxyId: row.proxyId,
    profile: row.profileId === null ? null : { id: row.profileId, saveChanges: savesProfile },
  });
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

function toStartingRow(
  { organizationId, body }: CreateSessionRequest,
  { extensionIds, proxyId, profile }: SelectedReferences,
): BrowserSessionRow {
  return {
    id: newIdentifier(),
    organizationId,
    state: "starting",
    name: body.name ?? null,
    tags: body.tags,
    headless: body.headless,
    stealth: body.stealth,
    kioskMode: body.kiosk_mode,
    timeoutSeconds: body.timeout_seconds,
    viewportWidth: body.viewport.width,
    viewportHeight: body.viewport.height,
    viewportRefreshRate: body.viewport.refreshRate,
    startURL: body.start_url ?? null,
    persistenceId: body.persistence?.id ?? null,
    createdAt: Date.now(),
    deletedAt: null,
    endReason: null,
    poolId: null,
    poolName: null,
    proxyId,
    profileId: profile?.id ?? null,
    invocationId: null,
    endDetails: null,
    lease: null,
    extensionIds,
  };
}

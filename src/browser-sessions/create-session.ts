import { type Database, openDatabase } from "../database/client.ts";
import type { BrowserSessionRow } from "../database/schema/browser-sessions.ts";
import { conflict, ServiceError } from "../http/errors.ts";
import { newIdentifier } from "../http/identifiers.ts";
import { unwrap } from "../http/outcome.ts";
import { sha256 } from "../organizations/api-key.ts";
import { readSettings } from "../settings.ts";
import { claimIdempotencyKey, releaseIdempotencyKey } from "./idempotency.ts";
import type { CreateSessionBody } from "./schema.ts";
import { sessionObject } from "./session-object.ts";
import { findLivingSession, insertStartingSession, readSession } from "./store.ts";

/** A refusal whose reason is gone when it is looked for was another call's doing: the insert is tried again. */
const ATTEMPTS = 2;

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
  const row = toStartingRow(request);
  if (request.idempotencyKey === undefined) return insertAndStart(env, database, row);

  const now = Date.now();
  const call = {
    organizationId: request.organizationId,
    key: request.idempotencyKey,
    bodyHash: await sha256(JSON.stringify(request.body)),
  };
  const expiredBefore = now - readSettings(env).idempotencyRetentionMs;
  const sessionId = await claimIdempotencyKey(database, call, row.id, { now, expiredBefore });
  if (sessionId !== row.id) return repeatedSession(env, database, sessionId);
  try {
    return await insertAndStart(env, database, row);
  } catch (error) {
    await releaseIdempotencyKey(database, row.id);
    throw error;
  }
}

/** The session that an earlier call with the same key created, once that call is through. */
async function repeatedSession(env: Env, database: Database, sessionId: string): Promise<BrowserSessionRow> {
  unwrap(await sessionObject(env, sessionId).whenStarted());
  const row = await readSession(database, sessionId);
  if (row?.state !== "active") throw conflict("The session that this Idempotency-Key created has ended");
  return row;
}

async function insertAndStart(
  env: Env,
  database: Database,
  row: BrowserSessionRow,
): Promise<BrowserSessionRow> {
  const { maxConcurrentSessions } = readSettings(env);
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    if (await insertStartingSession(database, row, maxConcurrentSessions)) return startSession(env, row);
    const persistent = await persistentSession(env, database, row);
    if (persistent !== undefined) return persistent;
    await requireFreeName(database, row);
  }
  throw new ServiceError(
    "too_many_requests",
    "The organization has reached its limit of concurrent sessions (max_concurrent_sessions)",
    { shouldRetry: false },
  );
}

/** The living session with the persistence id of the one asked for, once it has started. */
async function persistentSession(
  env: Env,
  database: Database,
  { organizationId, persistenceId }: BrowserSessionRow,
): Promise<BrowserSessionRow | undefined> {
  if (persistenceId === null) return undefined;
  const living = await findLivingSession(database, organizationId, { persistenceId });
  if (living === undefined) return undefined;
  unwrap(await sessionObject(env, living.id).whenStarted());
  return { ...living, state: "active" };
}

async function requireFreeName(
  database: Database,
  { organizationId, name }: BrowserSessionRow,
): Promise<void> {
  if (name === null) return;
  const living = await findLivingSession(database, organizationId, { name });
  if (living !== undefined) throw conflict(`name: another active session is named "${name}"`);
}

async function startSession(env: Env, row: BrowserSessionRow): Promise<BrowserSessionRow> {
  const started = await sessionObject(env, row.id).start({
    id: row.id,
    organizationId: row.organizationId,
    timeoutMs: row.timeoutSeconds * 1000,
    viewport: { width: row.viewportWidth, height: row.viewportHeight, refreshRate: row.viewportRefreshRate },
    startURL: row.startURL,
  });
  unwrap(started);
  return { ...row, state: "active" };
}

function toStartingRow({ organizationId, body }: CreateSessionRequest): BrowserSessionRow {
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
  };
}

import { unwrap } from "../../lib/common/outcome.ts";
import { openDatabase } from "../../lib/database/client.ts";
import type { BrowserPoolRow } from "../../lib/database/schema/browser-pools.ts";
import type { BrowserSessionRow } from "../../lib/database/schema/browser-sessions.ts";
import type { Background } from "../../lib/objects/background.ts";
import { findOrganization } from "../organizations/index.ts";
import {
  emitSessionEnded,
  insertPooledSession,
  leaseSession,
  newSessionRow,
  returnSession,
  selectReferences,
  sessionObject,
  toSessionStart,
  touchReferences,
  toViewportColumns,
} from "../sessions/index.ts";
import { changeConfig, DEFAULT_CONFIG, type TelemetryRequest } from "../telemetry/index.ts";
import type { PoolBrowser } from "./pool-browsers.ts";
import { mayHaveBrowsers } from "./store.ts";

export interface LeaseRequest {
  name: string | null;
  tags: Record<string, string>;
  /** Opened in the front tab; null leaves the tab unchanged. */
  startURL: string | null;
  /** Layered onto the configuration of the pool. */
  telemetry: TelemetryRequest | null;
  /** Absent: as the pool. */
  record?: boolean;
  /** Null for the key of a run. */
  apiKeyId: string | null;
  /** Whether the key has a limit of sessions. */
  isKeyLimited?: boolean;
  /** Whether it is released when its last DevTools connection closes. */
  endsWithConnection?: boolean;
}

/** @returns false when the pool is deleted, or its organization disabled or over its budget. */
export async function startPooledSession(
  env: Env,
  pool: BrowserPoolRow,
  sessionId: string,
): Promise<boolean> {
  const database = openDatabase(env.DB);
  // Fails if any of them was deleted in the meantime: a browser must not lack part of its configuration.
  await selectReferences(
    env,
    { organizationId: pool.organizationId, projectId: pool.projectId, invocationId: null },
    {
      extensions: pool.extensionIds.map((id) => ({ id })),
      proxy_id: pool.proxyId,
      profile: pool.profileId === null ? undefined : { id: pool.profileId },
    },
  );
  const row = toRow(pool, sessionId);
  if (!(await insertPooledSession(database, row, mayHaveBrowsers(pool.id)))) return false;
  await touchReferences(database, row, row.createdAt);
  const organization = await findOrganization(database, pool.organizationId);
  const start = toSessionStart(row, { weight: organization?.weight });
  unwrap(await sessionObject(env, sessionId, pool.region).start(start));
  return true;
}

/** @returns the session, or why it was not leased; `unusable` means that its browser is lost. */
export async function leasePooledSession(
  env: Env,
  pool: BrowserPoolRow,
  { sessionId, lease }: PoolBrowser,
  request: LeaseRequest,
): Promise<BrowserSessionRow | "name-taken" | "key-limit" | "unusable"> {
  const { name, tags, startURL, record = pool.record, apiKeyId, endsWithConnection } = request;
  const telemetry = changeConfig(pool.telemetry ?? DEFAULT_CONFIG, request.telemetry);
  const listing = leaseSession(openDatabase(env.DB), sessionId, {
    name,
    tags,
    ...(startURL === null ? {} : { startURL }),
    poolName: pool.name,
    apiKeyId,
    telemetry,
    record,
    lease,
    createdAt: Date.now(),
  });
  const start = { number: lease, startURL, telemetry, isRecorded: record, endsWithConnection };
  const begin = () => sessionObject(env, sessionId).lease(start);
  // Concurrent, because a caller waits; but a taken name or a limit must not affect the browser.
  const isSure = name === null && !request.isKeyLimited;
  const leasing = isSure ? begin() : listing.then((row) => (isRow(row) ? begin() : false));
  const [listed, leased] = await Promise.allSettled([listing, leasing]);
  if (listed.status === "rejected") throw listed.reason;
  if (leased.status === "rejected") throw leased.reason;
  if (!isRow(listed.value)) return listed.value ?? "unusable";
  if (leased.value) return listed.value;
  await unlist(env, sessionId, listed.value);
  return "unusable";
}

function isRow(row: BrowserSessionRow | string | undefined): row is BrowserSessionRow {
  return typeof row === "object";
}

/** An idle session is not listed and does not occupy a name. */
async function unlist(env: Env, sessionId: string, row: BrowserSessionRow): Promise<void> {
  const { viewportWidth, viewportHeight, viewportRefreshRate } = row;
  const { proxyId, profileId } = row;
  const before = { startURL: null, viewportWidth, viewportHeight, viewportRefreshRate, proxyId, profileId };
  await returnSession(openDatabase(env.DB), sessionId, undefined, before);
}

/** The call may be repeated after a failure. @returns false when the session has ended. */
export async function returnPooledSession(
  background: Background,
  { sessionId, lease }: PoolBrowser,
): Promise<boolean> {
  const { env } = background;
  const session = await sessionObject(env, sessionId).returnToPool(lease);
  if (session === undefined) return false;
  const { viewport, startURL, proxyId, profile } = session;
  const at = Date.now();
  const leased = await returnSession(openDatabase(env.DB), sessionId, at, {
    startURL,
    ...toViewportColumns(viewport),
    proxyId,
    profileId: profile?.id ?? null,
  });
  if (leased !== undefined) emitSessionEnded(background, leased, { reason: "released", at });
  return true;
}

function toRow(pool: BrowserPoolRow, id: string): BrowserSessionRow {
  const { id: poolId, name: poolName, record, createdAt, ...options } = pool;
  const { size, fillRatePerMinute, extensions, profile, lastError, lastErrorAt, ...row } = options;
  return newSessionRow({ ...row, id, poolId, poolName });
}

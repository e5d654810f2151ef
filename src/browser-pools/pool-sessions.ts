import { unwrap } from "../common/outcome.ts";
import { openDatabase } from "../database/client.ts";
import type { BrowserPoolRow } from "../database/schema/browser-pools.ts";
import type { BrowserSessionRow } from "../database/schema/browser-sessions.ts";
import {
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
import type { Member } from "./pool-members.ts";

/** What a caller wants of the session that they acquire. */
export interface LeaseRequest {
  name: string | null;
  tags: Record<string, string>;
  /** Opened in the tab in front; null: that stays as it is. */
  startURL: string | null;
  /** The API key of the caller; null: the key of a run. */
  apiKeyId: string | null;
}

/**
 * Starts a session as the pool says.
 *
 * @returns false when the pool is no more, or its organization is disabled.
 * @throws ServiceError that says why the session did not start; nothing is left of it then, or the sweep finds it.
 */
export async function startPooledSession(
  env: Env,
  pool: BrowserPoolRow,
  sessionId: string,
): Promise<boolean> {
  const database = openDatabase(env.DB);
  // One that was deleted meanwhile is an error: a browser is never without what it was to have.
  await selectReferences(
    env,
    { organizationId: pool.organizationId, invocationId: null },
    {
      extensions: pool.extensionIds.map((id) => ({ id })),
      proxy_id: pool.proxyId,
      profile: pool.profileId === null ? undefined : { id: pool.profileId },
    },
  );
  const row = toRow(pool, sessionId);
  if (!(await insertPooledSession(database, row))) return false;
  await touchReferences(database, row, row.createdAt);
  unwrap(await sessionObject(env, sessionId).start(toSessionStart(row, false)));
  return true;
}

/**
 * Makes an idle session a caller's.
 *
 * @returns the session; why it is not the caller's: `unusable` means that its browser is lost.
 */
export async function leasePooledSession(
  env: Env,
  pool: BrowserPoolRow,
  { sessionId, lease }: Member,
  { name, tags, startURL, apiKeyId }: LeaseRequest,
): Promise<BrowserSessionRow | "name-taken" | "unusable"> {
  const listing = leaseSession(openDatabase(env.DB), sessionId, {
    name,
    tags,
    ...(startURL === null ? {} : { startURL }),
    poolName: pool.name,
    apiKeyId,
    lease,
    createdAt: Date.now(),
  });
  const begin = () => sessionObject(env, sessionId).lease({ number: lease, startURL });
  // Side by side, because somebody waits; but a name may be taken, and then nothing is to happen to the browser.
  const leasing = name === null ? begin() : listing.then((row) => (isRow(row) ? begin() : false));
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

/** Takes off the lists what nobody got: as an idle one it leaves no trace, and its name is free. */
async function unlist(env: Env, sessionId: string, row: BrowserSessionRow): Promise<void> {
  const { viewportWidth, viewportHeight, viewportRefreshRate } = row;
  const { proxyId, profileId } = row;
  const before = { startURL: null, viewportWidth, viewportHeight, viewportRefreshRate, proxyId, profileId };
  await returnSession(openDatabase(env.DB), sessionId, before);
}

/**
 * Makes a leased session, or one whose lease did not come about, ready for the next lease.
 *
 * @returns false when it has ended.
 * @throws when it is not ready; doing it again finishes it.
 */
export async function returnPooledSession(env: Env, { sessionId, lease }: Member): Promise<boolean> {
  const session = await sessionObject(env, sessionId).returnToPool(lease);
  if (session === undefined) return false;
  const { viewport, startURL, proxyId, profile } = session;
  await returnSession(openDatabase(env.DB), sessionId, {
    startURL,
    ...toViewportColumns(viewport),
    proxyId,
    profileId: profile?.id ?? null,
  });
  return true;
}

function toRow(pool: BrowserPoolRow, id: string): BrowserSessionRow {
  const { organizationId, headless, stealth, kioskMode, timeoutSeconds, startURL } = pool;
  const { viewportWidth, viewportHeight, viewportRefreshRate, extensionIds, proxyId, profileId } = pool;
  return newSessionRow({
    id,
    organizationId,
    poolId: pool.id,
    poolName: pool.name,
    headless,
    stealth,
    kioskMode,
    timeoutSeconds,
    viewportWidth,
    viewportHeight,
    viewportRefreshRate,
    startURL,
    extensionIds,
    proxyId,
    profileId,
  });
}

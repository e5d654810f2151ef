import type { Context } from "hono";
import { serviceUnavailable } from "../../lib/common/errors.ts";
import type { BrowserSessionRow } from "../../lib/database/schema/browser-sessions.ts";
import { requireFeatures } from "../../platform/capabilities/index.ts";
import { apiKeyOf, type CallerEnv } from "../organizations/index.ts";
import { acquireWait } from "./acquire-wait.ts";
import { callPool } from "./call-pool.ts";
import type { PoolCaller } from "./object.ts";
import type { AcquireBody } from "./schema.ts";
import { poolObject } from "./stub.ts";

export interface AcquireRequest<T> {
  idOrName: string;
  body: AcquireBody;
  clientTimeoutSeconds: number | undefined;
  /** Whether it is released when its last DevTools connection closes. */
  endsWithConnection?: boolean;
  /** Creates the response. If it fails, the browser is released. */
  present: (session: BrowserSessionRow) => Promise<T>;
}

/** Releases the browser if the caller disconnected. @returns undefined if no browser became idle in time. */
export function acquireFromPool<T>(
  c: Context<CallerEnv>,
  request: AcquireRequest<T>,
): Promise<T | undefined> {
  const acquiring = acquireAndPresent(c, request);
  // The platform cancels the request of a disconnected caller, except for `waitUntil`.
  c.executionCtx.waitUntil(acquiring.catch(() => undefined));
  return acquiring;
}

async function acquireAndPresent<T>(
  c: Context<CallerEnv>,
  { idOrName, body, clientTimeoutSeconds, endsWithConnection, present }: AcquireRequest<T>,
): Promise<T | undefined> {
  const { signal } = c.req.raw;
  const { caller } = c.var;
  const call = {
    id: crypto.randomUUID(),
    waitMs: acquireWait(body.acquire_timeout_seconds, clientTimeoutSeconds),
    name: body.name ?? null,
    tags: body.tags,
    startURL: body.start_url ?? null,
    telemetry: body.telemetry ?? null,
    record: body.record,
    apiKeyId: apiKeyOf(caller),
    isKeyLimited: caller.scope === "organization" && caller.rights.maxConcurrentSessions !== null,
    endsWithConnection,
  };
  if (body.record) await requireFeatures(c.env, ["record"]);
  const session = await callPool(c.env, caller, idOrName, async (poolCaller) => {
    if (signal.aborted) return { ok: true, value: undefined };
    const pool = poolObject(c.env, poolCaller.poolId);
    const cancel = () => c.executionCtx.waitUntil(pool.cancelAcquire(call.id).catch(() => undefined));
    signal.addEventListener("abort", cancel);
    try {
      return await pool.acquire(poolCaller, call);
    } catch (error) {
      // The object restarted and will release the lease, so the call may be repeated.
      throw serviceUnavailable("The pool was restarted; try again", 1, error);
    } finally {
      signal.removeEventListener("abort", cancel);
    }
  });
  if (session === undefined) return undefined;
  try {
    const response = await present(session);
    if (!signal.aborted) return response;
  } catch (error) {
    await releaseUnused(c.env, session);
    throw error;
  }
  await releaseUnused(c.env, session);
  return undefined;
}

async function releaseUnused(env: Env, session: BrowserSessionRow): Promise<void> {
  const { id, organizationId, projectId, poolId, lease } = session;
  if (poolId === null || lease === null) return;
  const caller: PoolCaller = { poolId, organizationId, projectId };
  await poolObject(env, poolId).release(caller, { sessionId: id, reuse: true, lease });
}

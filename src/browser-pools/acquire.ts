import type { Context } from "hono";
import { serviceUnavailable } from "../common/errors.ts";
import type { BrowserSessionRow } from "../database/schema/browser-sessions.ts";
import { apiKeyOf, type CallerEnv } from "../organizations/index.ts";
import { acquireWait } from "./acquire-wait.ts";
import type { PoolCaller } from "./browser-pool.ts";
import { callPool } from "./call-pool.ts";
import { poolObject } from "./pool-object.ts";
import type { AcquireBody } from "./schema.ts";

export interface Acquisition<T> {
  idOrName: string;
  body: AcquireBody;
  /** How long the caller says to listen. */
  listensSeconds: number | undefined;
  /** Makes the answer; should it fail, the browser goes back. */
  present: (session: BrowserSessionRow) => Promise<T>;
}

/**
 * Acquires a browser for the caller of a request. A caller who leaves gets none: their wait ends, and what they were
 * given meanwhile goes back.
 *
 * @returns the answer; undefined when no browser was to be had in time.
 * @throws ServiceError 404 when there is no such pool, 409 when another session has the name, 503 when the pool's
 * object was restarted meanwhile.
 */
export function acquireBrowser<T>(
  c: Context<CallerEnv>,
  acquisition: Acquisition<T>,
): Promise<T | undefined> {
  const acquiring = acquireAndPresent(c, acquisition);
  // The platform drops a request whose caller has left, and with it what gives the browser back.
  c.executionCtx.waitUntil(acquiring.catch(() => undefined));
  return acquiring;
}

async function acquireAndPresent<T>(
  c: Context<CallerEnv>,
  { idOrName, body, listensSeconds, present }: Acquisition<T>,
): Promise<T | undefined> {
  const { signal } = c.req.raw;
  const call = {
    id: crypto.randomUUID(),
    waitMs: acquireWait(body.acquire_timeout_seconds, listensSeconds),
    name: body.name ?? null,
    tags: body.tags,
    startURL: body.start_url ?? null,
    apiKeyId: apiKeyOf(c.var.caller),
  };
  const { organizationId } = c.var.caller;
  const session = await callPool(c.env, { organizationId, idOrName }, async (caller) => {
    if (signal.aborted) return { ok: true, value: undefined };
    const pool = poolObject(c.env, caller.poolId);
    const cancel = () => c.executionCtx.waitUntil(pool.cancelAcquire(call.id).catch(() => undefined));
    signal.addEventListener("abort", cancel);
    try {
      return await pool.acquire(caller, call);
    } catch (error) {
      // The object began anew. It takes back what it was about to give away, so the call may be made again.
      throw serviceUnavailable("The pool was interrupted; try again", 1, error);
    } finally {
      signal.removeEventListener("abort", cancel);
    }
  });
  if (session === undefined) return undefined;
  try {
    const answer = await present(session);
    if (!signal.aborted) return answer;
  } catch (error) {
    await giveBack(c.env, session);
    throw error;
  }
  await giveBack(c.env, session);
  return undefined;
}

async function giveBack(env: Env, session: BrowserSessionRow): Promise<void> {
  const { id, organizationId, poolId, lease } = session;
  if (poolId === null || lease === null) return;
  const caller: PoolCaller = { poolId, organizationId };
  await poolObject(env, poolId).release(caller, { sessionId: id, reuse: true, lease });
}

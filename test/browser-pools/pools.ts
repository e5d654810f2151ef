import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterAll, expect } from "vitest";
import { NEW_FILL_STATE } from "../../src/browser-pools/fill-policy.ts";
import type { Member } from "../../src/browser-pools/pool-members.ts";
import { type PoolBody, poolSchema } from "../../src/browser-pools/schema.ts";
import { poolObject } from "../../src/browser-pools/stub.ts";
import { type SessionBody, sessionSchema } from "../../src/sessions/api/schema.ts";
import type { Client } from "../api.ts";

/**
 * Ends every pool when the tests of a file are through: a pool that is left fills itself by its alarms, during the tests
 * of the next file. To be called after the browsers that the pools use are set up.
 */
export function endPoolsAfterAll(): void {
  afterAll(async () => {
    const { results } = await env.DB.prepare("SELECT id, organization_id FROM browser_pools").run<{
      id: string;
      organization_id: string;
    }>();
    for (const { id, organization_id: organizationId } of results) {
      const outcome = await poolObject(env, id).delete({ poolId: id, organizationId }, true);
      expect(outcome).toEqual({ ok: true });
    }
  });
}

/** A new pool as its creation answers it. */
export async function createPool(client: Client, body: object): Promise<PoolBody> {
  return (await client.post("/browser_pools", body)).read(poolSchema);
}

/** A pool that has all its browsers, whatever its fill rate. */
export async function createFullPool(
  client: Client,
  body: { size: number; [field: string]: unknown },
): Promise<PoolBody> {
  const { id } = await createPool(client, { ...body, fill_rate_per_minute: 25 });
  await fill(client, id);
  return readPool(client, id);
}

/** Has a pool launch what it lacks, as if the time for it had come. */
export async function fill(client: Client, poolId: string): Promise<void> {
  const { browser_pool_config } = await readPool(client, poolId);
  // An object that launches writes down how far it is.
  await expect.poll(() => hasLaunching(poolId)).toBe(false);
  // It reads its storage as it begins, and takes up the filling then.
  await restartPool(poolId, ({ kv }) => kv.put("fill", { ...NEW_FILL_STATE, lackingSince: 1 }));
  await expect
    .poll(async () => (await readMembers(poolId)).filter(({ state }) => state !== "launching").length)
    .toBe(browser_pool_config.size);
}

export async function readPool(client: Client, idOrName: string): Promise<PoolBody> {
  return (await client.get(`/browser_pools/${idOrName}`)).read(poolSchema);
}

/** How many browsers a pool says are available and acquired. */
export async function counts(client: Client, poolId: string): Promise<[available: number, acquired: number]> {
  const { available_count, acquired_count } = await readPool(client, poolId);
  return [available_count, acquired_count];
}

/** A browser that is to be had at once, or soon. */
export async function acquire(client: Client, poolId: string, body: object = {}): Promise<SessionBody> {
  return (await client.post(`/browser_pools/${poolId}/acquire`, body)).read(sessionSchema);
}

export async function release(
  client: Client,
  poolId: string,
  sessionId: string,
  options: { reuse?: boolean } = {},
): Promise<void> {
  const answer = await client.post(`/browser_pools/${poolId}/release`, { session_id: sessionId, ...options });
  expect(answer.status, answer.text).toBe(204);
}

/** What a pool's object keeps of its browsers. */
export function readMembers(poolId: string): Promise<Member[]> {
  return runInDurableObject(poolObject(env, poolId), (_, { storage }) =>
    [...storage.kv.list<Member>({ prefix: "member:" })].map(([, member]) => member),
  );
}

async function hasLaunching(poolId: string): Promise<boolean> {
  return (await readMembers(poolId)).some(({ state }) => state === "launching");
}

/** Runs a pool's alarm as if the time of a deadline had come. */
export async function runPoolDeadline(poolId: string, kind: "fill" | "settle"): Promise<void> {
  const object = poolObject(env, poolId);
  await runInDurableObject(object, async (_, { storage }) => {
    storage.kv.put("deadlines", { [kind]: Date.now() });
    await storage.setAlarm(Date.now() + 60_000);
  });
  expect(await runDurableObjectAlarm(object)).toBe(true);
}

/**
 * Crashes a pool's object; the next call starts another one over the same storage.
 *
 * @param prepare changes what that one will find.
 */
export async function restartPool(
  poolId: string,
  prepare: (storage: DurableObjectStorage) => void = () => undefined,
): Promise<void> {
  const crash = runInDurableObject(poolObject(env, poolId), async (_, state) => {
    prepare(state.storage);
    await state.storage.sync();
    state.abort("crashed by a test");
  });
  await crash.catch(() => undefined);
}

import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterAll, expect } from "vitest";
import { NEW_FILL_STATE } from "../../../src/features/browser-pools/fill-policy.ts";
import type { PoolBrowser } from "../../../src/features/browser-pools/pool-browsers.ts";
import { type PoolBody, poolSchema } from "../../../src/features/browser-pools/schema.ts";
import { poolObject } from "../../../src/features/browser-pools/stub.ts";
import { type SessionBody, sessionSchema } from "../../../src/features/sessions/session-schema.ts";
import type { Client } from "../../api.ts";
import { crashObject } from "../../objects.ts";

/** Deletes pools after a file, or alarms would fill them in the next. Call it after browsers are set up. */
export function endPoolsAfterAll(): void {
  afterAll(async () => {
    const { results } = await env.DB.prepare(
      "SELECT id, organization_id, project_id FROM browser_pools",
    ).run<{
      id: string;
      organization_id: string;
      project_id: string;
    }>();
    for (const { id, organization_id: organizationId, project_id: projectId } of results) {
      const outcome = await poolObject(env, id).delete({ projectId, poolId: id, organizationId }, true);
      expect(outcome).toEqual({ ok: true });
    }
  });
}

export async function createPool(client: Client, body: object): Promise<PoolBody> {
  return (await client.post("/browser_pools", body)).read(poolSchema);
}

export async function createFullPool(
  client: Client,
  body: { size: number; [field: string]: unknown },
): Promise<PoolBody> {
  const { id } = await createPool(client, { ...body, fill_rate_per_minute: 25 });
  await fill(client, id);
  return readPool(client, id);
}

/** Launches the missing browsers of a pool as if they were due. */
export async function fill(client: Client, poolId: string): Promise<void> {
  const { browser_pool_config } = await readPool(client, poolId);
  // A launch in progress would overwrite the fill state.
  await expect.poll(() => hasLaunching(poolId)).toBe(false);
  // The object reads its storage only when it starts, and then resumes filling.
  await restartPool(poolId, ({ kv }) => kv.put("fill", { ...NEW_FILL_STATE, lackingSince: 1 }));
  await expect
    .poll(async () => (await readPoolBrowsers(poolId)).filter(({ state }) => state !== "launching").length)
    .toBe(browser_pool_config.size);
}

export async function readPool(client: Client, idOrName: string): Promise<PoolBody> {
  return (await client.get(`/browser_pools/${idOrName}`)).read(poolSchema);
}

export async function counts(client: Client, poolId: string): Promise<[available: number, acquired: number]> {
  const { available_count, acquired_count } = await readPool(client, poolId);
  return [available_count, acquired_count];
}

export async function acquire(client: Client, poolId: string, body: object = {}): Promise<SessionBody> {
  return (await client.post(`/browser_pools/${poolId}/acquire`, body)).read(sessionSchema);
}

export async function release(
  client: Client,
  poolId: string,
  sessionId: string,
  options: { reuse?: boolean } = {},
): Promise<void> {
  const response = await client.post(`/browser_pools/${poolId}/release`, {
    session_id: sessionId,
    ...options,
  });
  expect(response.status, response.text).toBe(204);
}

export function readPoolBrowsers(poolId: string): Promise<PoolBrowser[]> {
  return runInDurableObject(poolObject(env, poolId), (_, { storage }) =>
    [...storage.kv.list<PoolBrowser>({ prefix: "member:" })].map(([, browser]) => browser),
  );
}

async function hasLaunching(poolId: string): Promise<boolean> {
  return (await readPoolBrowsers(poolId)).some(({ state }) => state === "launching");
}

/** Runs a pool's alarm as if a deadline had passed. */
export async function runPoolDeadline(poolId: string, kind: "fill" | "settle"): Promise<void> {
  const object = poolObject(env, poolId);
  await runInDurableObject(object, async (_, { storage }) => {
    storage.kv.put("deadlines", { [kind]: Date.now() });
    await storage.setAlarm(Date.now() + 60_000);
  });
  expect(await runDurableObjectAlarm(object)).toBe(true);
}

/** Crashes a pool's object; the next call starts another on the same storage, which `prepare` may change. */
export function restartPool(
  poolId: string,
  prepare?: (storage: DurableObjectStorage) => void,
): Promise<void> {
  return crashObject(poolObject(env, poolId), prepare);
}

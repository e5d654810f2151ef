import { createExecutionContext, createScheduledController, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { FillState } from "../../../src/features/browser-pools/fill-policy.ts";
import { poolSchema } from "../../../src/features/browser-pools/schema.ts";
import { poolObject } from "../../../src/features/browser-pools/stub.ts";
import { WaitQueue } from "../../../src/features/browser-pools/wait-queue.ts";
import worker from "../../../src/index.ts";
import { newClient, openSocket, operator, upgrade, useNewClient } from "../../api.ts";
import { useFakeBrowsers } from "../../fakes/browser-binding.ts";
import { advanceTime, objectOf, readRecord, restart, runAlarm, runInSession } from "../../objects.ts";
import { readSessionRow, readSessionRows } from "../../records.ts";
import { Listener } from "../../sockets.ts";
import {
  acquire,
  counts,
  createFullPool,
  createPool,
  endPoolsAfterAll,
  fill,
  readPool,
  readPoolBrowsers,
  release,
  restartPool,
  runPoolDeadline,
} from "./pools.ts";

const browsers = useFakeBrowsers();
endPoolsAfterAll();

const client = useNewClient();
afterEach(() => {
  env.LAUNCH_WAIT_SECONDS = "20";
  vi.restoreAllMocks();
});

const sweep = () => worker.scheduled(createScheduledController(), env, createExecutionContext());

/** Ids of a pool's sessions, the longest idle first. */
async function sessionsOf(poolId: string): Promise<string[]> {
  const poolBrowsers = await readPoolBrowsers(poolId);
  return poolBrowsers.sort((first, second) => first.turn - second.turn).map(({ sessionId }) => sessionId);
}

async function browserOf(sessionId: string): Promise<string> {
  return (await readRecord(sessionId))?.browserId ?? "";
}

async function crash(sessionId: string): Promise<void> {
  const browserId = await browserOf(sessionId);
  await runInSession(sessionId, () => browsers.kill(browserId));
}

function readFillState(poolId: string): Promise<FillState | undefined> {
  return runInDurableObject(poolObject(env, poolId), (_, { storage }) => storage.kv.get<FillState>("fill"));
}

/** Expects a moment about this far from now, less the time that the test took to get here. */
function expectSoon(moment: number | undefined, milliseconds: number): void {
  const fromNow = (moment ?? 0) - Date.now();
  expect(fromNow).toBeLessThanOrEqual(milliseconds);
  expect(fromNow).toBeGreaterThan(milliseconds - 4000);
}

function millisecondsUntilAlarm(poolId: string): Promise<number> {
  return runInDurableObject(
    poolObject(env, poolId),
    async (_, { storage }) => ((await storage.getAlarm()) ?? Number.POSITIVE_INFINITY) - Date.now(),
  );
}

describe("filling a pool", () => {
  it("launches one browser immediately and one more per alarm", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    const { id } = await createPool(client, { size: 3, fill_rate_per_minute: 25 });
    await expect.poll(() => counts(client, id)).toEqual([1, 0]);
    const interval = 60_000 / (3 * 0.25);
    const { nextAt = 0 } = (await readFillState(id)) ?? {};
    expectSoon(nextAt, interval);
    for (const available of [2, 3]) {
      advanceTime(interval);
      await runPoolDeadline(id, "fill");
      await expect.poll(() => counts(client, id)).toEqual([available, 0]);
    }
    advanceTime(interval);
    await sweep();
    expect(await readPoolBrowsers(id)).toHaveLength(3);
  });

  it("launches nothing before the interval ends", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    const { id } = await createPool(client, { size: 3, fill_rate_per_minute: 25 });
    await expect.poll(() => counts(client, id)).toEqual([1, 0]);
    advanceTime(79_000);
    await runPoolDeadline(id, "fill");
    await sweep();
    expect(await readPoolBrowsers(id)).toHaveLength(1);
    // Another deadline may be first; its alarm schedules the fill again.
    expect(await millisecondsUntilAlarm(id)).toBeLessThanOrEqual(1000);
  });

  it("launches nothing at a fill rate of 0", async () => {
    const { id } = await createPool(client, { size: 3, fill_rate_per_minute: 0 });
    await sweep();
    expect(await readPoolBrowsers(id)).toEqual([]);
    expect((await client.patch(`/browser_pools/${id}`, { size: 3, fill_rate_per_minute: 10 })).status).toBe(
      200,
    );
    await expect.poll(() => counts(client, id)).toEqual([1, 0]);
  });

  it("backs off exponentially while launches fail and leaves no sessions", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    let refusals = 0;
    browsers.refusal = ({ method }) => {
      if (method !== "POST") return undefined;
      refusals += 1;
      return Response.json({ error: "no" }, { status: 500 });
    };
    const { id } = await createPool(client, { size: 2, fill_rate_per_minute: 25 });
    for (const [failures, delayMs] of [
      [1, 5000],
      [2, 10_000],
      [3, 20_000],
    ] as const) {
      await expect.poll(async () => (await readFillState(id))?.failures).toBe(failures);
      await expect.poll(() => readPoolBrowsers(id)).toEqual([]);
      expectSoon((await readFillState(id))?.backOffUntil, delayMs);
      await sweep();
      expect((await readFillState(id))?.failures).toBe(failures);
      advanceTime(delayMs);
      await runPoolDeadline(id, "fill");
    }
    await expect.poll(async () => (await readFillState(id))?.failures).toBe(4);
    expect(refusals).toBe(4);
    expect(await readSessionRows(client.organizationId)).toEqual([]);
    browsers.refusal = undefined;
    advanceTime(40_000);
    await runPoolDeadline(id, "fill");
    await expect.poll(() => counts(client, id)).toEqual([1, 0]);
    expect(await readFillState(id)).toMatchObject({ failures: 0 });
  });

  it("respects the platform's Retry-After", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    browsers.refusal = ({ method }) =>
      method === "POST"
        ? Response.json({ error: "limit" }, { status: 429, headers: { "retry-after": "17" } })
        : undefined;
    env.LAUNCH_WAIT_SECONDS = "1";
    // The broker of this region launches nothing for other tests.
    const { id } = await createPool(client, { size: 1, region: "sam" });
    await expect.poll(async () => (await readFillState(id))?.failures).toBe(1);
    expectSoon((await readFillState(id))?.backOffUntil, 17_000);
    await expect
      .poll(async () => (await readPool(client, id)).last_error)
      .toEqual({
        message: expect.stringContaining("limit"),
        at: expect.any(String),
      });
    browsers.refusal = undefined;
    advanceTime(17_000);
    await runPoolDeadline(id, "fill");
    await expect.poll(async () => (await readPool(client, id)).last_error).toBeUndefined();
  });
});

describe("a pool's browsers", () => {
  it("have its configuration", async () => {
    const { id } = await createFullPool(client, {
      size: 1,
      headless: true,
      stealth: true,
      kiosk_mode: true,
      viewport: { width: 1024, height: 768 },
      start_url: "about:blank#pool",
    });
    const [sessionId = ""] = await sessionsOf(id);
    expect(await readRecord(sessionId)).toMatchObject({
      phase: "idle",
      headless: true,
      stealth: true,
      kioskMode: true,
      viewport: { width: 1024, height: 768, refreshRate: 60 },
      startURL: "about:blank#pool",
    });
    const session = await acquire(client, id);
    expect(session).toMatchObject({ headless: true, stealth: true, kiosk_mode: true });
    expect(session.browser_live_view_url).toBeUndefined();
  });

  it("count against the pooled limit only", async () => {
    const limited = await newClient({ max_concurrent_sessions: 1, max_pooled_sessions: 2 });
    const { id } = await createFullPool(limited, { size: 2 });
    await acquire(limited, id);
    expect((await limited.post("/browsers")).status).toBe(200);
    expect((await limited.post("/browsers")).status).toBe(429);
  });

  it("stay idle without a timeout", async () => {
    const { id } = await createFullPool(client, { size: 1, timeout_seconds: 60 });
    const [sessionId = ""] = await sessionsOf(id);
    advanceTime(24 * 3_600_000);
    await runAlarm(sessionId);
    expect(await counts(client, id)).toEqual([1, 0]);
    expect(browsers.commands.at(-1)?.method).toBe("Browser.getVersion");
  });

  it("are ended and replaced when a lease is inactive for the pool's timeout", async () => {
    const { id } = await createFullPool(client, { size: 1, timeout_seconds: 60 });
    const { session_id: sessionId } = await acquire(client, id);
    advanceTime(59_000);
    await runAlarm(sessionId);
    expect(await counts(client, id)).toEqual([0, 1]);
    advanceTime(1000);
    await runAlarm(sessionId);
    expect(await readSessionRow(sessionId)).toMatchObject({ state: "ended", endReason: "inactivity" });
    await expect.poll(() => sessionsOf(id)).not.toContain(sessionId);
    await fill(client, id);
    expect(await counts(client, id)).toEqual([1, 0]);
  });

  it.each(["idle", "leased"])("are replaced when they crash while %s", async (state) => {
    const { id } = await createFullPool(client, { size: 1 });
    const [sessionId = ""] = await sessionsOf(id);
    if (state === "leased") await acquire(client, id);
    await crash(sessionId);
    const currentSessions = async () => {
      advanceTime(15_000);
      await runAlarm(sessionId);
      return sessionsOf(id);
    };
    await expect.poll(currentSessions).not.toContain(sessionId);
    const row = await readSessionRow(sessionId);
    if (state === "leased") expect(row).toMatchObject({ state: "ended", endReason: "browser_lost" });
    else expect(row).toBeUndefined();
    await fill(client, id);
    expect(await counts(client, id)).toEqual([1, 0]);
  });

  it("are replaced when their session is deleted", async () => {
    const { id } = await createFullPool(client, { size: 1 });
    const { session_id: sessionId } = await acquire(client, id);
    const browserId = await browserOf(sessionId);
    expect((await client.delete(`/browsers/${sessionId}`)).status).toBe(204);
    await expect.poll(() => browsers.living).not.toContain(browserId);
    await expect.poll(() => sessionsOf(id)).not.toContain(sessionId);
    await fill(client, id);
  });
});

describe("PATCH /browser_pools/{id}", () => {
  it("shrinks by the longest idle browsers first, then by leases as they end", async () => {
    const { id } = await createFullPool(client, { size: 4 });
    const { session_id: leased } = await acquire(client, id);
    const [first = "", , third = ""] = (await sessionsOf(id)).filter((sessionId) => sessionId !== leased);
    const patched = (await client.patch(`/browser_pools/${id}`, { size: 2 })).read(poolSchema);
    expect([patched.available_count, patched.acquired_count]).toEqual([1, 1]);
    expect(await sessionsOf(id)).not.toContain(first);
    expect(await sessionsOf(id)).toContain(third);
    expect((await client.patch(`/browser_pools/${id}`, { size: 1 })).json).toMatchObject({
      available_count: 0,
      acquired_count: 1,
    });
    expect((await client.get(`/browsers/${leased}`)).status).toBe(200);
    expect((await client.patch(`/browser_pools/${id}`, { size: 2 })).status).toBe(200);
    await fill(client, id);
    expect((await client.patch(`/browser_pools/${id}`, { size: 1 })).status).toBe(200);
    const { session_id: second } = { session_id: leased };
    await release(client, id, second);
    expect(await counts(client, id)).toEqual([1, 0]);
  });

  it("does not wait for a launch, even during the sweep", async () => {
    const launched = Promise.withResolvers<void>();
    browsers.launchGate = launched.promise;
    const { id } = await createPool(client, { size: 2 });
    await expect
      .poll(async () => (await readPoolBrowsers(id)).map(({ state }) => state))
      .toEqual(["launching"]);
    const swept = sweep();
    expect((await client.patch(`/browser_pools/${id}`, { size: 2, name: `during-${id}` })).status).toBe(200);
    expect((await client.delete(`/browser_pools/${id}`)).status).toBe(204);
    launched.resolve();
    await swept;
    await expect.poll(() => readPoolBrowsers(id)).toEqual([]);
  });

  it("applies to new browsers only", async () => {
    const { id } = await createFullPool(client, { size: 1, headless: true });
    const [before = ""] = await sessionsOf(id);
    expect((await client.patch(`/browser_pools/${id}`, { size: 1, headless: false })).status).toBe(200);
    expect((await acquire(client, id)).headless).toBe(true);
    await release(client, id, before);
    expect((await client.patch(`/browser_pools/${id}`, { size: 1, discard_all_idle: true })).status).toBe(
      200,
    );
    await expect.poll(() => counts(client, id)).toEqual([1, 0]);
    const session = await acquire(client, id);
    expect([session.session_id === before, session.headless]).toEqual([false, false]);
  });

  it("applies a name to existing sessions and a timeout to new browsers", async () => {
    const { id } = await createFullPool(client, { size: 1, name: "before" });
    const { session_id } = await acquire(client, id);
    const change = { size: 1, name: "after", timeout_seconds: 1200 };
    expect((await client.patch(`/browser_pools/${id}`, change)).status).toBe(200);
    expect((await client.get(`/browsers/${session_id}`)).json).toMatchObject({
      pool: { id, name: "after" },
      timeout_seconds: 600,
    });
    await release(client, id, session_id);
    expect(await acquire(client, id)).toMatchObject({ timeout_seconds: 600, pool: { id, name: "after" } });
    await release(client, id, session_id, { reuse: false });
    await fill(client, id);
    expect(await acquire(client, id)).toMatchObject({ timeout_seconds: 1200 });
  });

  it("replaces idle browsers immediately with discard_all_idle", async () => {
    const { id } = await createFullPool(client, { size: 3 });
    const { session_id: leased } = await acquire(client, id);
    const before = await sessionsOf(id);
    const response = await client.patch(`/browser_pools/${id}`, {
      size: 3,
      fill_rate_per_minute: 0,
      discard_all_idle: true,
    });
    expect(response.json).not.toHaveProperty("browser_pool_config.discard_all_idle");
    await expect.poll(() => counts(client, id)).toEqual([2, 1]);
    const kept = (await sessionsOf(id)).filter((sessionId) => before.includes(sessionId));
    expect(kept).toEqual([leased]);
  });

  it("replaces a launching browser with discard_all_idle", async () => {
    const launched = Promise.withResolvers<void>();
    browsers.launchGate = launched.promise;
    const { id } = await createPool(client, { size: 1, headless: true });
    await expect.poll(() => readPoolBrowsers(id)).toHaveLength(1);
    const change = { size: 1, headless: false, discard_all_idle: true };
    expect((await client.patch(`/browser_pools/${id}`, change)).status).toBe(200);
    launched.resolve();
    expect((await acquire(client, id)).headless).toBe(false);
  });
});

describe("POST /browser_pools/{id}/flush", () => {
  it("ends only idle browsers and replaces them at the fill rate", async () => {
    const { id } = await createFullPool(client, { size: 3, fill_rate_per_minute: 25 });
    const { session_id: leased } = await acquire(client, id);
    const closed = browsers.closed.length;
    // The next launch is not due yet.
    await restartPool(id, ({ kv }) => {
      kv.put("fill", { ...kv.get<FillState>("fill"), nextAt: Date.now() + 50_000 });
    });
    expect((await client.post(`/browser_pools/${id}/flush`)).status).toBe(204);
    expect(browsers.closed.length - closed).toBe(2);
    expect(await counts(client, id)).toEqual([0, 1]);
    expect(await sessionsOf(id)).toEqual([leased]);
    expect(await millisecondsUntilAlarm(id)).toBeLessThanOrEqual(50_000);
    await fill(client, id);
    expect(await counts(client, id)).toEqual([2, 1]);
  });
});

describe("DELETE /browser_pools/{id}", () => {
  it("returns 409 while a browser is leased", async () => {
    const { id } = await createFullPool(client, { size: 2 });
    const { session_id } = await acquire(client, id);
    const response = await client.delete(`/browser_pools/${id}`);
    expect([response.status, response.headers.get("x-should-retry")]).toEqual([409, "false"]);
    expect(await counts(client, id)).toEqual([1, 1]);
    await release(client, id, session_id);
    expect((await client.delete(`/browser_pools/${id}`, { force: false })).status).toBe(204);
  });

  it("ends every browser and removes the pool's state", async () => {
    const { id } = await createFullPool(client, { size: 2, name: "gone" });
    const sessionIds = await sessionsOf(id);
    const { session_id: leased, cdp_ws_url } = await acquire(client, id);
    const browserIds = await Promise.all(sessionIds.map(browserOf));
    const socket = new Listener(await openSocket(cdp_ws_url));
    expect((await client.delete(`/browser_pools/${id}`, { force: true })).status).toBe(204);
    await expect.poll(() => browserIds.filter((browserId) => browsers.living.has(browserId))).toEqual([]);
    expect((await socket.closed).reason).toContain("its pool was deleted");
    expect((await upgrade(cdp_ws_url)).status).toBe(410);
    expect(await readSessionRow(leased)).toMatchObject({ state: "ended", endReason: "pool_deleted" });
    const [other] = sessionIds.filter((sessionId) => sessionId !== leased);
    expect(await readSessionRow(other ?? "")).toBeUndefined();
    expect((await client.get(`/browser_pools/${id}`)).status).toBe(404);
    for (const operation of ["acquire", "flush"]) {
      expect((await client.post(`/browser_pools/${id}/${operation}`)).status).toBe(404);
    }
    expect((await client.post("/browser_pools", { size: 1, name: "gone" })).status).toBe(200);
    const remaining = await runInDurableObject(poolObject(env, id), async (_, { storage }) => ({
      keys: [...(await storage.list()).keys()],
      alarm: await storage.getAlarm(),
    }));
    expect(remaining).toEqual({ keys: [], alarm: null });
  });

  it("finishes after a crash without the pool's row", async () => {
    const { id } = await createFullPool(client, { size: 1 });
    const [sessionId = ""] = await sessionsOf(id);
    const browserId = await browserOf(sessionId);
    await env.DB.prepare("DELETE FROM browser_pools WHERE id = ?").bind(id).run();
    await restartPool(id, ({ kv }) => kv.put("pool", { ...kv.get<object>("pool"), isDeleted: true }));
    await runPoolDeadline(id, "settle");
    await expect.poll(() => browsers.living.has(browserId)).toBe(false);
    await expect.poll(() => readPoolBrowsers(id)).toEqual([]);
  });

  it("returns 404 to waiting clients", async () => {
    const { id } = await createPool(client, { size: 1, fill_rate_per_minute: 0 });
    const waiting = client.post(`/browser_pools/${id}/acquire`);
    // Whichever request arrives first, the wait does not outlast the pool.
    expect((await client.delete(`/browser_pools/${id}`)).status).toBe(204);
    expect((await waiting).status).toBe(404);
  });

  it("follows its organization's deletion; disabling that ends the browsers", async () => {
    const { id } = await createFullPool(client, { size: 2 });
    const { session_id } = await acquire(client, id);
    const browserIds = await Promise.all((await sessionsOf(id)).map(browserOf));
    const path = `/admin/organizations/${client.organizationId}`;
    expect((await operator.patch(path, { disabled: true })).status).toBe(200);
    await expect.poll(() => browserIds.filter((browserId) => browsers.living.has(browserId))).toEqual([]);
    expect(await readSessionRow(session_id)).toMatchObject({ endReason: "organization_ended" });
    await sweep();
    expect(await readPoolBrowsers(id)).toEqual([]);
    expect((await operator.patch(path, { disabled: false })).status).toBe(200);
    await sweep();
    await expect.poll(async () => (await readPoolBrowsers(id)).length).toBeGreaterThan(0);
    await fill(client, id);
    expect(await counts(client, id)).toEqual([2, 0]);
    expect((await operator.delete(path)).status).toBe(204);
    expect(await readPoolBrowsers(id)).toEqual([]);
    expect(
      await env.DB.prepare("SELECT count(*) AS pools FROM browser_pools WHERE id = ?").bind(id).first(),
    ).toEqual({ pools: 0 });
  });
});

describe("crash recovery", () => {
  it("keeps idle and leased browsers of a crashed pool", async () => {
    const { id } = await createFullPool(client, { size: 2 });
    const { session_id: leased } = await acquire(client, id);
    await restartPool(id);
    expect(await counts(client, id)).toEqual([1, 1]);
    const { session_id: other } = await acquire(client, id);
    expect(other).not.toBe(leased);
    await release(client, id, leased);
    await release(client, id, other);
    expect(await counts(client, id)).toEqual([2, 0]);
  });

  it("keeps a browser that was launching when the pool crashed", async () => {
    const launched = Promise.withResolvers<void>();
    browsers.launchGate = launched.promise;
    const { id } = await createPool(client, { size: 1 });
    await expect
      .poll(async () => (await readPoolBrowsers(id)).map(({ state }) => state))
      .toEqual(["launching"]);
    await expect
      .poll(async () => (await readRecord((await sessionsOf(id))[0] ?? ""))?.phase)
      .toBe("starting");
    await restartPool(id);
    launched.resolve();
    expect((await acquire(client, id)).pool?.id).toBe(id);
    expect(await readPoolBrowsers(id)).toHaveLength(1);
  });

  it.each(["leasing", "releasing"] as const)("makes a browser idle after a crash while %s", async (state) => {
    const { id } = await createFullPool(client, { size: 1 });
    const { session_id: sessionId, cdp_ws_url } = await acquire(client, id);
    await restartPool(id, ({ kv }) => {
      kv.put(`member:${sessionId}`, { ...kv.get<object>(`member:${sessionId}`), state });
    });
    expect((await acquire(client, id)).session_id).toBe(sessionId);
    expect((await upgrade(cdp_ws_url)).status).toBe(410);
  });

  it("returns 503 to waiting clients of a crashed pool and serves their retries", async () => {
    const { id } = await createFullPool(client, { size: 1 });
    const { session_id } = await acquire(client, id);
    const joined = vi.spyOn(WaitQueue.prototype, "join");
    const waiting = [1, 2].map(() => client.post(`/browser_pools/${id}/acquire`));
    await expect.poll(() => joined.mock.calls.length).toBe(2);
    await restartPool(id);
    for (const response of await Promise.all(waiting)) {
      expect([response.status, response.headers.has("retry-after")]).toEqual([503, true]);
    }
    const again = acquire(client, id);
    await release(client, id, session_id);
    expect((await again).session_id).toBe(session_id);
    expect(await counts(client, id)).toEqual([0, 1]);
  });

  it("keeps idle browsers and leases of a crashed session", async () => {
    const { id } = await createFullPool(client, { size: 1 });
    const [sessionId = ""] = await sessionsOf(id);
    await restart(sessionId);
    const session = await acquire(client, id);
    expect(session.session_id).toBe(sessionId);
    await restart(sessionId);
    (await openSocket(session.cdp_ws_url)).close(1000);
    await release(client, id, sessionId);
    expect(await counts(client, id)).toEqual([1, 0]);
    expect((await upgrade(session.cdp_ws_url)).status).toBe(410);
  });

  it("ends a session that its pool has no record of", async () => {
    const { id } = await createFullPool(client, { size: 1 });
    const [sessionId = ""] = await sessionsOf(id);
    await restartPool(id, ({ kv }) => kv.delete(`member:${sessionId}`));
    await env.DB.prepare("UPDATE browser_sessions SET created_at = 1 WHERE id = ?").bind(sessionId).run();
    await fill(client, id);
    await env.DB.prepare("UPDATE browser_pools SET size = 2 WHERE id = ?").bind(id).run();
    await poolObject(env, id).reconcile(id);
    expect(await readSessionRow(sessionId)).toBeUndefined();
  });

  it("initializes a new pool whose object was never notified", async () => {
    const { id } = await createPool(client, { size: 1 });
    await expect.poll(() => counts(client, id)).toEqual([1, 0]);
    const [sessionId = ""] = await sessionsOf(id);
    await objectOf(sessionId).retire("discarded");
    await runInDurableObject(poolObject(env, id), (_, { storage }) => storage.deleteAll());
    await restartPool(id);
    await sweep();
    await expect.poll(() => counts(client, id)).toEqual([1, 0]);
    expect((await readPool(client, id)).id).toBe(id);
  });
});

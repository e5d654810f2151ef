import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { recordingSchema } from "../../../src/api/recordings/schema.ts";
import { poolObject } from "../../../src/features/browser-pools/stub.ts";
import { WaitQueue } from "../../../src/features/browser-pools/wait-queue.ts";
import { changeSession } from "../../../src/features/sessions/requests/change-session.ts";
import { sessionSchema } from "../../../src/features/sessions/session-schema.ts";
import { newIdentifier } from "../../../src/lib/common/identifiers.ts";
import { openSocket, upgrade, useNewClient } from "../../api.ts";
import { useFakeBrowsers } from "../../fakes/browser-binding.ts";
import { sizeOfLane } from "../../lane.ts";
import { objectOf, readRecord, runInSession } from "../../objects.ts";
import { readSessionRow } from "../../records.ts";
import { Listener } from "../../sockets.ts";
import {
  acquire,
  counts,
  createFullPool,
  createPool,
  endPoolsAfterAll,
  fill,
  readPoolBrowsers,
  release,
} from "./pools.ts";

const browsers = useFakeBrowsers();
endPoolsAfterAll();

const CALLERS = sizeOfLane(50, 200);
const NOT_WAITING = { acquire_timeout_seconds: 0 };

describe("POST /browser_pools/{id}/acquire", () => {
  const client = useNewClient();

  it("returns an idle browser as a session with the pool's timeout and the given name", async () => {
    const pool = await createFullPool(client, { size: 1, name: "warm", timeout_seconds: 900 });
    expect(await client.listSessions("?status=all")).toMatchObject({ ids: [] });
    const lease = { name: "mine", tags: { team: "a" }, start_url: "about:blank#lease" };
    const session = await acquire(client, pool.id, lease);
    expect(session).toMatchObject({
      ...lease,
      timeout_seconds: 900,
      pool: { id: pool.id, name: "warm" },
      viewport: pool.browser_pool_config.viewport,
    });
    expect(session.browser_live_view_url).toBeDefined();
    for (const id of [session.session_id, "mine"]) {
      const found = (await client.get(`/browsers/${id}`)).read(sessionSchema);
      expect(found).toMatchObject({ session_id: session.session_id, pool: { id: pool.id } });
    }
    expect((await client.listSessions("?tags[team]=a")).ids).toEqual([session.session_id]);
    expect(await counts(client, pool.id)).toEqual([0, 1]);
    (await openSocket(session.cdp_ws_url)).close(1000);
    const clicked = await client.post(`/browsers/${session.session_id}/computer/move_mouse`, { x: 1, y: 2 });
    expect(clicked.status).toBe(200);
    await expect
      .poll(() => browsers.commands)
      .toContainEqual(expect.objectContaining({ method: "Page.navigate" }));
  });

  it("layers telemetry onto the pool's, for this lease only", async () => {
    const pool = await createFullPool(client, { size: 1, telemetry: { enabled: true } });
    const telemetry = { browser: { console: { enabled: true } } };
    const first = await acquire(client, pool.id, { telemetry });
    expect(first.telemetry?.browser).toMatchObject({
      control: { enabled: true },
      console: { enabled: true },
    });
    await client.post(`/browser_pools/${pool.id}/release`, { session_id: first.session_id });
    const second = await acquire(client, pool.id);
    expect(second.session_id).toBe(first.session_id);
    expect(second.telemetry?.browser).toMatchObject({
      control: { enabled: true },
      console: { enabled: false },
    });
  });

  it("records each lease of a pool with record, and no idle browser", async () => {
    const pool = await createFullPool(client, { size: 1, record: true });
    const { session_id: id, record } = await acquire(client, pool.id);
    expect(record).toBe(true);
    const ends = async () => {
      const recordings = (await client.get(`/browsers/${id}/replays`)).read(recordingSchema.array());
      return recordings.map(({ finished_at }) => finished_at !== null);
    };
    await expect.poll(ends).toEqual([false]);
    await release(client, pool.id, id);
    await expect.poll(() => readRecord(id)).toMatchObject({ phase: "idle", isRecorded: false });
    await acquire(client, pool.id);
    await expect.poll(ends).toEqual([true, false]);
    await release(client, pool.id, id);
    expect((await acquire(client, pool.id, { record: false })).record).toBe(false);
    await expect.poll(ends).toEqual([true, true]);
  });

  it("records one lease on request", async () => {
    const pool = await createFullPool(client, { size: 1 });
    const { session_id: id, record } = await acquire(client, pool.id, { record: true });
    expect(record).toBe(true);
    const list = async () => (await client.get(`/browsers/${id}/replays`)).json;
    await expect.poll(list).toEqual([expect.objectContaining({ finished_at: null })]);
    await release(client, pool.id, id);
    expect((await acquire(client, pool.id)).record).toBe(false);
    expect(await readRecord(id)).toMatchObject({ phase: "active", isRecorded: false });
    await expect.poll(list).toEqual([expect.objectContaining({ finished_at: expect.any(String) })]);
  });

  it("accepts the name of a pool", async () => {
    await createFullPool(client, { size: 1, name: "by-name" });
    expect((await acquire(client, "by-name")).pool?.name).toBe("by-name");
  });

  it("waits for the first browser of a new pool", async () => {
    const launched = Promise.withResolvers<void>();
    browsers.launchGate = launched.promise;
    const pool = await createPool(client, { size: 1 });
    const waiting = acquire(client, pool.id);
    expect((await client.post(`/browser_pools/${pool.id}/acquire`, NOT_WAITING)).status).toBe(204);
    launched.resolve();
    expect((await waiting).pool).toEqual({ id: pool.id });
  });

  it("returns 204 when no browser becomes idle in time", async () => {
    const pool = await createPool(client, { size: 1, fill_rate_per_minute: 0 });
    const response = await client.post(`/browser_pools/${pool.id}/acquire`, NOT_WAITING);
    expect([response.status, response.text]).toEqual([204, ""]);
    const header = { "X-Stainless-Timeout": "0.1" };
    expect((await client.post(`/browser_pools/${pool.id}/acquire`, {}, header)).status).toBe(204);
  });

  it("serves many clients in order, each browser to one at a time", async () => {
    const pool = await createFullPool(client, { size: 10 });
    const leased = new Set<string>();
    const served: number[] = [];
    const leasedCounts: number[] = [];
    const object = poolObject(env, pool.id);
    const caller = { poolId: pool.id, organizationId: client.organizationId, projectId: "" };
    // Calls through one stub arrive in order.
    const use = async (number: number) => {
      const request = {
        id: `request ${number}`,
        waitMs: 60_000,
        name: null,
        tags: {},
        startURL: null,
        telemetry: null,
        apiKeyId: null,
      };
      const outcome = await object.acquire(caller, request);
      if (!outcome.ok || outcome.value === undefined) throw new Error(`client ${number} got no browser`);
      const { id } = outcome.value;
      if (leased.has(id)) throw new Error(`${id} is leased twice`);
      leased.add(id);
      served.push(number);
      leasedCounts.push(leased.size);
      expect(await readRecord(id)).toMatchObject({ phase: "active" });
      leased.delete(id);
      await object.release(caller, { sessionId: id, reuse: true });
    };
    await Promise.all(Array.from({ length: CALLERS }, (_, number) => use(number)));
    expect(served).toHaveLength(CALLERS);
    // Ten run concurrently, so only they can overtake each other.
    for (const [position, number] of served.entries()) {
      expect(Math.abs(number - position)).toBeLessThan(10);
    }
    expect(Math.max(...leasedCounts)).toBeGreaterThan(1);
    expect(await counts(client, pool.id)).toEqual([10, 0]);
  });

  it("rejects a taken name and returns the browser to the pool", async () => {
    const pool = await createFullPool(client, { size: 1 });
    await client.createSession({ name: "taken" });
    const response = await client.post(`/browser_pools/${pool.id}/acquire`, { name: "taken" });
    expect(response.status).toBe(409);
    expect(response.error.message).toContain("taken");
    await expect.poll(() => counts(client, pool.id)).toEqual([1, 0]);
    const session = await acquire(client, pool.id, { name: "free" });
    expect(await readRecord(session.session_id)).toMatchObject({ phase: "active" });
  });

  it("skips a disconnected client and serves the next", async () => {
    const pool = await createFullPool(client, { size: 1 });
    const { session_id } = await acquire(client, pool.id);
    const joined = vi.spyOn(WaitQueue.prototype, "join");
    const cancelled = vi.spyOn(WaitQueue.prototype, "cancel");
    const controller = new AbortController();
    const path = `/browser_pools/${pool.id}/acquire`;
    const disconnected = client.call("POST", path, { body: {}, signal: controller.signal });
    await expect.poll(() => joined.mock.calls.length).toBe(1);
    controller.abort();
    expect((await disconnected).status).toBe(204);
    expect(cancelled.mock.calls).toEqual([[joined.mock.calls[0]?.[0]]]);
    const next = acquire(client, pool.id);
    await release(client, pool.id, session_id);
    expect((await next).session_id).toBe(session_id);
    expect(await counts(client, pool.id)).toEqual([0, 1]);
  });

  it("takes back the browser of a client that disconnected", async () => {
    const pool = await createFullPool(client, { size: 1 });
    const path = `/browser_pools/${pool.id}/acquire`;
    const response = await client.call("POST", path, { body: {}, signal: AbortSignal.abort() });
    expect(response.status).toBe(204);
    await expect.poll(() => counts(client, pool.id)).toEqual([1, 0]);
  });

  it("does not navigate the page when the name is rejected", async () => {
    const pool = await createFullPool(client, { size: 1 });
    await client.createSession({ name: "taken" });
    const commands = browsers.commands.length;
    const lease = { name: "taken", start_url: "about:blank#refused" };
    expect((await client.post(`/browser_pools/${pool.id}/acquire`, lease)).status).toBe(409);
    await expect.poll(() => counts(client, pool.id)).toEqual([1, 0]);
    await release(client, pool.id, (await acquire(client, pool.id)).session_id);
    const methods = browsers.commands.slice(commands).map(({ method }) => method);
    expect(methods).not.toContain("Page.navigate");
  });

  it("skips and replaces a dead browser", async () => {
    const pool = await createFullPool(client, { size: 2 });
    const [first] = (await readPoolBrowsers(pool.id)).sort((one, other) => one.turn - other.turn);
    const browserId = (await readRecord(first?.sessionId ?? ""))?.browserId ?? "";
    // The session gets no event, as after a crash of the service.
    browsers.living.delete(browserId);
    browsers.refusal = ({ path }) =>
      path.includes(browserId) ? Response.json({ error: "gone" }, { status: 404 }) : undefined;
    await runInSession(first?.sessionId ?? "", () => browsers.browser(browserId).disconnect());
    const session = await acquire(client, pool.id, { name: "mine" });
    expect(session.session_id).not.toBe(first?.sessionId);
    await expect
      .poll(async () => (await readPoolBrowsers(pool.id)).map(({ sessionId }) => sessionId))
      .not.toContain(first?.sessionId);
    expect((await client.listSessions("?status=all")).ids).toEqual([session.session_id]);
  });
  afterEach(() => vi.restoreAllMocks());
});

describe("POST /browser_pools/{id}/release", () => {
  const client = useNewClient();

  it("keeps the browser warm without any state of the lease", async () => {
    const pool = await createFullPool(client, { size: 1 });
    const lease = { name: "mine", tags: { a: "b" }, start_url: "about:blank#lease" };
    const first = await acquire(client, pool.id, lease);
    const { session_id: id, cdp_ws_url } = first;
    expect((await client.patch(`/browsers/${id}`, { viewport: { width: 1024, height: 768 } })).status).toBe(
      200,
    );
    const socket = new Listener(await openSocket(cdp_ws_url));
    const live = await client.post(`/browsers/${id}/live_view_urls`, {});
    expect((await client.post(`/browsers/${id}/process/exec`, { command: "echo x > /tmp/x" })).status).toBe(
      200,
    );

    await release(client, pool.id, id);
    expect(await socket.closed).toMatchObject({ code: 1001, reason: "the browser was returned to its pool" });
    expect(browsers.closed).not.toContain((await readRecord(id))?.browserId);
    for (const [method, path, body] of [
      ["GET", `/browsers/${id}`],
      ["GET", `/browsers/${id}?include_deleted=true`],
      ["GET", "/browsers/mine"],
      ["PATCH", `/browsers/${id}`, { name: "again" }],
      ["DELETE", `/browsers/${id}`],
      ["POST", `/browsers/${id}/computer/screenshot`],
      ["POST", `/browsers/${id}/live_view_urls`],
      ["GET", `/browsers/${id}/fs/list_files?path=/tmp`],
      ["POST", `/browsers/${id}/process/exec`, { command: "true" }],
    ] as const) {
      expect((await client.call(method, path, { body })).status, `${method} ${path}`).toBe(404);
    }
    expect((await client.listSessions("?status=all")).ids).toEqual([]);
    // The name is free while the browser is idle.
    const { session_id: namesake } = await client.createSession({ name: "mine" });
    expect((await client.delete(`/browsers/${namesake}`)).status).toBe(204);
    expect((await upgrade(cdp_ws_url)).status).toBe(410);
    const document = new URL(cdp_ws_url.replace(/^ws/, "http"));
    expect((await client.get(`${document.pathname}/json/list${document.search}`)).status).toBe(410);

    const second = await acquire(client, pool.id);
    expect(second.session_id).toBe(id);
    expect(second.viewport).toEqual(pool.browser_pool_config.viewport);
    expect([second.name, second.tags, second.start_url]).toEqual([undefined, {}, undefined]);
    expect((await upgrade(cdp_ws_url)).status).toBe(410);
    const { url } = live.json as { url: string };
    expect(new URL(url).pathname).toContain(id);
    (await openSocket(second.cdp_ws_url)).close(1000);
    const files = await client.get(`/browsers/${id}/fs/list_files?path=/tmp`);
    expect(files.json).toEqual([]);
  });

  it("opens a page when the lease closed all of them", async () => {
    const pool = await createFullPool(client, { size: 1 });
    const { session_id: id } = await acquire(client, pool.id);
    const browserId = (await readRecord(id))?.browserId ?? "";
    await runInSession(id, () => browsers.browser(browserId).closePages());
    await release(client, pool.id, id);
    expect(browsers.browser(browserId).pages).toHaveLength(1);
  });

  it("protects the next lease from late requests of the last one", async () => {
    const pool = await createFullPool(client, { size: 1 });
    const { session_id: id } = await acquire(client, pool.id, { name: "one" });
    const before = await readSessionRow(id);
    if (before === undefined) throw new Error("no such session");
    await release(client, pool.id, id);
    await acquire(client, pool.id, { name: "two" });
    const size = { width: 1024, height: 768, refreshRate: 60 };
    for (const change of [{ name: "late" }, { viewport: { size, force: true } }]) {
      await expect(
        changeSession(env, { ...before, invocationId: null }, before, change),
      ).rejects.toMatchObject({ code: "not_found" });
    }
    expect(await readSessionRow(id)).toMatchObject({ name: "two", viewportWidth: 1920 });
    expect(await objectOf(id).lease({ number: before.lease ?? 0, startURL: null })).toBe(false);
  });

  it("ends and replaces the browser without reuse", async () => {
    const pool = await createFullPool(client, { size: 1, fill_rate_per_minute: 25 });
    const { session_id: id } = await acquire(client, pool.id);
    await release(client, pool.id, id, { reuse: false });
    expect(await readSessionRow(id)).toMatchObject({ state: "ended", endReason: "released" });
    expect((await client.listSessions("?status=deleted")).ids).toEqual([id]);
    await fill(client, pool.id);
    expect(await counts(client, pool.id)).toEqual([1, 0]);
    expect((await acquire(client, pool.id)).session_id).not.toBe(id);
  });

  it("returns 404 for a session not leased from the pool", async () => {
    const pool = await createFullPool(client, { size: 1 });
    const other = await createFullPool(client, { size: 1 });
    const plain = await client.createSession();
    const [idle] = await readPoolBrowsers(pool.id);
    const { session_id: leased } = await acquire(client, other.id);
    for (const id of [plain.session_id, idle?.sessionId ?? "", leased, newIdentifier()]) {
      const response = await client.post(`/browser_pools/${pool.id}/release`, { session_id: id });
      expect(response.status).toBe(404);
    }
    expect((await client.get(`/browsers/${leased}`)).status).toBe(200);
  });

  it("succeeds for a concurrent repetition", async () => {
    const pool = await createFullPool(client, { size: 1 });
    const { session_id: id } = await acquire(client, pool.id);
    await Promise.all([release(client, pool.id, id), release(client, pool.id, id)]);
    expect(await counts(client, pool.id)).toEqual([1, 0]);
  });

  it("succeeds without the database and recycles the browser later", async () => {
    const pool = await createFullPool(client, { size: 1 });
    const { session_id: id } = await acquire(client, pool.id);
    await env.DB.exec("ALTER TABLE browser_sessions RENAME TO browser_sessions_away");
    try {
      await release(client, pool.id, id);
      expect((await readPoolBrowsers(pool.id)).map(({ state }) => state)).toEqual(["releasing"]);
    } finally {
      await env.DB.exec("ALTER TABLE browser_sessions_away RENAME TO browser_sessions");
    }
    await poolObject(env, pool.id).reconcile(pool.id);
    expect(await counts(client, pool.id)).toEqual([1, 0]);
    expect((await acquire(client, pool.id)).session_id).toBe(id);
  });
});

import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { handoffSchema } from "../../../src/features/sessions/handoff-schema.ts";
import { type SessionBody, sessionSchema } from "../../../src/features/sessions/session-schema.ts";
import { writeActivity } from "../../../src/features/sessions/store.ts";
import { openDatabase } from "../../../src/lib/database/client.ts";
import { type Client, newClient, openSocket } from "../../api.ts";
import { useFakeBrowsers } from "../../fakes/browser-binding.ts";
import { restart, runInSession } from "../../objects.ts";
import { insertEndedRow, insertSessionRow, readSessionRow } from "../../records.ts";
import { acquire, createFullPool, endPoolsAfterAll, release } from "../browser-pools/pools.ts";
import { ViewerPage } from "../live-view/viewers.ts";

useFakeBrowsers();
endPoolsAfterAll();

const UNUSED = { clients: 0, viewers: 0, idle_since: expect.any(String), ends_at: expect.any(String) };

let client: Client;
let session: SessionBody;
let id: string;
beforeEach(async () => {
  client = await newClient();
  session = await client.createSession({ timeout_seconds: 300 });
  id = session.session_id;
});
afterEach(async () => {
  await client.delete(`/browsers/${id}`);
});

async function readActivity(): Promise<SessionBody["activity"]> {
  return (await client.get(`/browsers/${id}`)).read(sessionSchema).activity;
}

async function listActivity(): Promise<SessionBody["activity"][]> {
  return (await client.get("/browsers?status=all"))
    .read(sessionSchema.array())
    .map(({ activity }) => activity);
}

describe("the activity of a session", () => {
  it("says when it ends if it stays unused", async () => {
    for (const activity of [session.activity, await readActivity()]) {
      expect(activity).toEqual(UNUSED);
      const { idle_since = "", ends_at = "" } = activity ?? {};
      expect(Math.abs(Date.parse(idle_since) - Date.now())).toBeLessThan(10_000);
      expect(Date.parse(ends_at) - Date.parse(idle_since)).toBe(300_000);
    }
  });

  it("counts clients and viewers while they are connected", async () => {
    const sockets = await Promise.all([openSocket(session.cdp_ws_url), openSocket(session.cdp_ws_url)]);
    await expect.poll(readActivity).toEqual({ clients: 2, viewers: 0 });
    const viewer = await ViewerPage.open(session.browser_live_view_url ?? "");
    await expect.poll(readActivity).toEqual({ clients: 2, viewers: 1 });
    expect(await listActivity()).toEqual([{ clients: 2, viewers: 1 }]);
    viewer.close();
    await expect.poll(readActivity).toEqual({ clients: 2, viewers: 0 });
    sockets[0].close(1000);
    await expect.poll(readActivity).toEqual({ clients: 1, viewers: 0 });
    sockets[1].close(1000);
    await expect.poll(readActivity).toEqual(UNUSED);
  });

  it("has no end while a handoff is pending", async () => {
    const asked = await client.post(`/browsers/${id}/handoffs`, { instructions: "Log in" });
    const { handoff_id } = handoffSchema.parse(asked.json);
    const viewer = await ViewerPage.open(session.browser_live_view_url ?? "");
    await expect.poll(readActivity).toEqual({ clients: 0, viewers: 1 });
    viewer.close();
    await expect.poll(readActivity).toEqual({ clients: 0, viewers: 0 });
    await client.delete(`/browsers/${id}/handoffs/${handoff_id}`);
    const socket = await openSocket(session.cdp_ws_url);
    await expect.poll(readActivity).toEqual({ clients: 1, viewers: 0 });
    socket.close(1000);
    await expect.poll(readActivity).toEqual(UNUSED);
  });

  it("is corrected when a restart has closed the connections", async () => {
    await openSocket(session.cdp_ws_url);
    await expect.poll(readActivity).toEqual({ clients: 1, viewers: 0 });
    await restart(id);
    await runInSession(id, () => undefined);
    await expect.poll(readActivity).toEqual(UNUSED);
  });

  it("is gone when it has ended", async () => {
    await openSocket(session.cdp_ws_url);
    await expect.poll(readActivity).toEqual({ clients: 1, viewers: 0 });
    await client.delete(`/browsers/${id}`);
    expect(await listActivity()).toEqual([undefined]);
    expect(await readSessionRow(id)).toMatchObject({
      clients: 0,
      viewers: 0,
      handoffs: null,
      idleSince: null,
    });
  });
});

describe("the activity of a pooled session", () => {
  it("begins anew with each lease", async () => {
    const pool = await createFullPool(client, { size: 1 });
    const first = await acquire(client, pool.id);
    expect(first.activity).toEqual(UNUSED);
    await openSocket(first.cdp_ws_url);
    const read = () => readSessionRow(first.session_id);
    await expect.poll(read).toMatchObject({ clients: 1, idleSince: null });
    await release(client, pool.id, first.session_id);
    await expect
      .poll(read)
      .toMatchObject({ state: "idle", clients: 0, viewers: 0, handoffs: null, idleSince: null });
    const second = await acquire(client, pool.id);
    expect(second.session_id).toBe(first.session_id);
    expect(second.activity).toEqual(UNUSED);
  });
});

describe("a late write", () => {
  const late = { clients: 9, viewers: 9, handoffs: null, idleSince: null };

  it.each([
    ["the lease", { state: "active", lease: 2 }],
    ["the session", { state: "ended", lease: 1 }],
  ] as const)("changes nothing once %s has ended", async (_, details) => {
    const before = await insertSessionRow({ organizationId: client.organizationId, ...details });
    const database = openDatabase(env.DB);
    await writeActivity(database, { id: before.id, lease: 1 }, late);
    expect(await readSessionRow(before.id)).toEqual(before);
    await writeActivity(database, { id, lease: undefined }, late);
    expect(await readSessionRow(id)).toMatchObject(late);
  });
});

describe("lists", () => {
  it("have the activity of active sessions only", async () => {
    const { organizationId } = client;
    const usage = { organizationId, clients: 3, viewers: 1 };
    await insertSessionRow({ ...usage, createdAt: 2 });
    await insertSessionRow({ ...usage, createdAt: 1, timeoutSeconds: 10, idleSince: 5000 });
    await insertEndedRow({ ...usage, createdAt: 0, idleSince: 5000 });
    const ends = { idle_since: "1970-01-01T00:00:05.000Z", ends_at: "1970-01-01T00:00:15.000Z" };
    expect(await listActivity()).toEqual([
      UNUSED,
      { clients: 3, viewers: 1 },
      { clients: 3, viewers: 1, ...ends },
      undefined,
    ]);
  });
});

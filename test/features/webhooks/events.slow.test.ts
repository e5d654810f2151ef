import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { recordingSchema } from "../../../src/api/recordings/schema.ts";
import { invocationObject } from "../../../src/features/apps/invocations/stub.ts";
import { NEW_FILL_STATE } from "../../../src/features/browser-pools/fill-policy.ts";
import { poolObject } from "../../../src/features/browser-pools/stub.ts";
import { sweepRecordings } from "../../../src/features/recordings/index.ts";
import { type Client, newClient } from "../../api.ts";
import { useFakeBrowsers } from "../../fakes/browser-binding.ts";
import { objectOf, readRecord, restart, runAlarm, runInSession, waitUntilEnded } from "../../objects.ts";
import { insertEndedRow } from "../../records.ts";
import { deployApp } from "../apps/deployed-app.ts";
import { invoke, invokeAsync } from "../apps/invocations/actions.ts";
import {
  acquire,
  createFullPool,
  createPool,
  endPoolsAfterAll,
  fill,
  readPool,
  release,
  restartPool,
} from "../browser-pools/pools.ts";
import { insertReplayRow, storePicture } from "../recordings/recordings.ts";
import { createWebhook, useFakeReceivers } from "./webhooks.ts";

const HOUR_MS = 3_600_000;

const background = { env, waitUntil: () => undefined };
const browsers = useFakeBrowsers();
const receivers = useFakeReceivers();
endPoolsAfterAll();

let client: Client;
let webhook: Awaited<ReturnType<typeof createWebhook>>;
beforeEach(async () => {
  client = await newClient();
  webhook = await createWebhook(client);
});

const types = () => receivers.messagesTo(webhook).map(({ type }) => type);
const dataOf = (type: string) => receivers.messagesTo(webhook).find((message) => message.type === type)?.data;

async function killBrowser(sessionId: string): Promise<void> {
  const browserId = (await readRecord(sessionId))?.browserId ?? "";
  await runInSession(sessionId, () => browsers.kill(browserId));
  await waitUntilEnded(sessionId);
}

async function waitForTypes(...expected: string[]): Promise<void> {
  await expect.poll(types).toEqual(expected);
}

describe("a session", () => {
  it("is created and ended once, with its name and tags but no URLs", async () => {
    const details = {
      name: "checkout",
      tags: { team: "backend" },
      start_url: "https://example.com/?token=abc",
    };
    const { session_id, created_at } = await client.createSession(details);
    await waitForTypes("session.created");
    const created = {
      session_id,
      name: "checkout",
      tags: { team: "backend" },
      pool_id: null,
      pool_name: null,
      invocation_id: null,
      created_at,
    };
    expect(dataOf("session.created")).toEqual(created);
    await Promise.all([client.delete(`/browsers/${session_id}`), client.delete(`/browsers/${session_id}`)]);
    await restart(session_id);
    // Repeats the end's work.
    await objectOf(session_id).reconcile(session_id);
    await waitForTypes("session.created", "session.ended");
    expect(dataOf("session.ended")).toEqual({ ...created, reason: "deleted", ended_at: expect.any(String) });
    await client.createSession();
    await waitForTypes("session.created", "session.ended", "session.created");
  });

  it("has crashed when its browser is lost", async () => {
    const { session_id } = await client.createSession();
    await waitForTypes("session.created");
    await killBrowser(session_id);
    await waitForTypes("session.created", "session.crashed");
    expect(dataOf("session.crashed")).toMatchObject({
      session_id,
      reason: "browser_lost",
      close_reason: null,
    });
  });

  it("that does not start is no event", async () => {
    browsers.refusal = () => new Response("no", { status: 500 });
    expect((await client.post("/browsers", {})).status).toBe(503);
    browsers.refusal = undefined;
    await client.createSession();
    await waitForTypes("session.created");
  });

  it("that a repeated call returns is created once", async () => {
    const key = { "idempotency-key": "once" };
    await client.post("/browsers", {}, key);
    await client.post("/browsers", {}, key);
    await client.createSession();
    await waitForTypes("session.created", "session.created");
  });
});

describe("a recording", () => {
  const ready = () => receivers.messagesTo(webhook).filter(({ type }) => type === "replay.ready");
  const start = async (id: string, options = {}) =>
    (await client.post(`/browsers/${id}/replays`, options)).read(recordingSchema).replay_id;

  it.each<[string, object, (id: string, recordingId: string) => Promise<unknown>]>([
    [
      "by calls",
      {},
      (id, recordingId) =>
        Promise.all([1, 2].map(() => client.post(`/browsers/${id}/replays/${recordingId}/stop`))),
    ],
    ["by its duration", { max_duration_in_seconds: 1 }, async () => undefined],
    ["with its session", {}, (id) => client.delete(`/browsers/${id}`)],
    ["with its browser", {}, (id) => killBrowser(id)],
    [
      "by a crash of the service",
      {},
      async (id) => {
        await restart(id);
        await runAlarm(id);
      },
    ],
  ])("that ends %s is ready once", async (_, options, end) => {
    const { session_id } = await client.createSession();
    const replay_id = await start(session_id, options);
    await storePicture(client.organizationId, replay_id);
    await end(session_id, replay_id);
    await expect.poll(() => ready().map(({ data }) => data)).toEqual([{ session_id, replay_id }]);
    expect((await client.get(`/browsers/${session_id}/replays/${replay_id}`)).status).toBe(200);
    // Repeats the work.
    await client.delete(`/browsers/${session_id}`);
    await objectOf(session_id).reconcile(session_id);
    await sweepRecordings(background, Date.now() + HOUR_MS);
    await client.createSession();
    await expect.poll(() => types().filter((type) => type === "session.created")).toHaveLength(2);
    expect(ready()).toHaveLength(1);
  });

  it("is ready once when sweeps have completed it, unless it is empty", async () => {
    const { organizationId } = client;
    const { id: sessionId } = await insertEndedRow({ organizationId });
    const unfinished = { organizationId, sessionId, startedAt: Date.now() - HOUR_MS, finishedAt: null };
    const { id: replay_id } = await insertReplayRow(unfinished);
    await insertReplayRow(unfinished);
    await storePicture(organizationId, replay_id);
    await Promise.all([1, 2].map(() => sweepRecordings(background, Date.now())));
    await client.createSession();
    await expect.poll(types).toContain("session.created");
    expect(ready().map(({ data }) => data)).toEqual([{ session_id: sessionId, replay_id }]);
  });
});

describe("a pool", () => {
  it("creates a session by each lease and ends it by its release", async () => {
    const { id: poolId } = await createFullPool(client, { size: 1, name: "warm" });
    for (const name of ["first", "second"]) {
      const { session_id } = await acquire(client, poolId, { name, tags: { name } });
      await expect.poll(() => types().length % 2).toBe(1);
      await release(client, poolId, session_id);
      await expect.poll(() => types().length % 2).toBe(0);
    }
    const messages = receivers.messagesTo(webhook);
    expect(messages.map(({ type, data }) => [type, data.name, data.reason])).toEqual([
      ["session.created", "first", undefined],
      ["session.ended", "first", "released"],
      ["session.created", "second", undefined],
      ["session.ended", "second", "released"],
    ]);
    expect(messages[3]?.data).toMatchObject({ pool_id: poolId, pool_name: "warm", tags: { name: "second" } });
    // Its idle session belongs to no caller.
    await client.delete(`/browser_pools/${poolId}`);
    await client.createSession();
    await expect.poll(types).toHaveLength(5);
    expect(types().at(-1)).toBe("session.created");
  });

  it("is failing once, until a launch succeeds", async () => {
    let launches = 0;
    browsers.refusal = () => {
      launches += 1;
      return new Response("no", { status: 500 });
    };
    const { id } = await createPool(client, { size: 1, name: "cold", fill_rate_per_minute: 25 });
    await waitForTypes("pool.failing");
    expect(dataOf("pool.failing")).toEqual({
      pool_id: id,
      name: "cold",
      error: expect.stringContaining("platform"),
      failed_at: expect.any(String),
    });
    await expect
      .poll(async () => (await readPool(client, id)).last_error)
      .toMatchObject({ message: expect.any(String) });
    const before = launches;
    await restartPool(id, ({ kv }) => kv.put("fill", { ...NEW_FILL_STATE, lackingSince: 1 }));
    await poolObject(env, id).reconcile(id);
    await expect.poll(() => launches).toBeGreaterThan(before);
    browsers.refusal = undefined;
    await fill(client, id);
    await client.createSession();
    await waitForTypes("pool.failing", "session.created");
  });
});

describe("an invocation", () => {
  it("is finished once, however it ends", async () => {
    const app = await deployApp(client, { quick: "return 1;", stuck: "await new Promise(() => {});" });
    const { id } = await invoke(client, app, "quick", { payload: '{"secret":1}' });
    await waitForTypes("invocation.finished");
    expect(dataOf("invocation.finished")).toEqual({
      invocation_id: id,
      app_name: app.name,
      version: "latest",
      action_name: "quick",
      deployment_id: app.deploymentId,
      status: "succeeded",
      status_reason: null,
      started_at: expect.any(String),
      finished_at: expect.any(String),
    });
    const { organizationId } = client;
    await invocationObject(env, id).reconcile({ projectId: "", id, organizationId });
    const stuck = await invokeAsync(client, app, "stuck");
    await Promise.all([1, 2].map(() => client.patch(`/invocations/${stuck}`, { status: "failed" })));
    await waitForTypes("invocation.finished", "invocation.finished");
    expect(receivers.messagesTo(webhook)[1]?.data).toMatchObject({
      invocation_id: stuck,
      status: "failed",
      status_reason: "Cancelled by a call",
    });
  });
});

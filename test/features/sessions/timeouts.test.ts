import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { brokerOf } from "../../../src/platform/broker/index.ts";
import { newClient, openSocket, upgrade } from "../../api.ts";
import { useFakeBrowsers } from "../../fakes/browser-binding.ts";
import {
  advanceTime,
  EMPTY_STORAGE,
  readRecord,
  readStorage,
  runAlarm,
  runInSession,
  waitUntilEnded,
} from "../../objects.ts";
import { readSessionRow } from "../../records.ts";
import { Listener } from "../../sockets.ts";

const browsers = useFakeBrowsers();

async function createSession(timeoutSeconds: number, options = {}) {
  const client = await newClient();
  const session = await client.createSession({ timeout_seconds: timeoutSeconds, ...options });
  return {
    client,
    id: session.session_id,
    url: session.cdp_ws_url,
    browserId: browsers.launched.at(-1) ?? "",
  };
}

async function millisecondsUntilAlarm(id: string): Promise<number> {
  const { alarm } = await readStorage(id);
  return (alarm ?? Number.POSITIVE_INFINITY) - Date.now();
}

describe("an unused session", () => {
  it("ends with its browser after its timeout", async () => {
    const { id, browserId, client } = await createSession(30);
    expect(await millisecondsUntilAlarm(id)).toBeLessThanOrEqual(30_000);
    advanceTime(29_000);
    await runAlarm(id);
    expect(await readSessionRow(id)).toMatchObject({ state: "active" });
    expect(await millisecondsUntilAlarm(id)).toBeLessThanOrEqual(1000);
    advanceTime(1000);
    await runAlarm(id);
    expect(await readSessionRow(id)).toMatchObject({ state: "ended", endReason: "inactivity" });
    await expect.poll(() => browsers.living).not.toContain(browserId);
    expect((await client.get(`/browsers/${id}`)).status).toBe(404);
  });

  it("is not kept alive by reads, changes or lists", async () => {
    const { id, client } = await createSession(30);
    advanceTime(29_000);
    await client.get(`/browsers/${id}`);
    await client.patch(`/browsers/${id}`, { name: "x" });
    await client.listSessions();
    advanceTime(1000);
    await runAlarm(id);
    expect(await readSessionRow(id)).toMatchObject({ state: "ended", endReason: "inactivity" });
  });
});

describe("a session with an open DevTools socket", () => {
  it("ends only after its timeout from the last closed socket", async () => {
    const { id, url } = await createSession(30);
    const first = await openSocket(url);
    const second = await openSocket(url);
    for (let minute = 0; minute < 3; minute += 1) {
      advanceTime(60_000);
      await runAlarm(id);
      expect(await readSessionRow(id)).toMatchObject({ state: "active" });
    }
    first.close(1000);
    second.close(1000);
    await expect
      .poll(() => runInSession(id, ({ kv }) => kv.get("activity")))
      .toEqual({ idleSince: Date.now() });
    advanceTime(29_000);
    await runAlarm(id);
    expect(await readSessionRow(id)).toMatchObject({ state: "active" });
    advanceTime(1000);
    await runAlarm(id);
    expect(await readSessionRow(id)).toMatchObject({ state: "ended", endReason: "inactivity" });
  });

  it("closes its sockets with 1001 and the reason when it ends", async () => {
    const { id, url, client } = await createSession(30);
    const listeners = await Promise.all([1, 2].map(async () => new Listener(await openSocket(url))));
    await client.delete(`/browsers/${id}`);
    for (const { closed } of listeners) {
      expect(await closed).toMatchObject({ code: 1001, reason: expect.stringContaining("deleted") });
    }
  });
});

describe("an active session", () => {
  it("pings its browser at least once a minute", async () => {
    const { id } = await createSession(3600);
    const pings = () => browsers.commands.filter(({ method }) => method === "Browser.getVersion").length;
    for (let minute = 1; minute <= 3; minute += 1) {
      const before = pings();
      expect(await millisecondsUntilAlarm(id)).toBeLessThanOrEqual(60_000);
      advanceTime(60_000);
      await runAlarm(id);
      expect(pings()).toBe(before + 1);
    }
    expect(await readSessionRow(id)).toMatchObject({ state: "active" });
  });

  it("ends as lost when its browser dies", async () => {
    const { id, browserId, url } = await createSession(3600);
    const listener = new Listener(await openSocket(url));
    await runInSession(id, () => browsers.kill(browserId));
    await listener.closed;
    await waitUntilEnded(id);
    await expect.poll(() => readSessionRow(id)).toMatchObject({ state: "ended", endReason: "browser_lost" });
    expect((await upgrade(url)).status).toBe(410);
  });

  it("survives the loss of its control connection", async () => {
    const { id, browserId } = await createSession(3600);
    await runInSession(id, () => {
      browsers.kill(browserId);
      browsers.adopt(browserId);
    });
    const pings = () => browsers.commands.filter(({ method }) => method === "Browser.getVersion").length;
    const before = pings();
    advanceTime(60_000);
    await runAlarm(id);
    await expect.poll(pings).toBeGreaterThan(before);
    expect(await readSessionRow(id)).toMatchObject({ state: "active" });
  });

  it("ends at the maximum session time even when in use", async () => {
    env.MAX_SESSION_SECONDS = "120";
    try {
      const { id, url } = await createSession(3600);
      const listener = new Listener(await openSocket(url));
      advanceTime(119_000);
      await runAlarm(id);
      expect(await readSessionRow(id)).toMatchObject({ state: "active" });
      expect(await millisecondsUntilAlarm(id)).toBeLessThanOrEqual(1000);
      advanceTime(1000);
      await runAlarm(id);
      expect(await readSessionRow(id)).toMatchObject({ state: "ended", endReason: "lifetime" });
      expect((await listener.closed).code).toBe(1001);
    } finally {
      env.MAX_SESSION_SECONDS = "0";
    }
  });
});

describe("an ended session", () => {
  it("keeps a tombstone until its last token has expired", async () => {
    const { id, client, url } = await createSession(30, { telemetry: { enabled: false } });
    await client.delete(`/browsers/${id}`);
    expect(await readRecord(id)).toMatchObject({ phase: "ended", end: { reason: "deleted" } });
    await expect.poll(() => millisecondsUntilAlarm(id)).toBeGreaterThan(259_200_000 - 60_000);
    advanceTime(259_200_000 - 60_000);
    await runAlarm(id);
    expect(await readRecord(id)).toMatchObject({ phase: "ended" });
    advanceTime(60_000);
    await runAlarm(id);
    expect(await readStorage(id)).toEqual(EMPTY_STORAGE);
    expect((await upgrade(url)).status).toBe(401);
  });

  it("retries closing its browser", async () => {
    const { id, client, browserId } = await createSession(30);
    browsers.refusal = ({ method }) =>
      method === "DELETE" ? new Response("no", { status: 500 }) : undefined;
    expect((await client.delete(`/browsers/${id}`)).status).toBe(204);
    expect(await readSessionRow(id)).toMatchObject({ state: "ended" });
    expect(browsers.living).toContain(browserId);
    const retry = () => runDurableObjectAlarm(brokerOf(env, null));
    advanceTime(60_000);
    await retry();
    expect(browsers.living).toContain(browserId);
    browsers.refusal = undefined;
    advanceTime(60_000);
    await retry();
    await expect.poll(() => browsers.living).not.toContain(browserId);
    await expect.poll(() => millisecondsUntilAlarm(id)).toBeGreaterThan(3_600_000);
  });
});

describe("the regular work of a session", () => {
  const readDeadlines = (id: string) =>
    runInSession(id, ({ kv }) => kv.get<Record<string, number>>("deadlines") ?? {});

  it("is due at the same time, so one alarm does it", async () => {
    const { id } = await createSession(3600);
    const { ping: first = 0 } = await readDeadlines(id);
    advanceTime(first - Date.now());
    await runAlarm(id);
    const { ping = 0, ...others } = await readDeadlines(id);
    expect(ping).toBeGreaterThan(first);
    expect(others).toMatchObject({ record: ping, snapshot: ping, "finish-recordings": ping });
  });
});

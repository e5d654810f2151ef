import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { sweepSessions } from "../../../src/features/sessions/lifecycle/sweep.ts";
import { usageSchema } from "../../../src/features/usage/schema.ts";
import { type BrowserRecord, brokerOf, launchDelay } from "../../../src/platform/broker/index.ts";
import { newClient } from "../../api.ts";
import { useFakeBrowsers } from "../../fakes/browser-binding.ts";
import { restartBroker } from "../../objects.ts";
import { readLaunchedBrowsers } from "../../records.ts";

const browsers = useFakeBrowsers();
/** A restart breaks stubs. */
const object = () => brokerOf(env, null);

/** Waits until all standby browsers are ready. */
async function sweep(): Promise<void> {
  await sweepSessions(env, Date.now());
  await expect.poll(idleBrowsers).toHaveLength(Number(env.STANDBY_BROWSERS));
}

async function idleBrowsers(): Promise<string[]> {
  const own = await object().listBrowsers();
  return own.filter(({ state }) => state === "ready").map(({ browserId }) => browserId);
}

/** Runs the alarm as if a deadline had passed. */
async function runDeadline(kind: "fill" | "ping"): Promise<void> {
  await runInDurableObject(object(), (_, { storage }) => storage.kv.put("deadlines", { [kind]: Date.now() }));
  expect(await runDurableObjectAlarm(object())).toBe(true);
}

/** Changes what a broker has stored, and restarts it. */
async function changeRecord(browserId: string, change: Partial<BrowserRecord>): Promise<void> {
  await runInDurableObject(object(), (_, { storage: { kv } }) => {
    const key = `browser/${browserId}`;
    kv.put(key, { ...kv.get<BrowserRecord>(key), ...change });
  });
  await restartBroker();
}

async function ownerOf(browserId: string): Promise<string | undefined> {
  return (await readLaunchedBrowsers()).find((browser) => browser.browserId === browserId)?.sessionId;
}

beforeEach(() => {
  env.STANDBY_BROWSERS = "2";
});
afterEach(async () => {
  browsers.refusal = undefined;
  env.STANDBY_BROWSERS = "0";
  env.LAUNCH_WAIT_SECONDS = "20";
  await sweep();
});

it.each([
  [1, 0, 5000],
  [2, 0, 10_000],
  [7, 0, 300_000],
  [100, 0, 300_000],
  [1, 17_000, 17_000],
  [3, 17_000, 20_000],
])(
  "after %i failures and a Retry-After of %i ms, the next launch is in %i ms",
  (failures, retryAfterMs, delayMs) => {
    expect(launchDelay(failures, retryAfterMs)).toBe(delayMs);
  },
);

describe("standby browsers", () => {
  it("are launched by the sweep up to the setting", async () => {
    await sweep();
    const waiting = await idleBrowsers();
    expect(waiting).toHaveLength(2);
    for (const id of waiting) expect(browsers.living).toContain(id);
    const launched = browsers.launched.length;
    await sweep();
    expect(browsers.launched).toHaveLength(launched);
  });

  it("are assigned to sessions in order and replaced", async () => {
    await sweep();
    const waiting = await idleBrowsers();
    const client = await newClient();
    const sessions = [await client.createSession(), await client.createSession()];
    expect(await Promise.all(waiting.map(ownerOf))).toEqual(sessions.map(({ session_id }) => session_id));
    await expect.poll(idleBrowsers).toHaveLength(2);
    expect(await idleBrowsers()).not.toContain(waiting[0]);
  });

  it("are each assigned to one session", async () => {
    await sweep();
    const client = await newClient();
    const sessions = await Promise.all(Array.from({ length: 6 }, () => client.createSession()));
    const ids = sessions.map(({ session_id }) => session_id);
    const owned = (await readLaunchedBrowsers()).filter(({ sessionId }) => ids.includes(sessionId));
    expect(owned).toHaveLength(6);
    expect(new Set(owned.map(({ browserId }) => browserId)).size).toBe(6);
    await expect.poll(idleBrowsers).toHaveLength(2);
  });

  it("are closed and replaced when they do not respond", async () => {
    await sweep();
    const [first = ""] = await idleBrowsers();
    await runInDurableObject(object(), () => browsers.kill(first));
    const client = await newClient();
    const { session_id } = await client.createSession();
    expect(await ownerOf(first)).toBeUndefined();
    const owned = (await readLaunchedBrowsers()).filter(({ sessionId }) => sessionId === session_id);
    expect(owned.map(({ browserId }) => browsers.living.has(browserId))).toEqual([true]);
    expect((await client.get(`/browsers/${session_id}`)).status).toBe(200);
  });

  it("are kept alive by pings, and replaced when dead", async () => {
    await sweep();
    const [first = "", second = ""] = await idleBrowsers();
    await runInDurableObject(object(), () => browsers.kill(first));
    const commands = browsers.commands.length;
    await runDeadline("ping");
    expect(browsers.commands.slice(commands).map(({ method }) => method)).toContain("Browser.getVersion");
    await expect.poll(idleBrowsers).toHaveLength(2);
    expect((await idleBrowsers())[0]).toBe(second);
    expect(await ownerOf(first)).toBeUndefined();
  });

  it("are closed when the setting is lowered", async () => {
    await sweep();
    const [first, second = ""] = await idleBrowsers();
    env.STANDBY_BROWSERS = "1";
    await sweep();
    expect(await idleBrowsers()).toEqual([first]);
    expect([browsers.living.has(second), await ownerOf(second)]).toEqual([false, undefined]);
  });

  it("are closed when a crash left them half prepared, but not while they are prepared", async () => {
    await sweep();
    const [crashed = "", preparing = ""] = await idleBrowsers();
    await changeRecord(crashed, { state: "used", launchedAt: Date.now() - 180_000 });
    await changeRecord(preparing, { state: "used" });
    await sweep();
    expect([browsers.living.has(crashed), browsers.living.has(preparing)]).toEqual([false, true]);
    await changeRecord(preparing, { state: "ready" });
  });

  it("are retried later when the platform refuses", async () => {
    env.LAUNCH_WAIT_SECONDS = "5";
    let refused = 0;
    browsers.refusal = ({ method, path }) => {
      if (method !== "POST" || path !== "/v1/devtools/browser") return undefined;
      refused += 1;
      return new Response("limit", { status: 429, headers: { "retry-after": "17" } });
    };
    const before = Date.now();
    await sweepSessions(env, before);
    const fillAt = () =>
      runInDurableObject(
        object(),
        (_, { storage }) => storage.kv.get<{ fill?: number }>("deadlines")?.fill ?? 0,
      );
    await expect.poll(fillAt).toBeGreaterThanOrEqual(before + 16_000);
    expect(await idleBrowsers()).toEqual([]);
    // The account is left alone in the meantime.
    const refusedBefore = refused;
    const client = await newClient();
    const response = await client.post("/browsers");
    expect(response.status).toBe(503);
    expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(10);
    expect(refused).toBe(refusedBefore);
    browsers.refusal = undefined;
    await restartBroker();
    await runDeadline("fill");
    await expect.poll(idleBrowsers).toHaveLength(2);
  });
});

describe("with STANDBY_BROWSERS=auto", () => {
  const region = "weur";
  const broker = () => brokerOf(env, region);
  const ready = async () => (await broker().listBrowsers()).filter(({ state }) => state === "ready");

  /** No session was created for long enough. */
  async function closeAll(): Promise<void> {
    env.STANDBY_IDLE_SECONDS = "0";
    await runInDurableObject(broker(), (_, { storage }) => storage.kv.put("deadlines", { ping: Date.now() }));
    await runDurableObjectAlarm(broker());
    expect(await ready()).toEqual([]);
  }

  beforeEach(() => {
    env.STANDBY_BROWSERS = "auto";
  });
  afterEach(() => {
    env.STANDBY_IDLE_SECONDS = "600";
  });

  it("a region has a standby browser while sessions are created there, which pay for its time", async () => {
    const client = await newClient();
    await client.createSession({ region });
    await expect.poll(ready).toHaveLength(1);
    const [standby] = await ready();
    expect(await idleBrowsers()).toEqual([]);
    await scheduler.wait(20);
    const { session_id } = await client.createSession({ region });
    const own = await broker().listBrowsers();
    expect(own.find(({ sessionId }) => sessionId === session_id)?.browserId).toBe(standby?.browserId);
    const usage = async () => {
      const { total } = (await client.get("/org/usage")).read(usageSchema);
      return [total.standby_seconds, total.estimated_usd.standby];
    };
    const [seconds = 0, dollars = 0] = await usage();
    expect(seconds).toBeGreaterThanOrEqual(0.02);
    expect(dollars).toBeCloseTo((seconds * 0.096) / 3600, 10);
    await client.delete(`/browsers/${session_id}`);
    expect(await usage()).toEqual([seconds, dollars]);

    await expect.poll(ready).toHaveLength(1);
    await closeAll();
  });

  it("a session waits for a standby browser that is being launched", async () => {
    const client = await newClient();
    const gate = Promise.withResolvers<void>();
    await client.createSession({ region });
    await expect.poll(ready).toHaveLength(1);
    browsers.launchGate = gate.promise;
    await client.createSession({ region });
    await expect.poll(() => browsers.launching).toBe(1);
    const creating = client.createSession({ region });
    await expect.poll(() => broker().countWaiting()).toBe(1);
    expect(browsers.launching).toBe(1);
    gate.resolve();
    const { session_id } = await creating;
    expect((await client.get(`/browsers/${session_id}`)).status).toBe(200);
    await closeAll();
  });
});

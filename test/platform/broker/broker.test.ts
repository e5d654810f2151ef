import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { newIdentifier } from "../../../src/lib/common/identifiers.ts";
import { REGIONS } from "../../../src/lib/common/region-names.ts";
import { acquireForSession, BrowserBroker, bindingOf, brokerOf } from "../../../src/platform/broker/index.ts";
import type { LaunchRequest } from "../../../src/platform/broker/object.ts";
import { openDevToolsSocket } from "../../../src/platform/browser/index.ts";
import { newClient } from "../../api.ts";
import { FakeBrowserBinding, useFakeBrowsers } from "../../fakes/browser-binding.ts";
import { crashObject, readRecord, restart as restartSession, runAlarm } from "../../objects.ts";
import { readSessionRows } from "../../records.ts";

const browsers = useFakeBrowsers();

/** Each test has its own broker, which uses the test's accounts. */
const unused = [...REGIONS];
let region: (typeof REGIONS)[number];

beforeEach(async () => {
  region = unused.shift() ?? "me";
  await crashObject(brokerOf(env, region), (storage) => storage.deleteAll());
  Object.assign(browsers.limits, { maxBrowsers: 100_000, launchesPerSecond: 100_000 });
  browsers.living.clear();
});
afterEach(() => {
  env.LAUNCH_WAIT_SECONDS = "20";
  env.BROWSER_ACCOUNTS = "";
});

function request(organizationId: string, given: Partial<LaunchRequest> = {}): LaunchRequest {
  const usual = { kind: "session" as const, weight: 1, allowsStandby: false };
  return { sessionId: newIdentifier(), organizationId, region, ...usual, ...given };
}

const acquire = (wanted: LaunchRequest) => acquireForSession(env, wanted);

/** Waits for a browser, and records when it arrived. */
async function note(served: string[], wanted: LaunchRequest): Promise<void> {
  await acquire(wanted);
  served.push(wanted.organizationId);
}

const release = (sessionId: string) => brokerOf(env, region).release(sessionId);

const waiting = () => runInDurableObject(brokerOf(env, region), () => undefined);

describe("a broker", () => {
  it("shares freed slots between organizations, sessions and pools", async () => {
    browsers.limits.maxBrowsers = 1;
    const first = request("greedy");
    await acquire(first);
    const wanted = [
      request("pool", { kind: "pool" }),
      request("greedy"),
      request("greedy"),
      request("modest"),
    ];
    const served: string[] = [];
    const all = wanted.map((one) => note(served, one));
    await waiting();
    expect(served).toEqual([]);
    let owner = first.sessionId;
    for (let round = 1; round <= wanted.length; round += 1) {
      await release(owner);
      await expect.poll(() => served.length).toBe(round);
      const used = (await brokerOf(env, region).listBrowsers()).find(({ state }) => state === "used");
      owner = used?.sessionId ?? "";
    }
    await Promise.all(all);
    expect(served).toEqual(["pool", "greedy", "modest", "greedy"]);
    expect(browsers.launched).toHaveLength(5);
  });

  it("closes the browser of an abandoned launch, and launches one for the next caller", async () => {
    const gate = Promise.withResolvers<void>();
    browsers.limits.maxBrowsers = 1;
    const reached = Promise.withResolvers<void>();
    browsers.refusal = ({ method }) => {
      if (method === "POST") reached.resolve();
      return undefined;
    };
    browsers.launchGate = gate.promise;
    const abandoned = request("o");
    const leaving = acquire(abandoned);
    leaving.catch(() => undefined);
    await reached.promise;
    const next = acquire(request("o"));
    await release(abandoned.sessionId);
    await expect(leaving).rejects.toMatchObject({ code: "service_unavailable" });
    expect(browsers.living.size).toBe(0);
    gate.resolve();
    const { browserId } = await next;
    expect([...browsers.living]).toEqual([browserId]);
    expect(browsers.closed).toContain(browsers.launched.at(-2));
  });

  it("counts a slot back only when the platform says that the browser is gone", async () => {
    browsers.limits.maxBrowsers = 1;
    const first = request("o");
    const { browserId } = await acquire(first);
    const path = `/v1/devtools/browser/${browserId}`;
    let asked = 0;
    browsers.refusal = (call) => {
      if (call.method === "POST") asked += 1;
      return call.method === "DELETE" && call.path === path
        ? Response.json({ status: "closing" })
        : undefined;
    };
    const launched = browsers.launched.length;
    const second = acquire(request("o"));
    await release(first.sessionId);
    await waiting();
    expect([asked, browsers.launched.length]).toEqual([0, launched]);
    browsers.refusal = undefined;
    browsers.living.delete(browserId);
    await runInDurableObject(brokerOf(env, region), (_, { storage }) =>
      storage.kv.put("deadlines", { close: 0 }),
    );
    await runDurableObjectAlarm(brokerOf(env, region));
    await second;
    expect(browsers.launched).toHaveLength(launched + 1);
  });

  it("refuses a launch that gets no slot in time, with the time to wait", async () => {
    browsers.limits.maxBrowsers = 1;
    env.LAUNCH_WAIT_SECONDS = "1";
    await acquire(request("o"));
    await expect(acquire(request("o"))).rejects.toMatchObject({
      code: "service_unavailable",
      retryAfterSeconds: 10,
    });
  });

  it("refuses at once when the queue is too long, from its rate", async () => {
    browsers.limits.launchesPerSecond = 1;
    env.LAUNCH_WAIT_SECONDS = "2";
    await acquire(request("o"));
    const launched = browsers.launched.length;
    const order: string[] = [];
    const calls = Array.from({ length: 8 }, () =>
      acquire(request("o")).finally(() =>
        order.push(browsers.launched.length === launched ? "at once" : "later"),
      ),
    );
    const outcomes = await Promise.allSettled(calls);
    const refused = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason] : []));
    expect(refused.length).toBeGreaterThan(4);
    expect(refused.length).toBeLessThan(8);
    expect(order.filter((when) => when === "at once").length).toBeGreaterThan(3);
    for (const error of refused) expect(error.retryAfterSeconds).toBeGreaterThanOrEqual(1);
  });

  it("keeps the order of the queue over a refusal by the platform", async () => {
    browsers.limits.maxBrowsers = 1;
    const first = request("o");
    await acquire(first);
    const wanted = [request("o"), request("o"), request("o")];
    const served: string[] = [];
    const all = wanted.map(async (one) => {
      await acquire(one);
      served.push(one.sessionId);
      await release(one.sessionId);
    });
    await waiting();
    const refused = vi.fn(() => new Response("limit", { status: 429, headers: { "retry-after": "1" } }));
    browsers.refusal = ({ method }) => (method === "POST" ? refused() : undefined);
    await release(first.sessionId);
    await expect.poll(() => refused.mock.calls.length).toBeGreaterThan(0);
    browsers.refusal = undefined;
    await Promise.all(all);
    expect(served).toEqual(wanted.map(({ sessionId }) => sessionId));
  });

  it("returns the same browser for a repeated call, also after a restart", async () => {
    const wanted = request("o");
    const both = await Promise.all([acquire(wanted), acquire(wanted)]);
    await crashObject(brokerOf(env, region));
    const ids = [...both, await acquire(wanted)].map(({ browserId }) => browserId);
    expect(new Set(ids).size).toBe(1);
  });

  it("is told of a launch that was under way when it was restarted", async () => {
    const launched = browsers.launched.length;
    const gate = Promise.withResolvers<void>();
    browsers.launchGate = gate.promise;
    const wanted = request("o");
    const acquiring = acquire(wanted);
    await expect.poll(() => browsers.launching).toBe(1);
    await crashObject(brokerOf(env, region));
    gate.resolve();
    const { browserId } = await acquiring;
    expect(browsers.launched.slice(launched)).toEqual([browserId]);
    expect(await brokerOf(env, region).listBrowsers()).toMatchObject([{ browserId, state: "used" }]);
  });

  it("counts a slot back when the session's object is reset during its launch", async () => {
    browsers.limits.maxBrowsers = 1;
    const client = await newClient();
    browsers.launchGate = new Promise(() => undefined);
    const creating = client.post("/browsers", { region, name: "reset" });
    await expect.poll(() => browsers.launching).toBe(1);
    const [row] = await readSessionRows(client.organizationId);
    browsers.launchGate = Promise.resolve();
    const next = acquire(request("o"));
    await restartSession(row?.id ?? "");
    expect((await creating).status).toBe(500);
    await next;
    browsers.launching = 0;
  });

  it("leaves no browser when the session's object is reset before it hears of one", async () => {
    const launched = Promise.withResolvers<string>();
    vi.spyOn(BrowserBroker.prototype, "acquire").mockImplementationOnce(async ({ sessionId }, launchIn) => {
      await launchIn("");
      launched.resolve(sessionId);
      return new Promise(() => undefined);
    });
    const client = await newClient();
    const creating = client.post("/browsers", { region });
    const sessionId = await launched.promise;
    expect(browsers.living.size).toBe(1);
    await restartSession(sessionId);
    await creating;
    await runAlarm(sessionId);
    await expect.poll(() => browsers.living.size).toBe(0);
    expect(await readRecord(sessionId)).toBeUndefined();
  });

  /** Restarts the broker with a standby browser that is ready. */
  function restartWithStandby(browserId: string, launchedAt: number): Promise<void> {
    browsers.adopt(browserId);
    const owner = { sessionId: "none", organizationId: "standby", kind: "standby" };
    return crashObject(brokerOf(env, region), ({ kv }) =>
      kv.put(`browser/${browserId}`, { ...owner, browserId, launchedAt, state: "ready" }),
    );
  }

  it("gives a standby browser to a launch that takes one", async () => {
    await restartWithStandby("ready", Date.now() - 5000);
    expect((await acquire(request("o"))).isStandby).toBe(false);
    const acquired = await acquire(request("o", { allowsStandby: true }));
    expect(acquired).toMatchObject({ browserId: "ready", isStandby: true });
    expect(acquired.standbyMs).toBeGreaterThanOrEqual(5000);
  });

  it("closes a standby browser for a launch that cannot take one, and counts its time for the next sessions", async () => {
    await restartWithStandby("ready", Date.now() - 607_000);
    browsers.limits.maxBrowsers = 1;
    const pooled = request("o", { kind: "pool" });
    expect((await acquire(pooled)).isStandby).toBe(false);
    expect([...browsers.living]).not.toContain("ready");
    await release(pooled.sessionId);
    for (const [browserId, unusedMs] of [
      ["second", 600_000],
      ["third", 7000],
      ["fourth", 0],
    ] as const) {
      await restartWithStandby(browserId, Date.now());
      const { standbyMs } = await acquire(request("o", { allowsStandby: true }));
      expect(standbyMs - unusedMs).toBeGreaterThanOrEqual(0);
      expect(standbyMs - unusedMs).toBeLessThan(5000);
      browsers.limits.maxBrowsers += 1;
    }
  });

  it("serves no launch that has left the queue", async () => {
    browsers.limits.maxBrowsers = 1;
    const first = request("o");
    await acquire(first);
    const gone = request("o");
    const leaving = acquire(gone);
    const next = acquire(request("o"));
    leaving.catch(() => undefined);
    await brokerOf(env, region).leaveQueue(gone.sessionId);
    await expect(leaving).rejects.toMatchObject({ code: "service_unavailable" });
    await release(first.sessionId);
    await next;
    expect((await brokerOf(env, region).listBrowsers()).map(({ sessionId }) => sessionId)).not.toContain(
      gone.sessionId,
    );
  });

  it("launches nothing for an organization at its limit", async () => {
    const maxSessions = 2;
    await acquire(request("o", { maxSessions }));
    await acquire(request("o", { maxSessions }));
    await acquire(request("o", { kind: "pool" }));
    const launched = browsers.launched.length;
    await expect(acquire(request("o", { maxSessions }))).rejects.toMatchObject({ code: "too_many_requests" });
    await acquire(request("other", { maxSessions }));
    expect(browsers.launched).toHaveLength(launched + 1);
  });
});

describe("several accounts", () => {
  const second = new FakeBrowserBinding();
  afterAll(() => Reflect.deleteProperty(env, "BROWSERS_SECOND"));

  beforeEach(() => {
    Reflect.set(env, "BROWSERS_SECOND", second);
    env.BROWSER_ACCOUNTS = JSON.stringify([{ name: "second", binding: "BROWSERS_SECOND" }]);
    second.recover();
    second.living.clear();
    Object.assign(second.limits, { maxBrowsers: 4, launchesPerSecond: 100 });
    browsers.limits.maxBrowsers = 2;
  });

  const counts = () => [browsers.living.size, second.living.size];

  it("are used by their limits, and their browsers are reached by their ids", async () => {
    const requests = Array.from({ length: 6 }, () => request("o"));
    const acquired = await Promise.all(requests.map(acquire));
    expect(counts()).toEqual([2, 4]);
    for (const { browserId } of acquired) {
      (await openDevToolsSocket(bindingOf(env, browserId), browserId)).close();
    }
    const listed = acquired.filter(({ browserId }) => browserId.startsWith("second~"));
    expect(listed).toHaveLength(4);
    for (const { sessionId } of requests) await release(sessionId);
    expect(counts()).toEqual([0, 0]);
  });

  it("that fail are skipped, and their launches are made elsewhere", async () => {
    let launches = 0;
    second.refusal = ({ path }) => {
      if (path === "/v1/devtools/browser") launches += 1;
      return new Response("no", { status: 500 });
    };
    browsers.limits.maxBrowsers = 6;
    await Promise.all(Array.from({ length: 6 }, () => acquire(request("o"))));
    expect(counts()).toEqual([6, 0]);
    env.LAUNCH_WAIT_SECONDS = "1";
    await expect(acquire(request("o"))).rejects.toMatchObject({ code: "service_unavailable" });
    expect(launches).toBe(1);
  });

  it("that are not used any more get no requests, and their browsers are forgotten", async () => {
    browsers.limits.maxBrowsers = 1;
    const requests = [request("o"), request("o")];
    await Promise.all(requests.map(acquire));
    expect(counts()).toEqual([1, 1]);
    env.BROWSER_ACCOUNTS = "";
    for (const { sessionId } of requests) await release(sessionId);
    await expect.poll(() => brokerOf(env, region).listBrowsers()).toEqual([]);
    expect(counts()).toEqual([0, 1]);
    await acquire(request("o"));
    expect(counts()).toEqual([1, 1]);
  });

  it("that are slow do not hold up the others", async () => {
    const gate = Promise.withResolvers<void>();
    second.launchGate = gate.promise;
    browsers.limits.maxBrowsers = 3;
    const all = Array.from({ length: 6 }, () => acquire(request("o")));
    await expect.poll(() => browsers.living.size).toBe(3);
    expect(second.living.size).toBe(0);
    gate.resolve();
    await Promise.all(all);
    expect(counts()).toEqual([3, 3]);
  });
});

import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterAll, afterEach, describe, expect, it, vi } from "vitest";
import { capabilitySchema } from "../../../src/api/probe/schema.ts";
import { PlatformProbe } from "../../../src/features/probe/index.ts";
import {
  CHECKS,
  type CheckName,
  listCapabilities,
  recordCapability,
} from "../../../src/platform/capabilities/index.ts";
import { newClient, operator } from "../../api.ts";
import { useFakeBrowsers } from "../../fakes/browser-binding.ts";

const browsers = useFakeBrowsers();

// Other files request features that these results make unavailable.
afterAll(async () => {
  for (const row of await listCapabilities(env)) await recordCapability(env, { ...row, outcome: "holds" });
});

const probe = env.PLATFORM_PROBE.getByName("probe");
const start = (check: string, body?: object) => operator.post(`/admin/capabilities/${check}/probe`, body);
const run = async (check: string, body?: object) => (await start(check, body)).read(capabilitySchema);
const list = async () => (await operator.get("/admin/capabilities")).read(capabilitySchema.array());
const find = async (name: string) => (await list()).find((capability) => capability.name === name);

describe("GET /admin/capabilities", () => {
  it("lists every check, also those that were never tried", async () => {
    expect((await list()).map(({ name }) => name)).toEqual(Object.keys(CHECKS));
    expect(await find("hold_popups")).toEqual({
      name: "hold_popups",
      title: CHECKS.hold_popups,
      runs_in: "service",
      is_long: false,
      features: ["proxy_id", "stealth", "extensions"],
      outcome: "untried",
      seen: "never tried",
      details: {},
      duration_ms: 0,
      measured_at: null,
      cost: {},
    });
  });
});

describe("POST /admin/capabilities/{check}/probe", () => {
  it("runs a check, stores its result, and closes its browsers", async () => {
    const result = await run("browser_launches");
    expect(result).toMatchObject({ outcome: "holds", cost: { browsers: 4 } });
    expect(result.cost.browser_seconds).toBeGreaterThan(0);
    expect(await find("browser_launches")).toEqual(result);
    expect(browsers.closed).toEqual(expect.arrayContaining(browsers.launched));
    expect(browsers.living.size).toBe(0);
  });

  it("stores the exact refusal that it saw twice, and closes its browsers", async () => {
    browsers.failingMethods.add("Page.startScreencast");
    const result = await run("devtools_methods");
    expect(result).toMatchObject({ outcome: "differs", cost: { browsers: 2 } });
    expect(result.details).toMatchObject({ "Page.startScreencast": "refused by a test" });
    expect(browsers.living.size).toBe(0);
  });

  it.each([
    [1_200_000, "holds", "1200 s were granted"],
    [600_000, "differs", 'refused, so browsers get 600 s: 400 {"error":"keep_alive is out of range"}'],
  ])("says what keep-alive a platform with at most %d ms grants", async (maxKeepAliveMs, outcome, seen) => {
    browsers.maxKeepAliveMs = maxKeepAliveMs;
    expect(await run("browser_keep_alive_limit")).toMatchObject({ outcome, seen });
    expect(browsers.living.size).toBe(0);
  });

  it("knows nothing without a browser, and keeps what is known", async () => {
    expect(await run("browser_listing")).toMatchObject({ outcome: "holds" });
    browsers.refusal = ({ method }) =>
      method === "POST" ? Response.json({ error: "slow down" }, { status: 429 }) : undefined;
    const result = await run("browser_listing");
    expect(result).toMatchObject({ outcome: "untried", cost: { browsers: 0 } });
    expect(result.seen).toContain("429");
    expect(await find("browser_listing")).toMatchObject({ outcome: "holds" });
  });

  it("runs one check at a time", async () => {
    const gate = Promise.withResolvers<void>();
    browsers.launchGate = gate.promise;
    const first = run("browser_version");
    await expect.poll(async () => (await start("d1_latency")).status).toBe(409);
    gate.resolve();
    expect(await first).toMatchObject({ outcome: "holds", seen: "HeadlessChrome/150.0.0.0, 1 flags" });
    expect(await run("d1_latency")).toMatchObject({ outcome: "holds", cost: { d1_rows_written: 0 } });
  });

  it("answers a long check at once, and stores its result later", async () => {
    expect((await start("object_lifetime", { seconds: 1 })).status).toBe(202);
    await expect
      .poll(() => find("object_lifetime"))
      .toMatchObject({ outcome: "holds", seen: "it lived for 1 s" });
    await expect.poll(() => browsers.living.size).toBe(0);
  });

  it("does not believe what differs only once", async () => {
    browsers.failingMethods.add("Browser.getVersion");
    browsers.refusal = ({ method }) => {
      if (method === "DELETE") browsers.failingMethods.clear();
      return undefined;
    };
    expect(await run("browser_version")).toMatchObject({ outcome: "holds", cost: { browsers: 2 } });
  });

  describe("when its object is restarted", () => {
    afterEach(() => vi.restoreAllMocks());

    async function loseCalls(name: CheckName, times: number, reason: string) {
      await runInDurableObject(probe, (_, { storage }) => storage.kv.put("run", { name, startedAt: 1 }));
      const start = vi.spyOn(PlatformProbe.prototype, "start");
      for (let call = 1; call <= times; call += 1) start.mockRejectedValueOnce(new Error(reason));
    }

    it("tries again", async () => {
      await loseCalls("browser_version", 1, "its memory limit");
      expect(await run("browser_version")).toMatchObject({ outcome: "holds" });
    });

    it.each([
      ["The isolate exceeded its memory limit and was reset.", "differs"],
      ["The code was updated.", "untried"],
    ])("twice with the reason %j, the profile %s", async (reason, outcome) => {
      await loseCalls("large_profile", 2, reason);
      const result = await run("large_profile");
      expect(result).toMatchObject({ outcome, seen: expect.stringContaining(reason) });
    });

    it.each([
      ["object_lifetime", "differs"],
      ["browser_keep_alive", "untried"],
    ])("%s %s, and its browsers are closed", async (name, outcome) => {
      browsers.adopt("lost");
      await runInDurableObject(probe, async (_, { storage }) => {
        storage.kv.put("run", { name, startedAt: Date.now() - 9500 });
        storage.kv.put("browsers", { lost: Date.now() - 9500 });
        await storage.setAlarm(Date.now() + 60_000);
      });
      browsers.refusal = ({ method }) =>
        method === "DELETE" ? Response.json({ error: "not now" }, { status: 500 }) : undefined;
      await runDurableObjectAlarm(probe);
      expect(browsers.living.size).toBe(1);
      expect(await find(name)).toMatchObject({ outcome, seen: "the object was restarted within 10 s" });
      browsers.refusal = undefined;
      await runDurableObjectAlarm(probe);
      expect(browsers.living.size).toBe(0);
      expect(await probe.listBrowsers()).toEqual([]);
      expect(await runInDurableObject(probe, (_, { storage }) => storage.getAlarm())).toBeNull();
    });
  });

  it("does not store the proxy's password", async () => {
    const result = await start("context_proxy", { proxy: "http://user:secret@127.0.0.1:1" });
    expect(result.text).not.toContain("secret");
    const stored = await runInDurableObject(probe, async (_, { storage }) => [...(await storage.list())]);
    expect(JSON.stringify(stored)).not.toContain("secret");
    expect(JSON.stringify(await list())).not.toContain("secret");
  });

  it.each([
    ["proxy", { proxy: "ftp://proxy.example.com" }],
    ["seconds", { seconds: 0 }],
    ["seconds", { seconds: 3001 }],
  ])("refuses %s in %j", async (field, body) => {
    expect((await start("context_proxy", body)).invalidFields).toEqual([field]);
  });

  it.each(["unknown", "toString", "client_messages"])("does not know the check %s", async (check) => {
    expect((await start(check)).invalidFields).toEqual(["check"]);
  });
});

describe("PUT /admin/capabilities/{check}", () => {
  const report = (check: string, body: object) =>
    operator.call("PUT", `/admin/capabilities/${check}`, { body });
  const finding = { outcome: "differs", seen: "the log contains: key", duration_ms: 5 };

  it("stores what a client has seen", async () => {
    expect((await report("log_search", finding)).status).toBe(204);
    expect(await find("log_search")).toMatchObject({ ...finding, runs_in: "client", details: {} });
  });

  it.each(["hold_popups", "unknown"])("does not take a report about %s", async (check) => {
    expect((await report(check, finding)).invalidFields).toEqual(["check"]);
  });

  it.each([
    ["outcome", { ...finding, outcome: "maybe" }],
    ["seen", { ...finding, seen: "x".repeat(501) }],
    ["duration_ms", { ...finding, duration_ms: -1 }],
  ])("refuses a wrong %s", async (field, body) => {
    expect((await report("log_search", body)).invalidFields).toEqual([field]);
  });
});

it("is for the operator only", async () => {
  const client = await newClient();
  expect((await client.get("/admin/capabilities")).status).toBe(401);
  expect((await client.post("/admin/capabilities/d1_latency/probe")).status).toBe(401);
});

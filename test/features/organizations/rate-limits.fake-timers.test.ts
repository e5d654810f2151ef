import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { MinuteCounter } from "../../../src/features/organizations/rate-limits.ts";
import { Client, newClient, ORIGIN, type TestResponse, upgrade } from "../../api.ts";
import { useFakeBrowsers } from "../../fakes/browser-binding.ts";
import { createKey } from "./projects/projects.ts";

useFakeBrowsers();

const SETTINGS = [
  "KEY_REQUESTS_PER_MINUTE",
  "ORGANIZATION_REQUESTS_PER_MINUTE",
  "SESSION_CREATIONS_PER_MINUTE",
] as const;
const before = Object.fromEntries(SETTINGS.map((name) => [name, env[name]]));

beforeEach(() => {
  // The start of a minute.
  vi.useFakeTimers({ toFake: ["Date"], now: Math.ceil(Date.now() / 60_000) * 60_000 });
});
afterEach(() => {
  vi.restoreAllMocks();
  Object.assign(env, before);
});

function headersOf({ status, headers }: Pick<TestResponse, "status" | "headers">) {
  return [
    status,
    headers.get("x-ratelimit-limit"),
    headers.get("x-ratelimit-remaining"),
    headers.get("retry-after"),
  ];
}

describe("calls", () => {
  it("have headers with the limit and what is left, and 429 at the limit until the minute ends", async () => {
    const client = await newClient();
    env.KEY_REQUESTS_PER_MINUTE = "3";
    expect(headersOf(await client.get("/browsers"))).toEqual([200, "3", "2", null]);
    expect(headersOf(await client.get("/unknown"))).toEqual([404, "3", "1", null]);
    expect(headersOf(await client.get("/profiles?limit=x"))).toEqual([400, "3", "0", null]);
    vi.setSystemTime(Date.now() + 40_000);
    const refused = await client.get("/browsers");
    expect(headersOf(refused)).toEqual([429, "3", "0", "20"]);
    expect(refused.error.code).toBe("too_many_requests");
    expect(refused.headers.has("x-should-retry")).toBe(false);
    vi.setSystemTime(Date.now() + 20_000);
    expect(headersOf(await client.get("/browsers"))).toEqual([200, "3", "2", null]);
  });

  it("are counted per key, and per organization", async () => {
    const client = await newClient();
    const second = await createKey(client);
    env.KEY_REQUESTS_PER_MINUTE = "2";
    env.ORGANIZATION_REQUESTS_PER_MINUTE = "3";
    const statuses = [];
    for (const caller of [client, client, client, second, second]) {
      statuses.push((await caller.get("/browsers")).status);
    }
    expect(statuses).toEqual([200, 200, 429, 200, 429]);
    expect((await (await newClient()).get("/browsers")).status).toBe(200);
  });

  it("are also limited by the key's own limit", async () => {
    const key = await createKey(await newClient(), { requests_per_minute: 1 });
    expect(headersOf(await key.get("/browsers"))).toEqual([200, "1", "0", null]);
    expect(headersOf(await key.get("/browsers")).slice(0, 3)).toEqual([429, "1", "0"]);
  });

  it("that a key's own limit refuses do not count for the organization", async () => {
    const client = await newClient();
    const key = await createKey(client, { requests_per_minute: 1 });
    env.ORGANIZATION_REQUESTS_PER_MINUTE = "3";
    for (let calls = 0; calls < 10; calls += 1) await key.get("/browsers");
    expect(headersOf(await client.get("/browsers"))).toEqual([200, "3", "1", null]);
  });

  it("are refused where the platform's count has reached the limit", async () => {
    const client = await newClient();
    vi.spyOn(env.KEY_REQUESTS, "limit").mockResolvedValue({ success: false });
    expect(headersOf(await client.get("/browsers"))).toEqual([429, env.KEY_REQUESTS_PER_MINUTE, "0", "60"]);
  });

  it("are served where the platform does not count", async () => {
    const client = await newClient();
    vi.spyOn(env.KEY_REQUESTS, "limit").mockRejectedValue(new Error("no answer"));
    expect((await client.get("/browsers")).status).toBe(200);
    Object.assign(env, { KEY_REQUESTS_PER_MINUTE: "0", ORGANIZATION_REQUESTS_PER_MINUTE: "0" });
    expect(headersOf(await client.get("/browsers"))).toEqual([200, null, null, null]);
  });

  it("without a valid key are not counted", async () => {
    const answer = await new Client("berth_unknown").get("/browsers");
    expect(headersOf(answer)).toEqual([401, null, null, null]);
  });
});

describe("creations of sessions", () => {
  it("have their own limit per organization, by every address", async () => {
    const client = await newClient();
    const second = await createKey(client);
    const reader = await createKey(client, { access: "read" });
    env.SESSION_CREATIONS_PER_MINUTE = "3";
    // A call that its key does not allow uses up nothing.
    for (let calls = 0; calls < 4; calls += 1) expect((await reader.post("/browsers", {})).status).toBe(403);
    expect(headersOf(await client.post("/browsers", {}))).toEqual([200, "3", "2", null]);
    const connected = await upgrade(`${ORIGIN}/connect?token=${second.token}`);
    expect(connected.status).toBe(101);
    connected.webSocket?.accept();
    connected.webSocket?.close();
    // The fake browser has no WebDriver, but the call counts.
    expect((await second.post("/session", { capabilities: { alwaysMatch: {} } })).status).toBe(503);
    expect(headersOf(await second.post("/browsers", {}))).toEqual([429, "3", "0", "60"]);
    expect((await upgrade(`${ORIGIN}/connect?token=${client.token}`)).status).toBe(429);
    const webdriver = await client.post("/session", { capabilities: { alwaysMatch: {} } });
    expect([webdriver.status, webdriver.json]).toEqual([
      429,
      { value: expect.objectContaining({ error: "session not created" }) },
    ]);
    expect((await client.get("/browsers")).status).toBe(200);
  });
});

it("MinuteCounter forgets the minute before", () => {
  const counter = new MinuteCounter();
  expect([counter.add("a", 0), counter.add("a", 59_999), counter.add("b", 59_999)]).toEqual([1, 2, 1]);
  expect(counter.add("a", 60_000)).toBe(1);
});

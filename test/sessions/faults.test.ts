import { listDurableObjectIds, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it } from "vitest";
import { newClient } from "../api.ts";
import { type Refusal, useFakeBrowsers } from "../fakes/browser-binding.ts";
import { EMPTY_STORAGE, readStorage } from "../objects.ts";
import { readIdempotencyKeys, readLaunchedBrowsers, readSessionRows } from "../records.ts";

const browsers = useFakeBrowsers();
const LAUNCH = "/v1/devtools/browser";

function onLaunch(answer: () => Response): Refusal {
  return ({ method, path }) => (method === "POST" && path === LAUNCH ? answer() : undefined);
}

function onConnect(answer: () => Response): Refusal {
  return ({ method, path }) => (method === "GET" && path.startsWith(`${LAUNCH}/`) ? answer() : undefined);
}

function fail(): never {
  throw new Error("network lost");
}

afterEach(() => {
  browsers.refusal = undefined;
});

const faults: [string, Refusal, { status: number; code: string; retryAfter: string; says: string }][] = [
  [
    "the platform's limit is reached",
    onLaunch(() => new Response("limit", { status: 429, headers: { "retry-after": "17" } })),
    { status: 429, code: "too_many_requests", retryAfter: "17", says: "platform's browser limit" },
  ],
  [
    "the platform fails",
    onLaunch(() => new Response("internal error at 10.0.0.1", { status: 500 })),
    { status: 503, code: "service_unavailable", retryAfter: "5", says: "platform" },
  ],
  [
    "the platform does not answer",
    onLaunch(fail),
    { status: 503, code: "service_unavailable", retryAfter: "5", says: "platform" },
  ],
  [
    "the platform's answer makes no sense",
    onLaunch(() => new Response("<html>")),
    { status: 503, code: "service_unavailable", retryAfter: "5", says: "platform" },
  ],
  [
    "the launched browser cannot be connected to",
    onConnect(() => new Response("no", { status: 500 })),
    { status: 503, code: "service_unavailable", retryAfter: "5", says: "platform" },
  ],
  [
    "the launched browser's connection is lost",
    onConnect(fail),
    { status: 503, code: "service_unavailable", retryAfter: "5", says: "platform" },
  ],
];

describe("POST /browsers when", () => {
  it.each(faults)("%s: says so and leaves nothing behind", async (_, refusal, expected) => {
    const client = await newClient();
    const objectsBefore = new Set((await listDurableObjectIds(env.BROWSER_SESSION)).map(String));
    const launchedBefore = await readLaunchedBrowsers();
    browsers.refusal = refusal;
    const answer = await client.post("/browsers", { name: "worker" }, { "idempotency-key": "key" });
    expect(answer.status).toBe(expected.status);
    expect(answer.error).toMatchObject({
      code: expected.code,
      message: expect.stringContaining(expected.says),
    });
    expect(answer.text).not.toContain("10.0.0.1");
    expect(answer.headers.get("retry-after")).toBe(expected.retryAfter);

    expect(await readSessionRows(client.organizationId)).toEqual([]);
    // Sessions of other files may end meanwhile.
    const knownBefore = new Set(launchedBefore.map(({ browserId }) => browserId));
    const launchedSince = (await readLaunchedBrowsers()).filter(
      ({ browserId }) => !knownBefore.has(browserId),
    );
    expect(launchedSince).toEqual([]);
    expect(await readIdempotencyKeys(client.organizationId)).toEqual([]);
    expect([...browsers.living]).toEqual([]);
    const objects = (await listDurableObjectIds(env.BROWSER_SESSION)).filter(
      (id) => !objectsBefore.has(String(id)),
    );
    for (const id of objects) {
      const left = await runInDurableObject(env.BROWSER_SESSION.get(id), async (__, { storage }) => [
        ...(await storage.list()).keys(),
        await storage.getAlarm(),
      ]);
      expect(left).toEqual([null]);
    }

    browsers.refusal = undefined;
    const { session_id } = await client.createSession({ name: "worker" });
    await client.delete(`/browsers/${session_id}`);
  });

  it("the organization ends while the browser starts: refuses, and closes the browser", async () => {
    const client = await newClient();
    const gate = Promise.withResolvers<void>();
    browsers.launchGate = gate.promise;
    const call = client.post("/browsers");
    await expect.poll(() => readSessionRows(client.organizationId)).toHaveLength(1);
    const [row] = await readSessionRows(client.organizationId);
    await env.DB.prepare("UPDATE organizations SET disabled_at = 1 WHERE id = ?")
      .bind(client.organizationId)
      .run();
    gate.resolve();
    expect((await call).status).toBeGreaterThanOrEqual(400);
    expect([...browsers.living]).toEqual([]);
    expect(await readSessionRows(client.organizationId)).toEqual([]);
    expect(await readStorage(row?.id ?? "")).toEqual(EMPTY_STORAGE);
  });
});

describe("a running session when", () => {
  it("the platform refuses another socket: answers 503, and goes on after that", async () => {
    const client = await newClient();
    const { session_id, cdp_ws_url } = await client.createSession();
    const version = new URL(cdp_ws_url.replace(/^ws/, "http"));
    version.pathname += "/json/version";
    const path = version.pathname + version.search;
    browsers.refusal = () => new Response("busy", { status: 503 });
    const answer = await client.get(path);
    expect(answer.status).toBe(503);
    expect(answer.headers.has("retry-after")).toBe(true);
    browsers.refusal = undefined;
    expect((await client.get(path)).status).toBe(200);
    expect((await client.delete(`/browsers/${session_id}`)).status).toBe(204);
  });
});

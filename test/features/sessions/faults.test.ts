import { listDurableObjectIds, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openControlConnection } from "../../../src/platform/browser/connection/control-connection.ts";
import { newClient, upgrade } from "../../api.ts";
import { DevTools } from "../../devtools.ts";
import { type Refusal, useFakeBrowsers } from "../../fakes/browser-binding.ts";
import { EMPTY_STORAGE, readRecord, readStorage, restartBroker } from "../../objects.ts";
import { readIdempotencyKeys, readLaunchedBrowsers, readSessionRows } from "../../records.ts";

const browsers = useFakeBrowsers();
const LAUNCH = "/v1/devtools/browser";

function onLaunch(respond: () => Response | undefined): Refusal {
  return ({ method, path }) => (method === "POST" && path === LAUNCH ? respond() : undefined);
}

function onConnect(respond: () => Response): Refusal {
  return ({ method, path }) => (method === "GET" && path.startsWith(`${LAUNCH}/`) ? respond() : undefined);
}

function fail(): never {
  throw new Error("network lost");
}

beforeAll(() => {
  env.LAUNCH_WAIT_SECONDS = "5";
});
afterAll(() => {
  env.LAUNCH_WAIT_SECONDS = "20";
});

const faults: [string, Refusal, { status: number; code: string; retryAfter: string; message: string }][] = [
  [
    "the platform's limit is reached",
    onLaunch(() => new Response("limit", { status: 429, headers: { "retry-after": "17" } })),
    { status: 503, code: "service_unavailable", retryAfter: "17", message: "platform's browser limit" },
  ],
  [
    "the platform fails",
    onLaunch(() => new Response("internal error at 10.0.0.1", { status: 500 })),
    { status: 503, code: "service_unavailable", retryAfter: "5", message: "platform" },
  ],
  [
    "the platform does not respond",
    onLaunch(fail),
    { status: 503, code: "service_unavailable", retryAfter: "5", message: "platform" },
  ],
  [
    "the platform's response is malformed",
    onLaunch(() => new Response("<html>")),
    { status: 503, code: "service_unavailable", retryAfter: "5", message: "platform" },
  ],
  [
    "the launched browser cannot be connected to",
    onConnect(() => new Response("no", { status: 500 })),
    { status: 503, code: "service_unavailable", retryAfter: "5", message: "platform" },
  ],
  [
    "the launched browser's connection is lost",
    onConnect(fail),
    { status: 503, code: "service_unavailable", retryAfter: "5", message: "platform" },
  ],
];

describe("POST /browsers", () => {
  it.each(faults)("reports that %s and leaves nothing behind", async (_, refusal, expected) => {
    const client = await newClient();
    const objectsBefore = new Set((await listDurableObjectIds(env.BROWSER_SESSION)).map(String));
    const launchedBefore = await readLaunchedBrowsers();
    browsers.refusal = refusal;
    const response = await client.post("/browsers", { name: "worker" }, { "idempotency-key": "key" });
    expect(response.status).toBe(expected.status);
    expect(response.error).toMatchObject({
      code: expected.code,
      message: expect.stringContaining(expected.message),
    });
    expect(response.text).not.toContain("10.0.0.1");
    expect(response.headers.get("retry-after")).toBe(expected.retryAfter);

    expect(await readSessionRows(client.organizationId)).toEqual([]);
    // Sessions of other files may end meanwhile.
    const knownBefore = new Set(launchedBefore.map(({ browserId }) => browserId));
    const launchedSince = (await readLaunchedBrowsers()).filter(
      ({ browserId }) => !knownBefore.has(browserId),
    );
    expect(launchedSince).toEqual([]);
    expect(await readIdempotencyKeys(client.organizationId)).toEqual([]);
    await expect.poll(() => [...browsers.living]).toEqual([]);
    const objects = (await listDurableObjectIds(env.BROWSER_SESSION)).filter(
      (id) => !objectsBefore.has(String(id)),
    );
    for (const id of objects) {
      const remaining = await runInDurableObject(env.BROWSER_SESSION.get(id), async (__, { storage }) => [
        ...(await storage.list()).keys(),
        await storage.getAlarm(),
      ]);
      expect(remaining).toEqual([null]);
    }

    browsers.refusal = undefined;
    await restartBroker();
    const { session_id } = await client.createSession({ name: "worker" });
    await client.delete(`/browsers/${session_id}`);
  });

  it.each([
    ["", {}, 0],
    [" of a session that is recorded early", { name: "early" }, 1],
  ])(
    "fails and closes the browser when the organization is disabled during the launch%s",
    async (_, body, rows) => {
      const client = await newClient();
      const gate = Promise.withResolvers<void>();
      const reached = Promise.withResolvers<void>();
      browsers.refusal = onLaunch(() => {
        reached.resolve();
        return undefined;
      });
      browsers.launchGate = gate.promise;
      const creating = client.post("/browsers", body);
      await reached.promise;
      const [row] = await readSessionRows(client.organizationId);
      expect(row === undefined ? 0 : 1).toBe(rows);
      await env.DB.prepare("UPDATE organizations SET disabled_at = 1 WHERE id = ?")
        .bind(client.organizationId)
        .run();
      gate.resolve();
      expect((await creating).status).toBeGreaterThanOrEqual(400);
      await expect.poll(() => [...browsers.living]).toEqual([]);
      expect(await readSessionRows(client.organizationId)).toEqual([]);
      if (row !== undefined) expect(await readStorage(row.id)).toEqual(EMPTY_STORAGE);
    },
  );
});

describe("a running session", () => {
  it.each(["", "/devtools/page/page-1"])(
    "returns 410 to a client at %j when it is deleted meanwhile",
    async (path) => {
      const client = await newClient();
      const { session_id, cdp_ws_url } = await client.createSession();
      const url = new URL(cdp_ws_url);
      url.pathname += path;
      const asked = Promise.withResolvers<void>();
      const closed = Promise.withResolvers<void>();
      browsers.refusal = ({ method, path: asking }) => {
        if (method === "GET" && asking.startsWith(`${LAUNCH}/`)) asked.resolve();
        return undefined;
      };
      browsers.socketGate = closed.promise;
      const upgrading = upgrade(url.href);
      await asked.promise;
      expect((await client.delete(`/browsers/${session_id}`)).status).toBe(204);
      closed.reject(new Error("the browser is closed"));
      const response = await upgrading;
      expect(response.status).toBe(410);
      expect(response.headers.get("x-should-retry")).toBe("false");
    },
  );

  it("returns 404 to a client that asks for a page of the browser's own", async () => {
    const client = await newClient();
    const { session_id, cdp_ws_url } = await client.createSession();
    const { browserId = "" } = (await readRecord(session_id)) ?? {};
    const chrome = await openControlConnection(env.BROWSER, browserId);
    // A target that is no tab.
    const popup = { url: "chrome://omnibox-popup.top-chrome/", hidden: true };
    const { targetId } = await chrome.send("Target.createTarget", popup);
    const tools = await DevTools.connect(cdp_ws_url);
    expect(JSON.stringify(await tools.send("Target.getTargets"))).not.toContain(targetId);
    const response = await upgrade(cdp_ws_url.replace("?", `/devtools/page/${targetId}?`));
    expect(response.status).toBe(404);
    chrome.dispose();
  });

  it("returns 503 when the platform refuses another socket, then recovers", async () => {
    const client = await newClient();
    const { session_id, cdp_ws_url } = await client.createSession();
    const version = new URL(cdp_ws_url.replace(/^ws/, "http"));
    version.pathname += "/json/version";
    const path = version.pathname + version.search;
    browsers.refusal = () => new Response("busy", { status: 503 });
    const response = await client.get(path);
    expect(response.status).toBe(503);
    expect(response.headers.has("retry-after")).toBe(true);
    browsers.refusal = undefined;
    expect((await client.get(path)).status).toBe(200);
    expect((await client.delete(`/browsers/${session_id}`)).status).toBe(204);
  });
});

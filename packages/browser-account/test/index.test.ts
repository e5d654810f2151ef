import { afterEach, describe, expect, it, vi } from "vitest";
import { selectPage } from "../../../scripts/local/browser-platform/list-page.ts";
import {
  acquireBrowser,
  closeBrowser,
  listBrowsers,
  openDevToolsSocket,
  readCloseReason,
  readDevToolsDocument,
} from "../../../src/platform/browser/index.ts";
import worker, { type AccountEnv } from "../src/index.ts";

const TOKEN = "token-of-the-second-account-32-bytes!";
const AUTHORIZATION = `Bearer ${TOKEN}`;
const ADDRESS = "https://berth-browser-account.example.workers.dev";

interface Call {
  url: string;
  method: string;
  headers: [string, string][];
}

/** A binding with one browser, which records what it is asked. */
function openAccount({ token = TOKEN, answer }: { token?: string; answer?: () => Response } = {}) {
  const calls: Call[] = [];
  const env: AccountEnv = {
    ACCOUNT_TOKEN: token,
    BROWSER: {
      async fetch(url, init) {
        const request = new Request(url, init);
        calls.push({ url, method: request.method, headers: [...request.headers] });
        return answer?.() ?? answerAsPlatform(request);
      },
    },
  };
  const send = (path: string, init: RequestInit = {}) =>
    worker.fetch(
      new Request(`${ADDRESS}${path}`, { headers: { authorization: AUTHORIZATION }, ...init }),
      env,
    );
  return { calls, send, env };
}

function answerAsPlatform(request: Request): Response {
  const { pathname, searchParams } = new URL(request.url);
  if (request.headers.get("upgrade") === "websocket") return openEcho();
  if (request.method === "POST") return Response.json({ sessionId: "b-1" });
  if (pathname === "/v1/sessions") {
    const sessions = selectPage([{ sessionId: "b-1", startTime: 5 }], searchParams);
    return sessions ? Response.json({ sessions }) : new Response("out of range", { status: 400 });
  }
  if (pathname === "/v1/history") {
    const closed = { sessionId: "b-1", closeReason: 2, closeReasonText: "BrowserIdle" };
    return Response.json({ history: [closed] });
  }
  if (pathname === "/v1/limits") return Response.json({ maxConcurrentSessions: 200 });
  return pathname.endsWith("/json/version") ? Response.json({ Browser: "Fake/1" }) : new Response(null);
}

function openEcho(): Response {
  const { 0: client, 1: server } = new WebSocketPair();
  server.accept();
  server.addEventListener("message", ({ data }) => server.send(data));
  return new Response(null, { status: 101, webSocket: client });
}

afterEach(() => vi.restoreAllMocks());

describe("with the token", () => {
  it("serves the client of Berth like the binding itself", async () => {
    const { calls, env } = openAccount();
    // Calls it like src/platform/broker/accounts.ts.
    const account = {
      fetch(input: RequestInfo | URL, init?: RequestInit) {
        const request = new Request(input, init);
        const { pathname, search } = new URL(request.url);
        const headers = new Headers(request.headers);
        headers.set("authorization", AUTHORIZATION);
        return worker.fetch(
          new Request(new URL(`${pathname}${search}`, ADDRESS), { method: request.method, headers }),
          env,
        );
      },
    } as BrowserRun;
    expect(await acquireBrowser(account, 600_000)).toBe("b-1");
    expect(await listBrowsers(account)).toEqual(new Map([["b-1", 5]]));
    expect(await readCloseReason(account, "main~b-1")).toBe("BrowserIdle");
    expect(JSON.parse(await readDevToolsDocument(account, "b-1", "version"))).toEqual({ Browser: "Fake/1" });
    for (const page of [undefined, "page-1"]) {
      const socket = await openDevToolsSocket(account, "b-1", page);
      const echoed = new Promise((resolve) =>
        socket.addEventListener("message", ({ data }) => resolve(data)),
      );
      socket.send('{"id":1}');
      expect(await echoed).toBe('{"id":1}');
      socket.close();
    }
    await closeBrowser(account, "b-1");
    expect(calls.map(({ method, url }) => `${method} ${url}`)).toEqual([
      "POST https://browser.invalid/v1/devtools/browser?keep_alive=600000",
      "GET https://browser.invalid/v1/sessions?limit=200&offset=0",
      "GET https://browser.invalid/v1/sessions?limit=200&offset=0",
      "GET https://browser.invalid/v1/devtools/session/b-1",
      "GET https://browser.invalid/v1/history",
      "GET https://browser.invalid/v1/devtools/browser/b-1/json/version",
      "GET https://browser.invalid/v1/devtools/browser/b-1",
      "GET https://browser.invalid/v1/devtools/browser/b-1/page/page-1",
      "DELETE https://browser.invalid/v1/devtools/browser/b-1",
    ]);
  });

  it("forwards neither the token nor other headers and parameters", async () => {
    const { calls, send } = openAccount();
    const headers = { authorization: AUTHORIZATION, cookie: "secret=1", "x-forwarded-host": "evil.example" };
    await send("/v1/devtools/browser?keep_alive=1000&recording=true&lab=true", { method: "POST", headers });
    expect(calls).toEqual([
      { method: "POST", url: "https://browser.invalid/v1/devtools/browser?keep_alive=1000", headers: [] },
    ]);
  });

  it("passes refusals on as they are", async () => {
    const answer = () => new Response("limit", { status: 429, headers: { "retry-after": "7" } });
    const response = await openAccount({ answer }).send("/v1/devtools/browser", { method: "POST" });
    expect([response.status, response.headers.get("retry-after"), await response.text()]).toEqual([
      429,
      "7",
      "limit",
    ]);
  });

  it("responds with 502 when the platform fails, and logs no token", async () => {
    const log = vi.spyOn(console, "error").mockImplementation(() => {});
    const answer = () => {
      throw new Error("no answer");
    };
    const response = await openAccount({ answer }).send("/v1/limits");
    expect(response.status).toBe(502);
    expect(log.mock.calls).toEqual([['{"event":"browser_platform_failed","error":"Error: no answer"}']]);
  });

  it.each([
    ["GET", "/"],
    ["GET", "/v1/devtools/browser"],
    ["GET", "/v1/devtools/browser/b-1"],
    ["PUT", "/v1/devtools/browser/b-1"],
    ["POST", "/v1/devtools/browser/b-1/json/new"],
    ["GET", "/v1/devtools/browser/b-1/json/new?https://example.com"],
    ["GET", "/v1/devtools/browser/../b-1/json/version"],
    ["GET", "/v1/devtools/browser/b-1%2F..%2Fb-2/json/version"],
    ["DELETE", "/v1/sessions"],
    ["GET", "/v1/devtools/session"],
    ["POST", "/v1/acquire"],
    ["GET", "//evil.example/v1/limits"],
  ])("forwards no %s %s", async (method, path) => {
    const { calls, send } = openAccount();
    expect((await send(path, { method })).status).toBe(404);
    expect(calls).toEqual([]);
  });
});

describe("without the token", () => {
  it.each([
    ["no header", undefined],
    ["another token", `Bearer ${TOKEN.replace("t", "T")}`],
    ["a part of the token", `Bearer ${TOKEN.slice(0, -1)}`],
    ["another scheme", `Basic ${TOKEN}`],
    ["an empty token", "Bearer "],
  ])("refuses %s", async (_, authorization) => {
    const { calls, send } = openAccount();
    const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
    const response = await send("/v1/limits", { headers });
    expect(response.status).toBe(401);
    expect(await response.text()).not.toContain(TOKEN);
    expect(calls).toEqual([]);
  });

  it.each([
    ["missing", undefined],
    ["empty", ""],
    ["too short", "short"],
  ])("refuses everything while the secret is %s", async (_, token) => {
    const { calls, env } = openAccount();
    env.ACCOUNT_TOKEN = token;
    const request = new Request(`${ADDRESS}/v1/limits`, { headers: { authorization: `Bearer ${token}` } });
    expect((await worker.fetch(request, env)).status).toBe(401);
    expect(calls).toEqual([]);
  });
});

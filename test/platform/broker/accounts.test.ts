import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { bindingOf, listAllBrowsers } from "../../../src/platform/broker/index.ts";
import { acquireBrowser, closeBrowser, openDevToolsSocket } from "../../../src/platform/browser/index.ts";
import { useFakeBrowsers } from "../../fakes/browser-binding.ts";

const browsers = useFakeBrowsers();

const answers = vi.spyOn(globalThis, "fetch");

afterEach(() => {
  answers.mockReset();
  env.BROWSER_ACCOUNTS = "";
  env.BROWSER_ACCOUNTS_TOKEN = undefined;
});

function useRemoteAccount(): void {
  env.BROWSER_ACCOUNTS = '[{"name":"second","url":"https://browsers.example/below"}]';
  env.BROWSER_ACCOUNTS_TOKEN = "token-of-the-accounts";
}

/** Other test files also send requests. */
const callsOfAccount = () =>
  answers.mock.calls.filter(([url]) => String(url).startsWith("https://browsers.example/"));

describe("an account behind an address", () => {
  it("is called with the token, the path and the method, and follows no redirect", async () => {
    useRemoteAccount();
    answers.mockImplementation(async () => Response.json({ sessionId: "b1" }));
    const binding = bindingOf(env, "second~b1");
    expect(await acquireBrowser(binding, 60_000)).toBe("b1");
    await closeBrowser(binding, "second~b1");
    const calls = callsOfAccount().map(([url, init]) => ({
      url: String(url),
      method: init?.method,
      token: new Headers(init?.headers).get("authorization"),
      redirect: init?.redirect,
    }));
    const shared = { token: "Bearer token-of-the-accounts", redirect: "manual" };
    expect(calls).toEqual([
      { ...shared, method: "POST", url: "https://browsers.example/v1/devtools/browser?keep_alive=60000" },
      { ...shared, method: "DELETE", url: "https://browsers.example/v1/devtools/browser/b1" },
    ]);
  });

  it("opens sockets", async () => {
    useRemoteAccount();
    const { 0: client, 1: server } = new WebSocketPair();
    server.accept();
    answers.mockImplementation(async () => new Response(null, { status: 101, webSocket: client }));
    const socket = await openDevToolsSocket(bindingOf(env, "second~b1"), "second~b1");
    expect(new Headers(callsOfAccount()[0]?.[1]?.headers).get("upgrade")).toBe("websocket");
    socket.close();
  });

  it("fails like a platform that does not answer when it is not configured", async () => {
    await expect(openDevToolsSocket(bindingOf(env, "gone~b1"), "gone~b1")).rejects.toMatchObject({
      name: "BrowserUnavailableError",
      kind: "failure",
    });
    expect(callsOfAccount()).toEqual([]);
  });
});

describe("the list of all browsers", () => {
  it("names the accounts, and says which did not answer", async () => {
    useRemoteAccount();
    browsers.adopt("own");
    const sessions = [{ sessionId: "other", startTime: 5 }];
    answers.mockImplementation(async () => Response.json({ sessions }));
    const all = await listAllBrowsers(env);
    expect([...all.browsers.keys()].sort()).toEqual(["own", "second~other"]);
    expect(all.silent.size).toBe(0);
    answers.mockImplementation(async () => new Response("no", { status: 500 }));
    const some = await listAllBrowsers(env);
    expect([[...some.browsers.keys()], [...some.silent]]).toEqual([["own"], ["second"]]);
    browsers.refusal = () => new Response("no", { status: 500 });
    await expect(listAllBrowsers(env)).rejects.toMatchObject({ kind: "failure" });
  });
});

import { exports } from "cloudflare:workers";
import { afterAll, describe, expect, it } from "vitest";
import type { SessionEndpointProps } from "../../../src/features/playwright/session-endpoint.ts";
import { unwrap } from "../../../src/lib/common/outcome.ts";
import { newClient } from "../../api.ts";
import { objectOf } from "../../objects.ts";
import { Scripts } from "./scripts.ts";

const client = await newClient();
const sessionId = (await client.createSession({ timeout_seconds: 3600 })).session_id;
const scripts = new Scripts(client, sessionId);
afterAll(async () => {
  await client.delete(`/browsers/${sessionId}`);
});

const NO_NETWORK = "This worker is not permitted to access the internet";
const NO_CODE = "Code generation from strings disallowed";

describe("script isolation", () => {
  it.each([
    ["fetch", 'await fetch("http://127.0.0.1:8787/")', NO_NETWORK],
    ["fetch of a host name", 'await fetch("https://example.com/")', NO_NETWORK],
    ["a WebSocket", 'new WebSocket("ws://127.0.0.1:8787/")', NO_NETWORK],
    [
      "an EventSource",
      'await new Promise((_, no) => { new EventSource("http://127.0.0.1/").onerror = (e) => no(e.error ?? new Error(e.message)) })',
      NO_NETWORK,
    ],
    ["a socket", '(await import("cloudflare:sockets")).connect("127.0.0.1:22")', NO_NETWORK],
    [
      "a Node.js socket",
      'const net = await import("node:net"); await new Promise((_, no) => net.connect(22, "127.0.0.1").on("error", no))',
      NO_NETWORK,
    ],
    ["eval", 'eval("1")', NO_CODE],
    ["new Function", 'new Function("1")', NO_CODE],
    [
      "WebAssembly",
      "new WebAssembly.Module(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0))",
      "Wasm code generation disallowed",
    ],
    [
      "a blocking lock",
      "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)",
      "cannot be called in this context",
    ],
    ["a module of the service", 'await import("../index.ts")', "No such module"],
    ["a child process", '(await import("node:child_process")).execSync("ls")', "not implemented"],
  ])("blocks %s", async (_, code, message) => {
    expect(await scripts.error(`${code}; return "reached";`, { seconds: 10 })).toContain(message);
  });

  it("exposes no bindings, variables or files of the service", async () => {
    const code = `
      const { env, exports } = await import("cloudflare:workers");
      const { readdirSync } = await import("node:fs");
      return { env, variables: { ...process.env }, exports: Object.keys(exports).sort(), files: readdirSync("/").sort() };`;
    expect(await scripts.result(code)).toEqual({
      env: {},
      variables: {},
      exports: ["Script", "Shutdown"],
      files: ["bundle", "dev", "tmp"],
    });
  });

  it.each([
    ["a function", "{ fetch }", "could not be cloned"],
    ["an entrypoint", "exports.Script({ props: {} })", "cannot be transferred to other Workers"],
  ])("rejects %s as the browser of a second runner", async (_, browser, message) => {
    const code = `
      const { exports } = await import("cloudflare:workers");
      const body = JSON.stringify({ timeoutMs: 1000, limits: { outputBytes: 1000, logBytes: 1000 } });
      const props = { sessionId: "other", browser: ${browser} };
      const response = await exports.Script({ props }).fetch("http://x/", { method: "POST", body });
      return await response.text();`;
    expect(await scripts.error(code)).toContain(message);
  });
});

describe("SessionEndpoint", () => {
  /** Calls `work` with the endpoint's properties during a run. */
  async function withRun<T>(work: (props: SessionEndpointProps) => Promise<T>): Promise<T> {
    const caller = { organizationId: client.organizationId, projectId: "", invocationId: null };
    const { use, grant, runId } = unwrap(await objectOf(sessionId).beginRun(caller));
    using _use = use;
    return await work({ sessionId, grant, runId });
  }

  const connect = (
    props: SessionEndpointProps,
    path = "/",
    headers: HeadersInit = { upgrade: "websocket" },
  ) => exports.SessionEndpoint({ props }).fetch(`https://browser.invalid${path}`, { headers });

  it("opens a socket to the browser", async () => {
    await withRun(async (props) => {
      const { status, webSocket } = await connect(props);
      expect(status).toBe(101);
      webSocket?.accept();
      webSocket?.close();
    });
  });

  it.each(["/v1/devtools/browser", "/devtools/page/x", "/live/control", "/json/list", "//"])(
    "rejects %s",
    async (path) => {
      const { status, webSocket } = await withRun((props) => connect(props, path));
      expect(status).toBe(403);
      expect(webSocket).toBeNull();
    },
  );

  it("rejects requests that are not WebSocket upgrades", async () => {
    expect((await withRun((props) => connect(props, "/", {}))).status).toBe(403);
    expect((await withRun((props) => connect(props, "/", { upgrade: "other" }))).status).toBe(403);
  });

  it("rejects another run, another lease and an unknown session", async () => {
    await withRun(async (props) => {
      expect((await connect({ ...props, runId: crypto.randomUUID() })).status).toBe(410);
      expect((await connect({ ...props, grant: { ...props.grant, lease: 1 } })).status).toBe(410);
      expect((await connect({ ...props, sessionId: "none" })).status).toBe(404);
    });
  });

  it("closes open sockets and rejects new ones when the run ends", async () => {
    const [props, socket] = await withRun(async (props) => {
      const { webSocket } = await connect(props);
      webSocket?.accept();
      return [props, webSocket] as const;
    });
    const closed = new Promise<CloseEvent>((resolve) => socket?.addEventListener("close", resolve));
    expect(await closed).toMatchObject({ code: 1001, reason: "the run of this code has ended" });
    expect((await connect(props)).status).toBe(410);
  });
});

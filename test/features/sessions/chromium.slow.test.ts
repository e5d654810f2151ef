import { env } from "cloudflare:workers";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { sweepSessions } from "../../../src/features/sessions/lifecycle/sweep.ts";
import type { Snapshot } from "../../../src/features/sessions/record.ts";
import { type SessionBody, sessionSchema } from "../../../src/features/sessions/session-schema.ts";
import { brokerOf } from "../../../src/platform/broker/index.ts";
import {
  attachSession,
  openControlConnection,
} from "../../../src/platform/browser/connection/control-connection.ts";
import { type Client, newClient } from "../../api.ts";
import { DevTools } from "../../devtools.ts";
import { advanceTime, runInSession } from "../../objects.ts";

/** Reads the size of a JPEG from its frame header. */
function readSize(jpeg: Uint8Array) {
  const view = new DataView(jpeg.buffer, jpeg.byteOffset);
  let at = 2;
  while (![0xffc0, 0xffc2].includes(view.getUint16(at))) at += 2 + view.getUint16(at + 2);
  return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
}

afterEach(() => {
  vi.useRealTimers();
});

describe("a session over a real Chromium", () => {
  let client: Client;
  let session: SessionBody;

  beforeAll(async () => {
    client = await newClient();
    session = await client.createSession({
      timeout_seconds: 600,
      viewport: { width: 1024, height: 768 },
      start_url: "data:text/html,<title>started</title>",
    });
  });

  afterAll(async () => {
    await client.delete(`/browsers/${session.session_id}`);
  });

  it("opens the start URL in its first tab", async () => {
    const devTools = await DevTools.connect(session.cdp_ws_url);
    const titles = async () => JSON.stringify((await devTools.send("Target.getTargets")).result);
    await expect.poll(titles).toContain("started");
    devTools.close();
  });

  it("sizes every page to the viewport, also after a client disconnects", async () => {
    for (let round = 0; round < 2; round += 1) {
      const devTools = await DevTools.connect(session.cdp_ws_url);
      await devTools.openPage();
      expect(await devTools.evaluate("[innerWidth, innerHeight]")).toEqual([1024, 768]);
      devTools.close();
    }
  });

  it("serves two clients concurrently", async () => {
    const clients = await Promise.all([1, 2].map(() => DevTools.connect(session.cdp_ws_url)));
    await Promise.all(clients.map((devTools) => devTools.openPage()));
    const values = await Promise.all(clients.map((devTools, index) => devTools.evaluate(`${index} + 1`)));
    expect(values).toEqual([1, 2]);
    for (const devTools of clients) devTools.close();
  });

  it("relays frames of 16 MiB both ways", async () => {
    const devTools = await DevTools.connect(session.cdp_ws_url);
    await devTools.openPage();
    const size = 16 * 1024 * 1024;
    expect(await devTools.evaluate(`"${"x".repeat(size)}".length`)).toBe(size);
    expect(String(await devTools.evaluate(`"x".repeat(${size})`)).length).toBe(size);
    devTools.close();
  });

  it.each([
    ["Browser.close", "Browser.close", {}],
    ["Browser.crash", "Browser.crash", {}],
    ["Browser.crashGpuProcess", "Browser.crashGpuProcess", {}],
  ])("survives a client's %s", async (_, method, params) => {
    const devTools = await DevTools.connect(session.cdp_ws_url);
    await devTools.send(method, params);
    const next = await DevTools.connect(session.cdp_ws_url);
    expect((await next.send("Browser.getVersion")).result).toHaveProperty("product");
    next.close();
  });

  // Chrome's list of pages does not change then.
  it("shows the page whose window a client brings to the front", async () => {
    const devTools = await DevTools.connect(session.cdp_ws_url);
    const screenshot = async () =>
      (await client.post(`/browsers/${session.session_id}/computer/screenshot`, {})).text;
    const targetId = await devTools.openPage();
    await devTools.navigate("data:text/html,<body style='background: red'>");
    await devTools.evaluate("new Promise(requestAnimationFrame)");
    const page = await screenshot();
    await devTools.evaluate("open('about:blank', '', 'width=400,height=300') !== null");
    await expect.poll(screenshot).not.toBe(page);
    await devTools.send("Target.activateTarget", { targetId });
    expect(await screenshot()).toBe(page);
    await devTools.send("Target.closeTarget", { targetId });
    devTools.close();
  });

  it("does not expose the DevTools protocol to pages", async () => {
    const devTools = await DevTools.connect(session.cdp_ws_url);
    const targetId = await devTools.openPage();
    const { error } = await devTools.send("Target.exposeDevToolsProtocol", { targetId });
    expect(await devTools.evaluate("typeof cdp")).toBe("undefined");
    expect(error).toBeDefined();
    devTools.close();
  });

  it("keeps its tabs and a last screenshot when it ends", async () => {
    const short = await client.createSession();
    const devTools = await DevTools.connect(short.cdp_ws_url);
    await devTools.openPage();
    await devTools.navigate("data:text/html,<title>The last page</title>");
    // A busy machine may not paint in the time that the end waits.
    const taken = () =>
      runInSession(short.session_id, ({ kv }) => kv.get<Snapshot>("snapshot")?.picture?.length);
    await expect.poll(taken).toBeGreaterThan(1000);
    await client.delete(`/browsers/${short.session_id}`);
    const path = `/browsers/${short.session_id}`;
    const { evidence } = (await client.get(`${path}?include_deleted=true`)).read(sessionSchema);
    expect(evidence?.tabs.map(({ title }) => title)).toContain("The last page");
    expect(Date.parse(evidence?.screenshot_at ?? "")).toBeGreaterThan(Date.parse(short.created_at));
    const screenshot = await client.get(`${path}/evidence/screenshot`);
    expect(screenshot.headers.get("content-type")).toBe("image/jpeg");
    expect([...screenshot.bytes.subarray(0, 3)]).toEqual([0xff, 0xd8, 0xff]);
    const other = await newClient();
    expect((await other.get(`${path}/evidence/screenshot`)).status).toBe(404);
  });

  it("has a thumbnail, of which its page notices nothing, even while a script blocks the page", async () => {
    const devTools = await DevTools.connect(session.cdp_ws_url);
    const targetId = await devTools.openPage();
    await devTools.navigate("data:text/html,<body style='background: red'>");
    await devTools.evaluate(`(() => {
      globalThis.noticed = [];
      for (const type of ["resize", "focus", "blur", "visibilitychange", "scroll"]) {
        for (const target of [window, document]) target.addEventListener(type, () => noticed.push(type));
      }
      return new Promise(requestAnimationFrame);
    })()`);
    const thumbnail = () => client.get(`/browsers/${session.session_id}/thumbnail`);
    await expect.poll(async () => (await thumbnail()).status).toBe(200);
    expect(await devTools.evaluate("noticed.join()")).toBe("");
    const blocked = devTools.evaluate("const end = Date.now() + 4000; while (Date.now() < end); true");
    advanceTime(3001);
    const { bytes } = await thumbnail();
    expect([...bytes.subarray(0, 3)]).toEqual([0xff, 0xd8, 0xff]);
    expect(readSize(bytes)).toEqual({ width: 320, height: 240 });
    await blocked;
    await devTools.send("Target.closeTarget", { targetId });
    devTools.close();
  });

  it("closes its browser and its clients' connections when it ends", async () => {
    const short = await client.createSession();
    const devTools = await DevTools.connect(short.cdp_ws_url);
    await client.delete(`/browsers/${short.session_id}`);
    expect(await devTools.heard.closed).toMatchObject({ code: 1001 });
    await expect(DevTools.connect(short.cdp_ws_url)).rejects.toThrow("410");
  });
});

it("sizes the window of a standby browser in advance", async () => {
  env.STANDBY_BROWSERS = "1";
  await sweepSessions(env, Date.now());
  const findReady = async () =>
    (await brokerOf(env, null).listBrowsers()).find(({ state }) => state === "ready");
  await expect.poll(findReady).toBeDefined();
  const ready = await findReady();
  const connection = await openControlConnection(env.BROWSER, ready?.browserId ?? "");
  const { targetInfos } = await connection.send("Target.getTargets");
  const page = await attachSession(
    connection,
    targetInfos.find(({ type }) => type === "page")?.targetId ?? "",
  );
  const { result } = await page.send("Runtime.evaluate", { expression: 'innerWidth + "x" + innerHeight' });
  expect(result.value).toBe("1920x1080");
  connection.dispose();
  env.STANDBY_BROWSERS = "0";
  await sweepSessions(env, Date.now());
});

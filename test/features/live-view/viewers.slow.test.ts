import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { liveViewURLSchema } from "../../../src/api/live-view/schema.ts";
import type { ViewerMessage } from "../../../src/features/live-view/protocol.ts";
import { type Client, newClient, openSocket } from "../../api.ts";
import { useFakeBrowsers } from "../../fakes/browser-binding.ts";
import { advanceTime, restart, runAlarm, runInSession } from "../../objects.ts";
import { readSessionRow } from "../../records.ts";
import { ViewerPage } from "./viewers.ts";

const browsers = useFakeBrowsers();

let client: Client;
let id: string;
let url: string;
let cdpURL: string;
let browserId: string;
let sentBefore: number;

async function createSession(details: object = {}): Promise<void> {
  client = await newClient();
  const session = await client.createSession({ timeout_seconds: 30, ...details });
  id = session.session_id;
  url = session.browser_live_view_url ?? "";
  cdpURL = session.cdp_ws_url;
  browserId = browsers.launched.at(-1) ?? "";
  sentBefore = browsers.commands.length;
}

beforeEach(() => createSession());
afterEach(async () => {
  vi.useRealTimers();
  browsers.failingMethods.clear();
  await client.delete(`/browsers/${id}`);
});

const sent = (method: RegExp) =>
  browsers.commands.slice(sentBefore).filter((command) => method.test(command.method));
const hasEnded = async () => (await readSessionRow(id))?.state === "ended";
const castFrame = (data = "AAAA") =>
  runInSession(id, () => browsers.browser(browserId).castFrame(data, 1920, 1080));
const waitForScreencast = () => expect.poll(() => sent(/startScreencast/).length).toBeGreaterThan(0);

const click = { type: "mouse", x: 5, y: 6, button: "left", buttons: 1, clickCount: 1, modifiers: 0 } as const;
const key = {
  type: "key",
  key: "a",
  code: "KeyA",
  keyCode: 65,
  location: 0,
  repeat: false,
  modifiers: 0,
} as const;

/** Messages for the browser, each with the command that it results in. */
const inputs: [ViewerMessage, RegExp][] = [
  [{ ...click, action: "move" }, /^Input\.dispatchMouseEvent$/],
  [{ ...click, action: "down" }, /^Input\.dispatchMouseEvent$/],
  [{ ...click, action: "up" }, /^Input\.dispatchMouseEvent$/],
  [{ type: "wheel", x: 1, y: 1, deltaX: 0, deltaY: 9, modifiers: 0 }, /^Input\.dispatchMouseEvent$/],
  [{ ...key, action: "down" }, /^Input\.dispatchKeyEvent$/],
  [{ type: "text", text: "é" }, /^Input\./],
  [{ type: "paste", text: "x" }, /^Input\./],
  [{ type: "touch", action: "start", points: [{ id: 0, x: 1, y: 1 }] }, /^Input\.dispatchTouchEvent$/],
  [{ type: "navigate", url: "https://example.com" }, /^Page\.navigate$/],
  [{ type: "reload" }, /^Page\.reload$/],
  [{ type: "stop" }, /^Page\.stopLoading$/],
  [{ type: "open-tab" }, /^Target\.createTarget$/],
  [{ type: "activate-tab", tab: "page-1" }, /^Target\.activateTarget$/],
  [{ type: "close-tab", tab: "page-1" }, /^Page\.close$/],
];

describe("viewers", () => {
  it("receive a welcome, then the tabs", async () => {
    const viewer = await ViewerPage.open(url);
    expect(await viewer.waitFor("tabs")).toEqual({
      type: "tabs",
      tabs: [{ id: "page-1", title: "t", url: "about:blank", isLoading: false, hasCrashed: false }],
      active: "page-1",
      canGoBack: false,
      canGoForward: false,
    });
    const viewport = { width: 1920, height: 1080 };
    expect(viewer.messages[0]).toEqual({ type: "welcome", mode: "control", kiosk: false, viewport });
  });

  it("are notified of kiosk mode and the viewport", async () => {
    await createSession({ kiosk_mode: true, viewport: { width: 1024, height: 768 } });
    const viewer = await ViewerPage.open(url);
    expect(await viewer.waitFor("welcome")).toMatchObject({
      kiosk: true,
      viewport: { width: 1024, height: 768 },
    });
  });

  it.each(inputs)("can send with mode control: %j", async (message, command) => {
    const viewer = await ViewerPage.open(url);
    await viewer.waitFor("tabs");
    sentBefore = browsers.commands.length;
    viewer.send(message);
    await expect.poll(() => sent(command).length).toBeGreaterThan(0);
    await viewer.settled();
    expect(viewer.of("refused")).toEqual([]);
  });

  it.each(["&readOnly=true", ""])("with mode watch have no effect, query %j", async (query) => {
    const created = await client.post(`/browsers/${id}/live_view_urls`, { mode: "watch" });
    const watchURL = created.read(liveViewURLSchema).url;
    const viewer = await ViewerPage.open(query === "" ? watchURL : url, query);
    await viewer.waitFor("tabs");
    await waitForScreencast();
    sentBefore = browsers.commands.length;
    for (const [message] of inputs) viewer.send(message);
    viewer.send({ type: "back" });
    viewer.send({ type: "answer-dialog", dialog: 1, accept: true });
    await viewer.settled();
    // The session runs commands in order, so this click comes after all messages above.
    await client.post(`/browsers/${id}/computer/click_mouse`, { x: 77, y: 78 });
    const commands = sent(/^Input\.|^Page\.(navigate|reload|close|stop\w+)|^Target\./);
    expect(commands.map(({ params }) => [params.type, params.x])).toEqual([
      ["mouseMoved", 77],
      ["mousePressed", 77],
      ["mouseReleased", 77],
    ]);
  });

  it("in kiosk mode have mouse and keyboard, but no tabs and no address bar", async () => {
    await createSession({ kiosk_mode: true });
    const viewer = await ViewerPage.open(url);
    await viewer.waitFor("tabs");
    await waitForScreencast();
    sentBefore = browsers.commands.length;
    for (const [message, command] of inputs) {
      if (/^(Page|Target)/.test(command.source.replace("^", ""))) viewer.send(message);
    }
    viewer.send({ ...key, key: "t", code: "KeyT", keyCode: 84, action: "down", modifiers: 2 });
    viewer.send({ ...click, action: "down" });
    await expect.poll(() => sent(/dispatchMouseEvent/).length).toBe(2);
    expect(sent(/^Page\.(navigate|reload|close|stopLoading)|^Target\./)).toEqual([]);
  });

  it.each([
    "javascript:alert(1)",
    "file:///etc/passwd",
    "data:text/html,x",
    "chrome://settings",
    "view-source:https://a.b",
    "about:config",
    "example.com",
    "",
  ])("are refused the address %j", async (address) => {
    const viewer = await ViewerPage.open(url);
    await viewer.waitFor("tabs");
    viewer.send({ type: "navigate", url: address });
    expect((await viewer.waitFor("refused")).message).toContain("http");
    expect(sent(/^Page\.navigate$/)).toEqual([]);
  });

  it.each<[string, string | Uint8Array]>([
    ["invalid JSON", "hello"],
    ["an empty message", ""],
    ["JSON that is not a message", "[]"],
    ["an unknown type", '{"type":"evaluate","expression":"1"}'],
    ["a DevTools command", '{"id":1,"method":"Browser.close"}'],
    ["a field out of range", '{"type":"mouse","action":"move","x":-1,"y":0}'],
    ["bytes", new Uint8Array([1, 2, 3])],
  ])("are closed with 1008 after sending %s", async (_, message) => {
    const viewer = await ViewerPage.open(url);
    await viewer.waitFor("welcome");
    viewer.sendRaw(message);
    expect(await viewer.closed).toMatchObject({ code: 1008 });
    expect(await hasEnded()).toBe(false);
  });

  it("release held keys when they disconnect", async () => {
    const viewer = await ViewerPage.open(url);
    await viewer.waitFor("tabs");
    viewer.send({ ...key, key: "Shift", code: "ShiftLeft", keyCode: 16, location: 1, action: "down" });
    await expect.poll(() => sent(/dispatchKeyEvent/).length).toBe(1);
    viewer.close();
    await expect
      .poll(() => sent(/dispatchKeyEvent/).map(({ params }) => params.type))
      .toEqual(["rawKeyDown", "keyUp"]);
  });

  it("are notified of a dialog and can answer it", async () => {
    const viewer = await ViewerPage.open(url);
    await viewer.waitFor("tabs");
    await runInSession(id, () =>
      browsers.browser(browserId).openDialog({ type: "prompt", message: "<b>Name?</b>", defaultPrompt: "x" }),
    );
    await expect.poll(() => viewer.of("dialog").at(-1)?.dialog).not.toBeNull();
    const { dialog } = viewer.of("dialog").at(-1) ?? {};
    const expected = { kind: "prompt", message: "<b>Name?</b>", defaultText: "x", url: "about:blank" };
    expect(dialog).toEqual({ id: expect.any(Number), ...expected });
    const number = dialog?.id ?? 0;
    viewer.send({ type: "answer-dialog", dialog: number + 1, accept: false });
    viewer.send({ type: "answer-dialog", dialog: number, accept: true, text: "Ada" });
    await expect.poll(() => viewer.of("dialog").at(-1)?.dialog).toBeNull();
    expect(sent(/handleJavaScriptDialog/).map(({ params }) => params)).toEqual([
      { accept: true, promptText: "Ada" },
    ]);
  });

  it("are notified of the cursor's position and visibility", async () => {
    const viewer = await ViewerPage.open(url);
    await viewer.waitFor("tabs");
    await client.post(`/browsers/${id}/computer/move_mouse`, { x: 7, y: 8 });
    await client.post(`/browsers/${id}/computer/cursor`, { hidden: true });
    await viewer.waitFor("cursor", 1);
    expect(viewer.of("cursor")).toEqual([
      { type: "cursor", x: 7, y: 8, hidden: false },
      { type: "cursor", x: 7, y: 8, hidden: true },
    ]);
    const late = await ViewerPage.open(url);
    expect(await late.waitFor("cursor")).toEqual({ type: "cursor", x: 7, y: 8, hidden: true });
  });
});

describe("screencast frames", () => {
  it("are sent to each viewer when it has drawn the previous one", async () => {
    const [quick, slow] = [await ViewerPage.open(url), await ViewerPage.open(url)];
    await waitForScreencast();
    for (const data of ["AAAA", "AQEB", "AgIC"]) {
      const before = quick.pictures.length;
      await castFrame(data);
      await expect.poll(() => quick.pictures.length).toBe(before + 1);
      quick.send({ type: "frame-drawn", frame: before + 1 });
      await quick.settled();
    }
    expect(quick.pictures.map((picture) => picture.slice(8).toBase64())).toEqual(["AAAA", "AQEB", "AgIC"]);
    expect(slow.pictures).toHaveLength(1);
    slow.send({ type: "frame-drawn", frame: 1 });
    await expect.poll(() => slow.pictures.length).toBe(2);
    expect(slow.pictures[1]?.slice(8).toBase64()).toBe("AgIC");
  });

  it("are requested and acknowledged only while viewers are connected", async () => {
    expect(sent(/Screencast/)).toEqual([]);
    const viewers = [await ViewerPage.open(url), await ViewerPage.open(url)];
    await waitForScreencast();
    await castFrame();
    await expect.poll(() => sent(/screencastFrameAck/).length).toBe(1);
    viewers[0]?.close();
    await viewers[0]?.closed;
    await viewers[1]?.settled();
    expect(sent(/stopScreencast/)).toEqual([]);
    viewers[1]?.close();
    await expect.poll(() => sent(/stopScreencast/).length).toBe(1);
    expect(sent(/startScreencast/)).toHaveLength(1);
  });

  it("are no wider than the largest viewer and the setting", async () => {
    const viewer = await ViewerPage.open(url);
    await waitForScreencast();
    viewer.send({ type: "frame-size", width: 500, height: 300 });
    const widths = () => sent(/startScreencast/).map(({ params }) => params.maxWidth);
    // A screencast restarts at most once per second.
    await expect.poll(widths, { timeout: 5000 }).toEqual([1280, 640]);
    await ViewerPage.open(url);
    await expect.poll(widths, { timeout: 5000 }).toEqual([1280, 640, 1280]);
    expect(sent(/startScreencast/)[2]?.params).toMatchObject({ format: "jpeg", quality: 60 });
  });
});

describe("viewers and the end of the session", () => {
  it("keep the session active until the last one disconnects", async () => {
    const viewers = [await ViewerPage.open(url), await ViewerPage.open(url, "&readOnly=true")];
    // `settled` sends pings, so that no viewer times out.
    for (let minute = 0; minute < 3; minute += 1) {
      advanceTime(20_000);
      await Promise.all(viewers.map((viewer) => viewer.settled()));
      await runAlarm(id);
      expect(await hasEnded()).toBe(false);
    }
    viewers[0]?.close();
    advanceTime(20_000);
    await viewers[1]?.settled();
    await runAlarm(id);
    expect(await hasEnded()).toBe(false);
    viewers[1]?.close();
    await expect
      .poll(() => runInSession(id, ({ kv }) => kv.get("activity")))
      .toEqual({ idleSince: Date.now() });
    advanceTime(29_000);
    await runAlarm(id);
    expect(await hasEnded()).toBe(false);
    advanceTime(1000);
    await runAlarm(id);
    expect(await readSessionRow(id)).toMatchObject({ state: "ended", endReason: "inactivity" });
  });

  it("are all notified of the reason and closed", async () => {
    const viewers = await Promise.all([1, 2, 3].map(() => ViewerPage.open(url)));
    await client.delete(`/browsers/${id}`);
    for (const viewer of viewers) {
      expect(await viewer.closed).toMatchObject({ code: 1001 });
      expect(viewer.messages.at(-1)).toEqual({
        type: "ended",
        cause: "session",
        reason: expect.stringContaining("deleted"),
      });
    }
    const late = await ViewerPage.open(url);
    expect(await late.closed).toMatchObject({ code: 1008 });
  });

  it("are notified when the browser was lost", async () => {
    const viewer = await ViewerPage.open(url);
    await waitForScreencast();
    await runInSession(id, () => browsers.kill(browserId));
    await viewer.closed;
    expect(viewer.messages.at(-1)).toMatchObject({ type: "ended" });
    expect(await readSessionRow(id)).toMatchObject({ endReason: "browser_lost" });
  });

  it("are closed when they stop sending pings", async () => {
    const [silent, alive] = [await ViewerPage.open(url), await ViewerPage.open(url)];
    await waitForScreencast();
    advanceTime(24_000);
    await alive.settled();
    advanceTime(2000);
    expect(await silent.closed).toMatchObject({ code: 1001 });
    await alive.settled();
    expect(alive.of("ended")).toEqual([]);
  });

  it("can connect after the session's object restarts", async () => {
    await restart(id);
    const viewer = await ViewerPage.open(url);
    await viewer.waitFor("tabs");
    viewer.send({ ...click, action: "down" });
    await expect.poll(() => sent(/dispatchMouseEvent/).length).toBe(2);
  });

  it("do not affect DevTools clients", async () => {
    const socket = await openSocket(cdpURL);
    const viewer = await ViewerPage.open(url);
    await viewer.waitFor("tabs");
    viewer.close();
    await viewer.closed;
    const answered = new Promise((resolve) => socket.addEventListener("message", resolve, { once: true }));
    socket.send('{"id":1,"method":"Browser.getVersion"}');
    await answered;
    socket.close(1000);
  });
});

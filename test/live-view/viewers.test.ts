import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { ViewerMessage } from "../../src/live-view/protocol.ts";
import { liveViewURLSchema } from "../../src/sessions/api/live-view-schema.ts";
import { type Client, newClient, openSocket } from "../api.ts";
import { useFakeBrowsers } from "../fakes/browser-binding.ts";
import { inside, passTime, restart, runAlarm } from "../objects.ts";
import { readSessionRow } from "../records.ts";
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
const isOver = async () => (await readSessionRow(id))?.state === "ended";
const castFrame = (data = "AAAA") =>
  inside(id, () => browsers.browser(browserId).castFrame(data, 1920, 1080));
/** Resolves when the screencast runs. */
const whenCast = () => expect.poll(() => sent(/startScreencast/).length).toBeGreaterThan(0);

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

/** One of everything that is meant for the browser, and the command that it comes to. */
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

describe("a viewer", () => {
  it("is told first what it may do, then of the tabs", async () => {
    const viewer = await ViewerPage.open(url);
    expect(await viewer.hear("tabs")).toEqual({
      type: "tabs",
      tabs: [{ id: "page-1", title: "t", url: "about:blank", isLoading: false, hasCrashed: false }],
      active: "page-1",
      canGoBack: false,
      canGoForward: false,
    });
    const viewport = { width: 1920, height: 1080 };
    expect(viewer.messages[0]).toEqual({ type: "welcome", mode: "control", kiosk: false, viewport });
  });

  it("is told of a kiosk and of another viewport", async () => {
    await createSession({ kiosk_mode: true, viewport: { width: 1024, height: 768 } });
    const viewer = await ViewerPage.open(url);
    expect(await viewer.hear("welcome")).toMatchObject({
      kiosk: true,
      viewport: { width: 1024, height: 768 },
    });
  });

  it.each(inputs)("in control does: %j", async (message, command) => {
    const viewer = await ViewerPage.open(url);
    await viewer.hear("tabs");
    sentBefore = browsers.commands.length;
    viewer.send(message);
    await expect.poll(() => sent(command).length).toBeGreaterThan(0);
    await viewer.settled();
    expect(viewer.of("refused")).toEqual([]);
  });

  it.each(["&readOnly=true", ""])("that only watches does nothing at all, by %j", async (query) => {
    const minted = await client.post(`/browsers/${id}/live_view_urls`, { mode: "watch" });
    const watchURL = minted.read(liveViewURLSchema).url;
    const viewer = await ViewerPage.open(query === "" ? watchURL : url, query);
    await viewer.hear("tabs");
    await whenCast();
    sentBefore = browsers.commands.length;
    for (const [message] of inputs) viewer.send(message);
    viewer.send({ type: "back" });
    viewer.send({ type: "answer-dialog", dialog: 1, accept: true });
    await viewer.settled();
    // What somebody else asks for now is done after all that was sent before.
    await client.post(`/browsers/${id}/computer/click_mouse`, { x: 77, y: 78 });
    const carriedOut = sent(/^Input\.|^Page\.(navigate|reload|close|stop\w+)|^Target\./);
    expect(carriedOut.map(({ params }) => [params.type, params.x])).toEqual([
      ["mouseMoved", 77],
      ["mousePressed", 77],
      ["mouseReleased", 77],
    ]);
  });

  it("in a kiosk has mouse and keyboard, but no tabs and no address bar", async () => {
    await createSession({ kiosk_mode: true });
    const viewer = await ViewerPage.open(url);
    await viewer.hear("tabs");
    await whenCast();
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
  ])("is refused the address %j, and told so", async (address) => {
    const viewer = await ViewerPage.open(url);
    await viewer.hear("tabs");
    viewer.send({ type: "navigate", url: address });
    expect((await viewer.hear("refused")).message).toContain("http");
    expect(sent(/^Page\.navigate$/)).toEqual([]);
  });

  it.each<[string, string | Uint8Array]>([
    ["no JSON", "hello"],
    ["nothing", ""],
    ["JSON that is no message", "[]"],
    ["an unknown type", '{"type":"evaluate","expression":"1"}'],
    ["a DevTools command", '{"id":1,"method":"Browser.close"}'],
    ["a field out of range", '{"type":"mouse","action":"move","x":-1,"y":0}'],
    ["bytes", new Uint8Array([1, 2, 3])],
  ])("that sends %s is closed with 1008", async (_, message) => {
    const viewer = await ViewerPage.open(url);
    await viewer.hear("welcome");
    viewer.sendRaw(message);
    expect(await viewer.closed).toMatchObject({ code: 1008 });
    expect(await isOver()).toBe(false);
  });

  it("lets go of the keys that it held when it leaves", async () => {
    const viewer = await ViewerPage.open(url);
    await viewer.hear("tabs");
    viewer.send({ ...key, key: "Shift", code: "ShiftLeft", keyCode: 16, location: 1, action: "down" });
    await expect.poll(() => sent(/dispatchKeyEvent/).length).toBe(1);
    viewer.close();
    await expect
      .poll(() => sent(/dispatchKeyEvent/).map(({ params }) => params.type))
      .toEqual(["rawKeyDown", "keyUp"]);
  });

  it("is told of a dialog, and answers it", async () => {
    const viewer = await ViewerPage.open(url);
    await viewer.hear("tabs");
    await inside(id, () =>
      browsers.browser(browserId).openDialog({ type: "prompt", message: "<b>Name?</b>", defaultPrompt: "x" }),
    );
    await expect.poll(() => viewer.of("dialog").at(-1)?.dialog).not.toBeNull();
    const { dialog } = viewer.of("dialog").at(-1) ?? {};
    const told = { kind: "prompt", message: "<b>Name?</b>", defaultText: "x", url: "about:blank" };
    expect(dialog).toEqual({ id: expect.any(Number), ...told });
    const number = dialog?.id ?? 0;
    viewer.send({ type: "answer-dialog", dialog: number + 1, accept: false });
    viewer.send({ type: "answer-dialog", dialog: number, accept: true, text: "Ada" });
    await expect.poll(() => viewer.of("dialog").at(-1)?.dialog).toBeNull();
    expect(sent(/handleJavaScriptDialog/).map(({ params }) => params)).toEqual([
      { accept: true, promptText: "Ada" },
    ]);
  });

  it("is told where the mouse is, whoever moves it, and whether it is shown", async () => {
    const viewer = await ViewerPage.open(url);
    await viewer.hear("tabs");
    await client.post(`/browsers/${id}/computer/move_mouse`, { x: 7, y: 8 });
    await client.post(`/browsers/${id}/computer/cursor`, { hidden: true });
    await viewer.hear("cursor", 1);
    expect(viewer.of("cursor")).toEqual([
      { type: "cursor", x: 7, y: 8, hidden: false },
      { type: "cursor", x: 7, y: 8, hidden: true },
    ]);
    const late = await ViewerPage.open(url);
    expect(await late.hear("cursor")).toEqual({ type: "cursor", x: 7, y: 8, hidden: true });
  });
});

describe("frames", () => {
  it("come to every viewer, each when it has drawn the one before", async () => {
    const [quick, slow] = [await ViewerPage.open(url), await ViewerPage.open(url)];
    await whenCast();
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

  it("are asked for and acknowledged only while somebody looks", async () => {
    expect(sent(/Screencast/)).toEqual([]);
    const viewers = [await ViewerPage.open(url), await ViewerPage.open(url)];
    await whenCast();
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

  it("are no wider than the largest viewer draws, and than the setting allows", async () => {
    const viewer = await ViewerPage.open(url);
    await whenCast();
    viewer.send({ type: "frame-size", width: 500, height: 300 });
    const widths = () => sent(/startScreencast/).map(({ params }) => params.maxWidth);
    // A screencast is not begun anew more often than every second.
    await expect.poll(widths, { timeout: 5000 }).toEqual([1280, 640]);
    await ViewerPage.open(url);
    await expect.poll(widths, { timeout: 5000 }).toEqual([1280, 640, 1280]);
    expect(sent(/startScreencast/)[2]?.params).toMatchObject({ format: "jpeg", quality: 60 });
  });
});

describe("viewers and the session's life", () => {
  it("count as activity while they look, and the clock starts anew when the last one leaves", async () => {
    const viewers = [await ViewerPage.open(url), await ViewerPage.open(url, "&readOnly=true")];
    // Their pages send pings: nobody is silent.
    for (let minute = 0; minute < 3; minute += 1) {
      passTime(20_000);
      await Promise.all(viewers.map((viewer) => viewer.settled()));
      await runAlarm(id);
      expect(await isOver()).toBe(false);
    }
    viewers[0]?.close();
    passTime(20_000);
    await viewers[1]?.settled();
    await runAlarm(id);
    expect(await isOver()).toBe(false);
    viewers[1]?.close();
    await expect.poll(() => inside(id, ({ kv }) => kv.get("activity"))).toEqual({ idleSince: Date.now() });
    passTime(29_000);
    await runAlarm(id);
    expect(await isOver()).toBe(false);
    passTime(1000);
    await runAlarm(id);
    expect(await readSessionRow(id)).toMatchObject({ state: "ended", endReason: "inactivity" });
  });

  it("are told that it ended and why, all of them, and closed", async () => {
    const viewers = await Promise.all([1, 2, 3].map(() => ViewerPage.open(url)));
    await client.delete(`/browsers/${id}`);
    for (const viewer of viewers) {
      expect(await viewer.closed).toMatchObject({ code: 1001 });
      expect(viewer.messages.at(-1)).toEqual({ type: "ended", reason: expect.stringContaining("deleted") });
    }
    const late = await ViewerPage.open(url);
    expect(await late.closed).toMatchObject({ code: 1008 });
  });

  it("are told that the browser was lost", async () => {
    const viewer = await ViewerPage.open(url);
    await whenCast();
    await inside(id, () => browsers.kill(browserId));
    await viewer.closed;
    expect(viewer.messages.at(-1)).toMatchObject({ type: "ended" });
    expect(await readSessionRow(id)).toMatchObject({ endReason: "browser_lost" });
  });

  it("that were not heard for long are taken for gone; those that send pings are not", async () => {
    const [silent, alive] = [await ViewerPage.open(url), await ViewerPage.open(url)];
    await whenCast();
    passTime(24_000);
    await alive.settled();
    passTime(2000);
    expect(await silent.closed).toMatchObject({ code: 1001 });
    await alive.settled();
    expect(alive.of("ended")).toEqual([]);
  });

  it("that connect after the session's object was restarted see and do as before", async () => {
    await restart(id);
    const viewer = await ViewerPage.open(url);
    await viewer.hear("tabs");
    viewer.send({ ...click, action: "down" });
    await expect.poll(() => sent(/dispatchMouseEvent/).length).toBe(2);
  });

  it("leave a DevTools client beside them alone", async () => {
    const socket = await openSocket(cdpURL);
    const viewer = await ViewerPage.open(url);
    await viewer.hear("tabs");
    viewer.close();
    await viewer.closed;
    const answered = new Promise((resolve) => socket.addEventListener("message", resolve, { once: true }));
    socket.send('{"id":1,"method":"Browser.getVersion"}');
    await answered;
    socket.close(1000);
  });
});

import { BadRequestError } from "@onkernel/sdk";
import { chromium } from "playwright-core";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { type Pages, recordingPage } from "./computer-pages.ts";
import { ComputerSession, openComputer, type PageView, VIEWPORT } from "./computer-session.ts";
import type { SharedService } from "./shared-service.ts";

const SIZES = [
  [2560, 1440],
  [1920, 1080],
  [1920, 1200],
  [1440, 900],
  [1200, 800],
  [1024, 768],
] as const;

const box = (place: string, color: string) =>
  `<div class="at" style="${place}; width: 20px; height: 10px; background: ${color}"></div>`;

const PAGES = {
  "/boxes": recordingPage(
    `<style>html { background: #ffffff }</style>
     ${box("left: 0; top: 0", "#ff0000")} ${box("right: 0; top: 0", "#00ff00")}
     ${box("left: 0; top: 758px", "#0000ff")} ${box("left: 333px; top: 222px", "#123456")}`,
  ),
  "/corners": recordingPage(
    `<style>html { background: #ffffff } .at { position: fixed }</style>
     ${box("left: 0; top: 0", "#ff0000")} ${box("right: 0; top: 0", "#00ff00")}
     ${box("left: 0; bottom: 0", "#0000ff")} ${box("right: 0; bottom: 0", "#123456")}`,
  ),
  "/long": recordingPage(
    `<style>html { background: #ffffff } body { height: 5000px; width: 3000px; overflow: hidden }
       ::-webkit-scrollbar { display: none }</style>
     ${box("left: 1500px; top: 2000px", "#ff0000")}`,
  ),
  "/text": recordingPage('<textarea id="text" autofocus></textarea>'),
};

let service: SharedService;
let site: Pages;
let session: ComputerSession;
let page: PageView;

beforeAll(async () => {
  const computer = await openComputer(PAGES);
  ({ service, site, session, page } = computer);
  return () => computer[Symbol.asyncDispose]();
});

async function open(path: keyof typeof PAGES): Promise<void> {
  await page.open(site.origin + path);
}

describe("screenshots", () => {
  test("match the page pixel by pixel", async () => {
    await open("/boxes");
    const picture = await session.screenshot();
    expect({ width: picture.width, height: picture.height }).toEqual(VIEWPORT);
    const seen = Object.fromEntries(
      [
        [0, 0],
        [19, 9],
        [20, 9],
        [19, 10],
        [1004, 0],
        [1003, 0],
        [1023, 9],
        [0, 767],
        [0, 757],
        [333, 222],
        [352, 231],
        [332, 222],
        [333, 221],
        [353, 231],
        [352, 232],
        [1023, 767],
      ].map(([x = 0, y = 0]) => [`${x},${y}`, picture.pixel(x, y)]),
    );
    expect(seen).toEqual({
      "0,0": "#ff0000",
      "19,9": "#ff0000",
      "20,9": "#ffffff",
      "19,10": "#ffffff",
      "1004,0": "#00ff00",
      "1003,0": "#ffffff",
      "1023,9": "#00ff00",
      "0,767": "#0000ff",
      "0,757": "#ffffff",
      "333,222": "#123456",
      "352,231": "#123456",
      "332,222": "#ffffff",
      "333,221": "#ffffff",
      "353,231": "#ffffff",
      "352,232": "#ffffff",
      "1023,767": "#ffffff",
    });
  });

  test("are relative to the viewport in a scrolled page", async () => {
    await open("/long");
    await page.evaluate("scrollTo(1400, 1900)");
    await page.waitForTrue("scrollX === 1400 && scrollY === 1900");
    const whole = await session.screenshot();
    expect([whole.pixel(100, 100), whole.pixel(119, 109), whole.pixel(99, 99)]).toEqual([
      "#ff0000",
      "#ff0000",
      "#ffffff",
    ]);
    const region = await session.screenshot({ x: 98, y: 97, width: 30, height: 30 });
    expect([region.width, region.height]).toEqual([30, 30]);
    expect([region.pixel(2, 3), region.pixel(21, 12), region.pixel(1, 3), region.pixel(2, 2)]).toEqual([
      "#ff0000",
      "#ff0000",
      "#ffffff",
      "#ffffff",
    ]);
    expect(await page.evaluate("[scrollX, scrollY]")).toEqual([1400, 1900]);
  });

  test.each([
    { x: 0, y: 0, width: 1025, height: 10 },
    { x: 1020, y: 0, width: 5, height: 10 },
    { x: 0, y: 700, width: 10, height: 69 },
    { x: -1, y: 0, width: 10, height: 10 },
    { x: 0, y: 0, width: 0, height: 10 },
  ])("reject the region %j", async (region) => {
    await expect(session.screenshot(region)).rejects.toThrow(BadRequestError);
  });

  test("cause no events in the page", async () => {
    await open("/boxes");
    await page.evaluate(
      "onresize = onfocus = onblur = onvisibilitychange = (event) => events.push(event.type)",
    );
    await session.screenshot();
    await session.screenshot({ x: 10, y: 10, width: 20, height: 20 });
    expect(await page.takeEvents()).toEqual([]);
  });
});

describe.each([false, true])("resizing a session, headless: %s", (headless) => {
  const readSizes = (view: PageView) =>
    view.evaluate("[innerWidth, innerHeight, screen.width, screen.height].join(' ')");

  test("applies the size to open and new tabs", async () => {
    await using resized = await ComputerSession.open(service, {
      headless,
      viewport: { width: 1440, height: 900 },
    });
    const view = await resized.page();
    await view.goto(`${site.origin}/corners`);
    for (const [width, height] of SIZES) {
      await resized.resize(width, height);
      const size = `${width} ${height} ${width} ${height}`;
      await expect.poll(() => readSizes(view)).toBe(size);
      const picture = await resized.screenshot();
      expect([picture.width, picture.height]).toEqual([width, height]);
      const [right, bottom] = [width - 1, height - 1];
      const corners = [picture.pixel(0, 0), picture.pixel(right, 0)];
      corners.push(picture.pixel(0, bottom), picture.pixel(right, bottom));
      expect(corners).toEqual(["#ff0000", "#00ff00", "#0000ff", "#123456"]);
      await resized.click(right, bottom);
      expect(await resized.mousePosition()).toEqual([right, bottom]);
      await expect(resized.click(width, 0)).rejects.toThrow(BadRequestError);
      const later = await resized.newPage(`${site.origin}/corners`);
      expect(await readSizes(later)).toBe(size);
      await resized.closeOtherTabs(view);
    }
  });

  test("also resizes background tabs", async () => {
    await using resized = await ComputerSession.open(service, { headless });
    const background = await resized.page();
    const front = await resized.newPage(`${site.origin}/corners`);
    await resized.resize(1200, 800);
    await expect.poll(() => readSizes(front)).toBe("1200 800 1200 800");
    await resized.press("Ctrl+1");
    await expect.poll(() => readSizes(background)).toBe("1200 800 1200 800");
  });

  test("rejects an unsupported size", async () => {
    await using resized = await ComputerSession.open(service, { headless });
    await expect(resized.resize(1000, 700)).rejects.toThrow(/2560x1440@10.*1200x800@60/);
    expect((await resized.screenshot()).width).toBe(VIEWPORT.width);
  });
});

describe("the pointer", () => {
  test("can be shown and hidden", async () => {
    expect(await session.setCursor(true)).toEqual({ ok: true });
    expect(await session.setCursor(false)).toEqual({ ok: true });
  });

  test("stays where the last action moved it", async () => {
    await using fresh = await ComputerSession.open(service);
    expect(await fresh.mousePosition()).toEqual([0, 0]);
    await fresh.move(12, 34);
    expect(await fresh.mousePosition()).toEqual([12, 34]);
    await fresh.click(56, 78);
    expect(await fresh.mousePosition()).toEqual([56, 78]);
    await fresh.scroll(90, 12, { delta_y: 1 });
    expect(await fresh.mousePosition()).toEqual([90, 12]);
    await fresh.drag(
      [
        [1, 2],
        [3, 4],
      ],
      { smooth: false, steps_per_segment: 1 },
    );
    expect(await fresh.mousePosition()).toEqual([3, 4]);
  });
});

describe("concurrent requests", () => {
  beforeEach(() => open("/text"));

  test("do not interleave", async () => {
    // The requests use several connections, so they may arrive in any order.
    const words = Array.from({ length: 40 }, (_, index) => `word${index} `);
    await Promise.all(words.map((word) => session.type(word)));
    const typed = z.string().parse(await page.evaluate("text.value"));
    expect(typed.match(/word\d+ /g)?.toSorted()).toEqual(words.toSorted());
    expect(typed).toHaveLength(words.join("").length);
  });

  test("run in the order of their arrival", async () => {
    const slow = session.type("a slow one, ", 40);
    await page.waitForTrue("text.value.length > 1");
    const next = session.press("Home");
    await Promise.all([slow, next]);
    await session.type("first ");
    expect(await page.evaluate("text.value")).toBe("first a slow one, ");
  });
});

describe("batches", () => {
  beforeEach(() => open("/text"));

  test("run their actions in order, including sleeps", async () => {
    await session.batch(
      { type: "move_mouse", move_mouse: { x: 600, y: 600 } },
      { type: "type_text", type_text: { text: "ab" } },
      { type: "sleep", sleep: { duration_ms: 200 } },
      { type: "press_key", press_key: { keys: ["BackSpace", "c"] } },
      { type: "set_cursor", set_cursor: { hidden: true } },
      { type: "scroll", scroll: { x: 610, y: 610, delta_y: 1 } },
      {
        type: "drag_mouse",
        drag_mouse: {
          path: [
            [620, 620],
            [630, 630],
          ],
          smooth: false,
        },
      },
      { type: "click_mouse", click_mouse: { x: 640, y: 640, button: "right" } },
    );
    const times = z.array(z.number()).parse(await page.evaluate("[...times]"));
    const events = await page.takeEvents();
    const names = events.map((event) => event.split(" ").slice(0, 2).join(" "));
    const expected = [
      "keydown a",
      "keydown b",
      "keydown Backspace",
      "keydown c",
      "mousedown left",
      "mousedown right",
    ];
    expect(names.filter((name) => /^(keydown|mousedown)/.test(name))).toEqual(expected);
    const [before = 0, after = 0] = [
      times[names.indexOf("keydown b")],
      times[names.indexOf("keydown Backspace")],
    ];
    expect(after - before).toBeGreaterThan(150);
    expect(await page.evaluate("text.value")).toBe("ac");
    expect(await session.mousePosition()).toEqual([640, 640]);
  });

  test.each([
    ["position", { type: "click_mouse", click_mouse: { x: 5000, y: 1 } }, "actions.1.click_mouse.x"],
    ["key", { type: "press_key", press_key: { keys: ["a", "Foobar"] } }, "Foobar"],
    ["field", { type: "sleep", sleep: { duration_ms: -1 } }, "actions.1"],
  ] as const)("with an invalid %s have no effect", async (_, invalid, reported) => {
    const action =
      invalid.type === "press_key"
        ? { ...invalid, press_key: { keys: [...invalid.press_key.keys] } }
        : invalid;
    const done = session.batch({ type: "type_text", type_text: { text: "no" } }, action);
    await expect(done).rejects.toThrow(BadRequestError);
    await expect(done).rejects.toThrow(reported);
    expect(await page.takeEvents()).toEqual([]);
  });

  test("without actions are rejected", async () => {
    await expect(session.batch()).rejects.toThrow(BadRequestError);
  });
});

describe("the clipboard", () => {
  test.each([
    ["text", "hello"],
    ["an empty text", ""],
    ["many scripts", "é Ελλ Кир עב हि ไท 漢字 한글 😀👩‍👩‍👧‍👦 \u0301"],
    ["lines and tabs", "one\n\ttwo\n\nfour "],
    ["markup", '<b>bold</b> & "quoted" \\ $x'],
    ["100 kB", "0123456789".repeat(10_000)],
  ])("stores %s", async (_, text) => {
    await session.writeClipboard("something else");
    await session.writeClipboard(text);
    expect(await session.readClipboard()).toBe(text);
  });

  test("does not change focus or open tabs", async () => {
    await open("/text");
    const browser = await chromium.connectOverCDP(session.address);
    const context = browser.contexts()[0];
    if (context === undefined) throw new Error("The session has no context");
    const before = context.pages();
    const opened: string[] = [];
    context.on("page", (page) => opened.push(page.url()));
    await page.evaluate("onblur = onfocus = onvisibilitychange = (event) => events.push(event.type)");
    await session.writeClipboard("quietly");
    expect(await session.readClipboard()).toBe("quietly");
    expect(await page.takeEvents()).toEqual([]);
    expect(await page.evaluate("document.hasFocus() && document.activeElement === text")).toBe(true);
    await session.type("typed");
    expect(await page.evaluate("text.value")).toBe("typed");
    expect(context.pages()).toEqual(before);
    expect(opened).toEqual([]);
    await browser.close();
  });

  test("rejects more than 500,000 characters", async () => {
    await expect(session.writeClipboard("x".repeat(500_001))).rejects.toThrow(BadRequestError);
  });
});

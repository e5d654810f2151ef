import { chromium } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Pages, recordingPage, servePages } from "./computer-pages.ts";
import { ComputerSession, type PageView } from "./computer-session.ts";
import { SharedService } from "./shared-service.ts";

const COLORS = { "/a": "#ff0000", "/b": "#008000", "/c": "#0000ff" } as const;

type Path = keyof typeof COLORS;
type ClickOptions = Parameters<ComputerSession["click"]>[2];

const background = (path: Path) => `<style>html { background: ${COLORS[path]} }</style>`;

const PAGES = {
  "/a": recordingPage(
    `${background("/a")}
     <a id="link" class="at" style="left: 100px; top: 100px" href="/b">link</a>
     <a id="blank" class="at" style="left: 100px; top: 150px" href="/b" target="_blank">blank</a>
     <button id="open" class="at" style="left: 100px; top: 200px" onclick="window.open('/b')">open</button>
     <button id="popup" class="at" style="left: 100px; top: 250px"
       onclick="window.open('/b', '', 'width=500,height=400')">popup</button>`,
  ),
  "/b": recordingPage(background("/b")),
  "/c": recordingPage(background("/c")),
};

let service: SharedService;
let site: Pages;
let session: ComputerSession;
/** The tab that each test begins with, at /a. */
let first: PageView;

beforeAll(async () => {
  [service, site] = await Promise.all([SharedService.use(), servePages(PAGES)]);
});
afterAll(async () => {
  await site[Symbol.asyncDispose]();
  await service.end();
});

function at(path: Path): string {
  return site.origin + path;
}

/** The tab that was opened at that address, once it has loaded. */
async function opened(path: Path): Promise<PageView> {
  const page = await session.page(at(path));
  await page.untilLoaded();
  return page;
}

async function clickOn(selector: string, options: ClickOptions = {}): Promise<void> {
  await session.click(...(await first.middleOf(selector)), options);
}

/** Proves that input goes to the tab at that address, and to no other, and that a screenshot shows it. */
async function expectInFront(path: Path): Promise<void> {
  const pages: PageView[] = [];
  for (const url of await session.urls()) pages.push(await session.page(url));
  for (const page of pages) await page.takeEvents();
  await session.press("x");
  const heard: unknown[] = [];
  for (const page of pages) {
    const events = await page.takeEvents("keydown");
    if (events.length > 0) heard.push(await page.evaluate("location.pathname"));
  }
  expect(heard).toEqual([path]);
  const picture = await session.screenshot({ x: 0, y: 0, width: 10, height: 10 });
  expect(picture.pixel(5, 5)).toBe(COLORS[path]);
}

describe.each([
  ["without a client that emulates focus", false],
  ["with a Playwright client", true],
])("in front, %s, is", (_, withPlaywright) => {
  beforeAll(async () => {
    session = await ComputerSession.open(service);
    const browser = withPlaywright ? await chromium.connectOverCDP(session.address) : undefined;
    return async () => {
      await browser?.close();
      await session[Symbol.asyncDispose]();
    };
  });
  beforeEach(async () => {
    first = await session.newPage(at("/a"));
    await session.closeOthers(first);
  });

  test("the only tab", () => expectInFront("/a"));

  test.each(["#blank", "#open", "#popup"])("what a click on %s opens", async (selector) => {
    await clickOn(selector);
    await opened("/b");
    await expectInFront("/b");
  });

  test.each<[string, ClickOptions]>([
    ["a middle click", { button: "middle" }],
    ["Ctrl and a click", { hold_keys: ["Ctrl"] }],
  ])("still the same tab after %s on a link", async (_, options) => {
    await clickOn("#link", options);
    await opened("/b");
    await expectInFront("/a");
    await session.press("Ctrl+Tab");
    await expectInFront("/b");
    await session.press("Ctrl+1");
    await expectInFront("/a");
  });

  test("what Ctrl, Shift and a click on a link opens", async () => {
    await clickOn("#link", { hold_keys: ["Ctrl", "Shift"] });
    await opened("/b");
    await expectInFront("/b");
  });

  test("a tab of a client's, and after its bringToFront the other", async () => {
    const second = await session.newPage(at("/b"));
    await expectInFront("/b");
    await first.send("Page.bringToFront");
    await expectInFront("/a");
    await session.client.send("Target.activateTarget", { targetId: second.targetId });
    await expectInFront("/b");
  });

  test("not one that a client opens behind", async () => {
    await expectInFront("/a");
    await session.client.send("Target.createTarget", { url: at("/b"), background: true });
    await opened("/b");
    await expectInFront("/a");
  });

  test("the next one, when the one in front is closed", async () => {
    const second = await session.newPage(at("/b"));
    const third = await session.newPage(at("/c"));
    await session.client.send("Target.closeTarget", { targetId: third.targetId });
    await expect.poll(() => session.urls()).toHaveLength(2);
    await expectInFront("/b");
    await session.client.send("Target.closeTarget", { targetId: second.targetId });
    await expect.poll(() => session.urls()).toHaveLength(1);
    await expectInFront("/a");
  });

  test("the neighbour, when a tab in the middle is closed", async () => {
    await session.newPage(at("/b"));
    await session.newPage(at("/c"));
    await session.client.send("Target.activateTarget", { targetId: first.targetId });
    await expectInFront("/a");
    await session.client.send("Target.closeTarget", { targetId: first.targetId });
    await expect.poll(() => session.urls()).toHaveLength(2);
    await expectInFront("/b");
  });

  test("the opener, when a page closes itself", async () => {
    await clickOn("#open");
    const second = await opened("/b");
    await expectInFront("/b");
    await second.evaluate("setTimeout(() => window.close())");
    await expect.poll(() => session.urls()).toHaveLength(1);
    await expectInFront("/a");
  });

  test("unchanged after another client has come and left", async () => {
    await session.newPage(at("/b"));
    const other = await chromium.connectOverCDP(session.address);
    await other.close();
    await expectInFront("/b");
    await first.send("Page.bringToFront");
    await expectInFront("/a");
  });
});

test("in front is what Playwright opens, and what it brings there", async () => {
  session = await ComputerSession.open(service, { start_url: at("/a") });
  await using _end = session;
  const browser = await chromium.connectOverCDP(session.address);
  const context = browser.contexts()[0];
  const page = context?.pages()[0];
  if (context === undefined || page === undefined) throw new Error("the session has no page");
  await page.waitForURL(at("/a"));
  const second = await context.newPage();
  await second.goto(at("/b"));
  await expectInFront("/b");
  await page.bringToFront();
  await expectInFront("/a");
  await second.bringToFront();
  await expectInFront("/b");
  await second.close();
  await expectInFront("/a");
  await browser.close();
});

import { chromium } from "playwright-core";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { keepForFile } from "../outside/keep-for-file.ts";
import { recordingPage, servePages } from "./computer-pages.ts";
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

let session: ComputerSession;
/** The tab that each test starts with, at /a. */
let first: PageView;

const service = await SharedService.use();
const site = keepForFile(await servePages(PAGES));

function at(path: Path): string {
  return site.origin + path;
}

async function waitForTab(path: Path): Promise<PageView> {
  const page = await session.page(at(path));
  await page.waitForLoad();
  return page;
}

async function clickOn(selector: string, options: ClickOptions = {}): Promise<void> {
  await session.click(...(await first.centerOf(selector)), options);
}

/** Checks that only this tab receives input, and that a screenshot shows it. */
async function expectActive(path: Path): Promise<void> {
  const pages: PageView[] = [];
  for (const url of await session.urls()) pages.push(await session.page(url));
  for (const page of pages) await page.takeEvents();
  await session.press("x");
  const receivers: unknown[] = [];
  for (const page of pages) {
    const events = await page.takeEvents("keydown");
    if (events.length > 0) receivers.push(await page.evaluate("location.pathname"));
  }
  expect(receivers).toEqual([path]);
  const picture = await session.screenshot({ x: 0, y: 0, width: 10, height: 10 });
  expect(picture.pixel(5, 5)).toBe(COLORS[path]);
}

describe.each([
  ["without a client that emulates focus", false],
  ["with a Playwright client", true],
])("the active tab %s", (_, withPlaywright) => {
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
    await session.closeOtherTabs(first);
  });

  test("is the only tab", () => expectActive("/a"));

  test.each(["#blank", "#open", "#popup"])("is the one that a click on %s opens", async (selector) => {
    await clickOn(selector);
    await waitForTab("/b");
    await expectActive("/b");
  });

  test.each<[string, ClickOptions]>([
    ["a middle click", { button: "middle" }],
    ["a Ctrl+click", { hold_keys: ["Ctrl"] }],
  ])("does not change after %s on a link", async (_, options) => {
    await clickOn("#link", options);
    await waitForTab("/b");
    await expectActive("/a");
    await session.press("Ctrl+Tab");
    await expectActive("/b");
    await session.press("Ctrl+1");
    await expectActive("/a");
  });

  test("is the one that a Ctrl+Shift+click on a link opens", async () => {
    await clickOn("#link", { hold_keys: ["Ctrl", "Shift"] });
    await waitForTab("/b");
    await expectActive("/b");
  });

  test("is the one that a client opens, brings to front or activates", async () => {
    const second = await session.newPage(at("/b"));
    await expectActive("/b");
    await first.send("Page.bringToFront");
    await expectActive("/a");
    await session.client.send("Target.activateTarget", { targetId: second.targetId });
    await expectActive("/b");
  });

  test("does not change when a client opens a background tab", async () => {
    await expectActive("/a");
    await session.client.send("Target.createTarget", { url: at("/b"), background: true });
    await waitForTab("/b");
    await expectActive("/a");
  });

  test("is the previous one after the last one is closed", async () => {
    const second = await session.newPage(at("/b"));
    const third = await session.newPage(at("/c"));
    await session.client.send("Target.closeTarget", { targetId: third.targetId });
    await expect.poll(() => session.urls()).toHaveLength(2);
    await expectActive("/b");
    await session.client.send("Target.closeTarget", { targetId: second.targetId });
    await expect.poll(() => session.urls()).toHaveLength(1);
    await expectActive("/a");
  });

  test("is the neighbor after a tab is closed", async () => {
    await session.newPage(at("/b"));
    await session.newPage(at("/c"));
    await session.client.send("Target.activateTarget", { targetId: first.targetId });
    await expectActive("/a");
    await session.client.send("Target.closeTarget", { targetId: first.targetId });
    await expect.poll(() => session.urls()).toHaveLength(2);
    await expectActive("/b");
  });

  test("is the opener after a page closes itself", async () => {
    await clickOn("#open");
    const second = await waitForTab("/b");
    await expectActive("/b");
    await second.evaluate("setTimeout(() => window.close())");
    await expect.poll(() => session.urls()).toHaveLength(1);
    await expectActive("/a");
  });

  test("does not change when another client connects and disconnects", async () => {
    await session.newPage(at("/b"));
    const other = await chromium.connectOverCDP(session.address);
    await other.close();
    await expectActive("/b");
    await first.send("Page.bringToFront");
    await expectActive("/a");
  });
});

test("Playwright activates the tabs that it opens or brings to front", async () => {
  session = await ComputerSession.open(service, { start_url: at("/a") });
  await using _end = session;
  const browser = await chromium.connectOverCDP(session.address);
  const context = browser.contexts()[0];
  const page = context?.pages()[0];
  if (context === undefined || page === undefined) throw new Error("The session has no page");
  await page.waitForURL(at("/a"));
  const second = await context.newPage();
  await second.goto(at("/b"));
  await expectActive("/b");
  await page.bringToFront();
  await expectActive("/a");
  await second.bringToFront();
  await expectActive("/b");
  await second.close();
  await expectActive("/a");
  await browser.close();
});

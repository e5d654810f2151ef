import { chromium, type Page } from "playwright-core";
import { beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { keepForFile } from "../outside/keep-for-file.ts";
import { firstPage } from "./connect-page.ts";
import { DevToolsClient } from "./devtools-client.ts";
import { decodedSize } from "./png.ts";
import { SharedService } from "./shared-service.ts";
import { openSite } from "./site.ts";

const VIEWPORT = { width: 1200, height: 800 };

const targetListSchema = z.array(
  z.object({ id: z.string(), type: z.string(), url: z.string(), webSocketDebuggerUrl: z.string() }),
);

let address: string;

const service = await SharedService.use();
const site = keepForFile(await openSite());
beforeEach(async () => {
  const kernel = service.kernel();
  const { session_id, cdp_ws_url } = await kernel.browsers.create({ viewport: VIEWPORT });
  address = cdp_ws_url;
  return () => kernel.browsers.deleteByID(session_id);
});

function innerSize(page: Page): Promise<{ width: number; height: number }> {
  return page.evaluate("({ width: innerWidth, height: innerHeight })");
}

describe("Playwright", () => {
  test("takes a screenshot of the viewport's size", async () => {
    const browser = await chromium.connectOverCDP(address);
    const page = firstPage(browser);
    await page.goto(site.origin);
    expect(decodedSize(await page.screenshot())).toEqual(VIEWPORT);
    await browser.close();
  });

  test("follows a popup", async () => {
    const browser = await chromium.connectOverCDP(address);
    const page = firstPage(browser);
    await page.goto(site.origin);
    const [popup] = await Promise.all([page.waitForEvent("popup"), page.click("#popup")]);
    await popup.waitForLoadState();
    expect(await popup.title()).toBe("Popup");
    expect(await popup.opener()).toBe(page);
    await browser.close();
  });

  test("fulfills routed requests", async () => {
    const browser = await chromium.connectOverCDP(address);
    const page = firstPage(browser);
    await page.route("**/popup", (route) => route.fulfill({ body: "<title>Routed</title>" }));
    await page.goto(`${site.origin}/popup`);
    expect(await page.title()).toBe("Routed");
    await page.unroute("**/popup");
    await page.goto(`${site.origin}/popup`);
    expect(await page.title()).toBe("Popup");
    await browser.close();
  });

  test("isolates contexts", async () => {
    const browser = await chromium.connectOverCDP(address);
    const page = firstPage(browser);
    await page.goto(site.origin);
    await page.evaluate("document.cookie = 'seen=yes'");
    const context = await browser.newContext();
    const isolated = await context.newPage();
    await isolated.goto(site.origin);
    expect(await isolated.evaluate("document.cookie")).toBe("");
    expect(await page.evaluate("document.cookie")).toBe("seen=yes");
    await context.close();
    expect(browser.contexts()).toHaveLength(1);
    await browser.close();
  });

  test("finds the viewport in every tab, also after another client has resized it", async () => {
    const browser = await chromium.connectOverCDP(address);
    const first = firstPage(browser);
    expect(await innerSize(first)).toEqual(VIEWPORT);
    const later = await first.context().newPage();
    expect(await innerSize(later)).toEqual(VIEWPORT);
    const context = await browser.newContext({ viewport: null });
    const isolated = await context.newPage();
    await isolated.goto(site.origin);
    expect(await innerSize(isolated)).toEqual(VIEWPORT);

    const other = await chromium.connectOverCDP(address);
    await firstPage(other).setViewportSize({ width: 640, height: 480 });
    expect(await innerSize(firstPage(other))).toEqual({ width: 640, height: 480 });
    await other.close();
    // The other client's emulation ends shortly after its connection.
    await expect.poll(() => innerSize(first)).toEqual(VIEWPORT);
    expect(await innerSize(later)).toEqual(VIEWPORT);
    expect(await innerSize(await first.context().newPage())).toEqual(VIEWPORT);
    await browser.close();
  });

  test("connects by the http URL", async () => {
    const browser = await chromium.connectOverCDP(address.replace(/^ws/, "http"));
    const page = firstPage(browser);
    await page.goto(site.origin);
    expect(await page.title()).toBe("Home");
    await browser.close();
  });

  test("shares a session with another client", async () => {
    const [one, two] = await Promise.all([
      chromium.connectOverCDP(address),
      chromium.connectOverCDP(address),
    ]);
    await firstPage(one).goto(site.origin);
    await firstPage(two).waitForURL(`${site.origin}/`);
    await Promise.all([firstPage(one).click("#count"), firstPage(two).fill("input", "both")]);
    expect(await firstPage(two).textContent("#count")).toBe("1");
    expect(await firstPage(one).inputValue("input")).toBe("both");
    await one.close();
    expect(await firstPage(two).title()).toBe("Home");
    await two.close();
  });

  test("close() ends only the connection: later clients find the page", async () => {
    const first = await chromium.connectOverCDP(address);
    await firstPage(first).goto(site.origin);
    await first.close();
    expect(first.isConnected()).toBe(false);
    for (let clicks = 1; clicks <= 5; clicks += 1) {
      const browser = await chromium.connectOverCDP(address);
      const page = firstPage(browser);
      expect(page.url()).toBe(`${site.origin}/`);
      await page.click("#count");
      expect(await page.textContent("#count")).toBe(String(clicks));
      await browser.close();
    }
  });
});

test("a socket from /json/list drives one page", async () => {
  const browser = await chromium.connectOverCDP(address);
  await firstPage(browser).goto(site.origin);
  const list = new URL(address.replace(/^ws/, "http"));
  list.pathname += "/json/list";
  const targets = targetListSchema.parse(await (await fetch(list)).json());
  const target = targets.find(({ type, url }) => type === "page" && url === `${site.origin}/`);
  using client = await DevToolsClient.connect(target?.webSocketDebuggerUrl ?? "");
  expect(await client.evaluate("document.title")).toBe("Home");
  await browser.close();
});

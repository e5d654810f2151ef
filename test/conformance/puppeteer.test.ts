import puppeteer, { type Browser, type Page, ProtocolError } from "puppeteer-core";
import { beforeEach, describe, expect, test } from "vitest";
import { keepForFile } from "../outside/keep-for-file.ts";
import { decodedSize } from "./png.ts";
import { SharedService } from "./shared-service.ts";
import { openSite } from "./site.ts";

const VIEWPORT = { width: 1024, height: 768 };

let sessionId: string;
let address: string;

const service = await SharedService.use();
const site = keepForFile(await openSite());
beforeEach(async () => {
  const kernel = service.kernel();
  const session = await kernel.browsers.create({ viewport: VIEWPORT });
  sessionId = session.session_id;
  address = session.cdp_ws_url;
  return () => kernel.browsers.deleteByID(session.session_id);
});

function connect(): Promise<Browser> {
  return puppeteer.connect({ browserWSEndpoint: address, defaultViewport: null });
}

async function firstPage(browser: Browser): Promise<Page> {
  const [page] = await browser.pages();
  if (page === undefined) throw new Error("the session has no page");
  return page;
}

function innerSize(page: Page): Promise<unknown> {
  return page.evaluate("({ width: innerWidth, height: innerHeight })");
}

function text(page: Page, selector: string): Promise<string | null> {
  return page.$eval(selector, (element) => element.textContent);
}

describe("Puppeteer", () => {
  test("takes a screenshot of the viewport's size", async () => {
    const browser = await connect();
    const page = await firstPage(browser);
    await page.goto(site.origin);
    expect(decodedSize(Buffer.from(await page.screenshot()))).toEqual(VIEWPORT);
    await browser.disconnect();
  });

  test("follows a popup and intercepts requests", async () => {
    const browser = await connect();
    const page = await firstPage(browser);
    await page.goto(site.origin);
    const opened = new Promise<Page | null>((resolve) => page.once("popup", resolve));
    await page.click("#popup");
    const popup = await opened;
    await popup?.waitForSelector("p");
    expect(await popup?.title()).toBe("Popup");

    await page.setRequestInterception(true);
    page.on("request", (request) =>
      request.respond({ contentType: "text/html", body: "<title>Answered</title>" }),
    );
    await page.goto(`${site.origin}/popup`);
    expect(await page.title()).toBe("Answered");
    await browser.disconnect();
  });

  test("finds the viewport in the tabs of every context", async () => {
    const browser = await connect();
    const page = await firstPage(browser);
    expect(await innerSize(page)).toEqual(VIEWPORT);
    expect(await innerSize(await browser.newPage())).toEqual(VIEWPORT);
    const context = await browser.createBrowserContext();
    expect(await innerSize(await context.newPage())).toEqual(VIEWPORT);
    await context.close();

    const other = await puppeteer.connect({
      browserWSEndpoint: address,
      defaultViewport: { width: 640, height: 480 },
    });
    expect(await innerSize(await firstPage(other))).toEqual({ width: 640, height: 480 });
    await other.disconnect();
    // Chrome lays out a background tab only when it is shown.
    await page.bringToFront();
    await expect.poll(() => innerSize(page)).toEqual(VIEWPORT);
    await browser.disconnect();
  });

  test("shares a session with another client", async () => {
    const [one, two] = await Promise.all([connect(), connect()]);
    await (await firstPage(one)).goto(site.origin);
    await (await firstPage(two)).waitForSelector("#count");
    await (await firstPage(two)).click("#count");
    expect(await text(await firstPage(one), "#count")).toBe("1");
    await one.disconnect();
    await (await firstPage(two)).click("#count");
    expect(await text(await firstPage(two), "#count")).toBe("2");
    await two.disconnect();
  });

  test("close() ends only the connection: later clients find the page", async () => {
    const first = await connect();
    await (await firstPage(first)).goto(site.origin);
    await first.close();
    expect(first.connected).toBe(false);
    expect(await service.kernel().browsers.retrieve(sessionId)).toMatchObject({ session_id: sessionId });
    for (let clicks = 1; clicks <= 3; clicks += 1) {
      const browser = await connect();
      const page = await firstPage(browser);
      expect(page.url()).toBe(`${site.origin}/`);
      await page.click("#count");
      expect(await text(page, "#count")).toBe(String(clicks));
      await browser.close();
    }
  });

  test("cannot send commands that would crash the browser", async () => {
    const browser = await connect();
    const devtools = await browser.target().createCDPSession();
    await expect(devtools.send("Browser.crash")).rejects.toThrow(ProtocolError);
    await expect(devtools.send("Browser.crashGpuProcess")).rejects.toThrow(ProtocolError);
    const page = await firstPage(browser);
    await page.goto(site.origin);
    expect(await page.title()).toBe("Home");
    await browser.disconnect();
  });
});

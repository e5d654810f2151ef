import type Kernel from "@onkernel/sdk";
import { chromium } from "playwright-core";
import puppeteer from "puppeteer-core";
import { beforeEach, describe, expect, test } from "vitest";
import { firstPage } from "../conformance/connect-page.ts";
import { openDownloadSite } from "../conformance/download-site.ts";
import { FileSession, firstPuppeteerPage, visit } from "../conformance/machine-file-session.ts";
import { SharedService } from "../conformance/shared-service.ts";
import { DOWNLOAD_CONTENT, openSite } from "../conformance/site.ts";
import { keepForFile } from "../outside/keep-for-file.ts";

const VIEWPORT = { width: 1200, height: 800 };

let session: Kernel.BrowserCreateResponse;

const service = await SharedService.use();
const site = keepForFile(await openSite());
const kernel = service.kernel();
beforeEach(async () => {
  session = await kernel.browsers.create({ viewport: VIEWPORT });
  return () => kernel.browsers.deleteByID(session.session_id);
});

describe("Playwright", () => {
  test("drives the session's page: navigates, clicks, fills, submits", async () => {
    const browser = await chromium.connectOverCDP(session.cdp_ws_url);
    expect(browser.contexts()).toHaveLength(1);
    expect(browser.contexts()[0]?.pages()).toHaveLength(1);
    const page = firstPage(browser);
    const response = await page.goto(site.origin);
    expect(response?.status()).toBe(200);
    expect(await page.title()).toBe("Home");
    await page.click("#count");
    await page.click("#count");
    expect(await page.textContent("#count")).toBe("2");
    await page.getByLabel("Who").fill("Ada");
    await page.click("#greet");
    await page.waitForURL(`${site.origin}/greet?who=Ada`);
    expect(await page.textContent("#greeting")).toBe("Hello, Ada");
    await browser.close();
  });

  test("receives a download, which is stored in the session's files", async () => {
    const browser = await chromium.connectOverCDP(session.cdp_ws_url);
    const page = firstPage(browser);
    await page.goto(site.origin);
    const [download] = await Promise.all([page.waitForEvent("download"), page.click("#download")]);
    expect(download.suggestedFilename()).toBe("report.txt");
    expect(await download.failure()).toBeNull();
    const path = "/home/kernel/Downloads/report.txt";
    const file = await kernel.browsers.fs.readFile(session.session_id, { path });
    expect(await file.text()).toBe(DOWNLOAD_CONTENT);
    await browser.close();
  });
});

describe("Puppeteer", () => {
  test("drives the session's page: navigates, clicks, types, submits", async () => {
    const browser = await puppeteer.connect({ browserWSEndpoint: session.cdp_ws_url, defaultViewport: null });
    expect(await browser.pages()).toHaveLength(1);
    const page = await firstPuppeteerPage(browser);
    await page.goto(site.origin);
    await page.click("#count");
    expect(await page.$eval("#count", (element) => element.textContent)).toBe("1");
    await page.type("input", "Grace");
    await Promise.all([page.waitForNavigation(), page.click("#greet")]);
    expect(await page.$eval("#greeting", (element) => element.textContent)).toBe("Hello, Grace");
    await browser.disconnect();
  });

  test("sets the session's files on an input and a file chooser", async () => {
    await using site = await openDownloadSite(new Uint8Array());
    await using files = await FileSession.open(service);
    await files.write("/home/kernel/x.pdf", "of the session's machine");
    const browser = await puppeteer.connect({ browserWSEndpoint: files.address, defaultViewport: null });
    const page = await firstPuppeteerPage(browser);
    await visit(page, site.origin);
    await (await page.waitForSelector("input#files"))?.uploadFile("/home/kernel/x.pdf");
    expect(await page.evaluate("files.files[0].text()")).toBe("of the session's machine");
    await files.write("/home/kernel/y.txt", "y");
    const [chooser] = await Promise.all([page.waitForFileChooser(), page.click("#files")]);
    await chooser.accept(["/home/kernel/y.txt", "/home/kernel/x.pdf"]);
    expect(await page.evaluate("[...files.files].map(({ name }) => name)")).toEqual(["y.txt", "x.pdf"]);
    await browser.disconnect();
  });
});

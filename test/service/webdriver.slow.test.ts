import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import puppeteer from "puppeteer-core";
import { Browser, Builder, By, until, type WebDriver } from "selenium-webdriver";
import { FileDetector } from "selenium-webdriver/remote";
import { beforeAll, expect, test } from "vitest";
import { remote } from "webdriverio";
import { SharedService } from "../conformance/shared-service.ts";
import { DOWNLOAD_CONTENT, openSite } from "../conformance/site.ts";
import { keepForFile } from "../outside/keep-for-file.ts";

declare module "selenium-webdriver" {
  interface WebDriver {
    getDownloadableFiles(): Promise<string[]>;
    downloadFile(name: string, directory: string): Promise<void>;
    deleteDownloadableFiles(): Promise<void>;
  }
}

const UPLOAD_PAGE = `data:text/html,<input type=file onchange="this.files[0].text().then(text => document.title = this.files[0].name + ': ' + text)">`;
const UPLOADED = "résumé.txt: of this machine";

/** On this machine. */
let folder: string;
let file: string;

const service = await SharedService.use();
const site = keepForFile(await openSite());
const kernel = service.kernel();

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "berth-webdriver-"));
  file = join(folder, "résumé.txt");
  writeFileSync(file, "of this machine");
  return () => rmSync(folder, { recursive: true });
});

async function expectNoSession(): Promise<void> {
  await expect.poll(async () => (await kernel.browsers.list()).items).toEqual([]);
}

function buildSelenium(): Promise<WebDriver> {
  const server = new URL("/wd/hub", service.baseURL);
  server.username = "berth";
  server.password = service.apiKey;
  return new Builder()
    .usingServer(server.href)
    .withCapabilities({ browserName: Browser.CHROME, webSocketUrl: true })
    .build();
}

function startWebdriverIO() {
  const { hostname, port } = new URL(service.baseURL);
  return remote({
    protocol: "http",
    hostname,
    port: Number(port),
    path: "/wd/hub",
    user: "berth",
    key: service.apiKey,
    logLevel: "silent",
    capabilities: { browserName: "chrome" },
  });
}

test("Selenium opens a page, finds, clicks, types, listens and quits", async () => {
  const driver = await buildSelenium();
  const bidi = await driver.getBidi();
  await bidi.subscribe("log.entryAdded");
  await bidi.subscribe("network.responseCompleted");
  const heard: string[] = [];
  bidi.socket.addEventListener("message", ({ data }) => heard.push(String(data)));
  await driver.get(site.origin);
  expect(await driver.getTitle()).toBe("Home");
  const button = await driver.findElement(By.id("count"));
  await button.click();
  await button.click();
  expect(await button.getText()).toBe("2");
  expect(await button.isDisplayed()).toBe(true);
  await driver.findElement(By.name("who")).sendKeys("Ada");
  await driver.executeScript("console.log('heard', arguments[0].id)", button);
  expect(
    Buffer.from(await driver.takeScreenshot(), "base64")
      .subarray(1, 4)
      .toString(),
  ).toBe("PNG");
  await driver.findElement(By.id("greet")).click();
  await driver.wait(until.urlContains("greet"), 10_000);
  expect(await driver.findElement(By.id("greeting")).getText()).toBe("Hello, Ada");
  await driver.manage().addCookie({ name: "a", value: "1" });
  expect(await driver.manage().getCookie("a")).toMatchObject({ value: "1" });
  await driver.switchTo().newWindow("tab");
  expect(await driver.getAllWindowHandles()).toHaveLength(2);
  await driver.close();
  await expect.poll(() => heard.join()).toContain("heard count");
  expect(heard.join()).toContain("network.responseCompleted");
  await driver.quit();
  await expectNoSession();
});

test("WebdriverIO opens a page, finds, clicks, types, listens and quits", async () => {
  const browser = await startWebdriverIO();
  expect(browser.isBidi).toBe(true);
  await browser.sessionSubscribe({ events: ["log.entryAdded", "network.responseCompleted"] });
  const logged = once(browser, "log.entryAdded");
  const completed = once(browser, "network.responseCompleted");
  await browser.url(site.origin);
  expect(await browser.getTitle()).toBe("Home");
  await browser.$("#count").click();
  await browser.$("#count").click();
  expect(await browser.$("#count").getText()).toBe("2");
  await browser.$("aria/Who").setValue("Ada");
  expect(await browser.$("[name=who]").getValue()).toBe("Ada");
  await browser.execute(() => console.log("heard"));
  expect(JSON.stringify(await logged)).toContain("heard");
  expect(JSON.stringify(await completed)).toContain(site.origin);
  expect(
    Buffer.from(await browser.takeScreenshot(), "base64")
      .subarray(1, 4)
      .toString(),
  ).toBe("PNG");
  await browser.$("#greet").click();
  expect(await browser.$("#greeting").getText()).toBe("Hello, Ada");
  await browser.deleteSession();
  await expectNoSession();
});

test("Selenium sends files of its own machine, and fetches downloads", async () => {
  const driver = await buildSelenium();
  driver.setFileDetector(new FileDetector());
  await driver.get(UPLOAD_PAGE);
  await driver.findElement(By.css("input")).sendKeys(file);
  await driver.wait(until.titleIs(UPLOADED), 10_000);
  await driver.get(site.origin);
  await driver.findElement(By.id("download")).click();
  await expect.poll(() => driver.getDownloadableFiles()).toEqual(["report.txt"]);
  await driver.downloadFile("report.txt", folder);
  await expect.poll(() => readFileSync(join(folder, "report.txt"), "utf8")).toBe(DOWNLOAD_CONTENT);
  await driver.deleteDownloadableFiles();
  expect(await driver.getDownloadableFiles()).toEqual([]);
  await driver.quit();
});

test("WebdriverIO sends files of its own machine, and fetches downloads", async () => {
  const browser = await startWebdriverIO();
  await browser.url(UPLOAD_PAGE);
  await browser.$("input").setValue(await browser.uploadFile(file));
  await browser.waitUntil(async () => (await browser.getTitle()) === UPLOADED);
  await browser.url(site.origin);
  await browser.$("#download").click();
  await expect.poll(() => browser.getDownloadableFiles()).toMatchObject({ names: ["report.txt"] });
  const own = mkdtempSync(join(folder, "webdriverio-"));
  await browser.downloadFile("report.txt", own);
  expect(readFileSync(join(own, "report.txt"), "utf8")).toBe(DOWNLOAD_CONTENT);
  await browser.deleteSession();
});

test("Puppeteer drives a session over WebDriver BiDi", async () => {
  const { session_id, webdriver_ws_url } = await kernel.browsers.create();
  const browser = await puppeteer.connect({
    browserWSEndpoint: webdriver_ws_url,
    protocol: "webDriverBiDi",
    defaultViewport: null,
  });
  const [page] = await browser.pages();
  await page?.goto(site.origin);
  await page?.click("#count");
  expect(await page?.$eval("#count", ({ textContent }) => textContent)).toBe("1");
  await browser.disconnect();
  await kernel.browsers.deleteByID(session_id);
});

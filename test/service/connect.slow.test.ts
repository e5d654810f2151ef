import type Kernel from "@onkernel/sdk";
import { chromium } from "playwright-core";
import puppeteer from "puppeteer-core";
import { describe, expect, test } from "vitest";
import { DevToolsClient, readUpgradeError } from "../conformance/devtools-client.ts";
import { SharedService } from "../conformance/shared-service.ts";
import { openSite } from "../conformance/site.ts";
import { keepForFile } from "../outside/keep-for-file.ts";

const END_TIMEOUT_MS = 30_000;

const service = await SharedService.use();
const site = keepForFile(await openSite());
const kernel = service.kernel();
const httpURL = service.baseURL;
const socketURL = httpURL.replace(/^http/, "ws");

async function sessions(): Promise<Kernel.BrowserListResponse[]> {
  return Array.fromAsync(kernel.browsers.list());
}

async function expectNoSessions(): Promise<void> {
  await expect.poll(sessions, { timeout: END_TIMEOUT_MS }).toEqual([]);
}

const key = () => `token=${service.apiKey}`;
const bearer = () => ({ headers: { Authorization: `Bearer ${service.apiKey}` } });

describe("Playwright", () => {
  test.each([
    ["a connect URL", () => [`${socketURL}/connect?${key()}&viewport=1280x720`]],
    ["an HTTP address", () => [`${httpURL}/connect?${key()}&viewport=1280x720`]],
    ["the host and a header", () => [httpURL, bearer()]],
    ["browserless's address", () => [`${socketURL}/chromium?${key()}&timeout=60000&blockAds=true`]],
  ] as [string, () => Parameters<typeof chromium.connectOverCDP>][])("connects to %s", async (_, address) => {
    const browser = await chromium.connectOverCDP(...address());
    const [page] = browser.contexts()[0]?.pages() ?? [];
    await page?.goto(site.origin);
    expect(await page?.title()).toBe("Home");
    const [session, ...others] = await sessions();
    expect(others).toEqual([]);
    const { width, height } = session?.viewport ?? {};
    expect(await page?.evaluate("[innerWidth, innerHeight]")).toEqual([width, height]);
    await browser.close();
    await expectNoSessions();
  });

  test("shows why it was refused", async () => {
    const refused = chromium.connectOverCDP(`${socketURL}/connect?${key()}&timeout=x`);
    await expect(refused).rejects.toThrow(/400.*timeout: must be a number/s);
  });
});

describe("Puppeteer", () => {
  test.each([
    ["a connect URL", () => ({ browserWSEndpoint: `${socketURL}/connect?${key()}` })],
    ["the host and a header", () => ({ browserWSEndpoint: socketURL, ...bearer() })],
    ["Browserbase's address", () => ({ browserWSEndpoint: `${socketURL}?apiKey=${service.apiKey}` })],
    ["a discovered address", () => ({ browserURL: `${httpURL}?${key()}` })],
  ] as const)("connects to %s", async (_, address) => {
    const browser = await puppeteer.connect({ ...address(), defaultViewport: null });
    const [page] = await browser.pages();
    await page?.goto(site.origin);
    expect(await page?.title()).toBe("Home");
    await browser.disconnect();
    await expectNoSessions();
  });
});

describe("a plain DevTools client", () => {
  test("finds the address and its pages, and returns to a session that is kept", async () => {
    const query = `${key()}&session=kept&keep_alive=60`;
    const version = await fetch(`${httpURL}/connect/json/version?${query}`);
    const { webSocketDebuggerUrl } = Object(await version.json());
    for (const title of ["", "first"]) {
      using client = await DevToolsClient.connect(webSocketDebuggerUrl);
      const page = await client.attach();
      expect(await client.evaluate("document.title", page)).toBe(title);
      await client.evaluate("document.title = 'first'", page);
    }
    const [target] = Object(await (await fetch(`${httpURL}/connect/json/list?${query}`)).json());
    using page = await DevToolsClient.connect(target.webSocketDebuggerUrl);
    expect(await page.evaluate("document.title")).toBe("first");
    await kernel.browsers.deleteByID("kept");
    expect((await page.closed).reason).toContain("ended");
  });

  test("ends its session when it vanishes", async () => {
    const client = await DevToolsClient.connect(`${socketURL}/connect?${key()}`);
    client.socket.terminate();
    await expectNoSessions();
  });

  test("takes a browser of a pool and releases it", async () => {
    const pool = await kernel.browserPools.create({ size: 1, name: "connect" });
    for (let round = 0; round < 2; round += 1) {
      using client = await DevToolsClient.connect(`${socketURL}/connect?${key()}&pool=connect`);
      expect(await client.send("Browser.getVersion")).toHaveProperty("product");
      expect((await kernel.browserPools.retrieve(pool.id)).acquired_count).toBe(1);
      client.socket.close();
      await expect
        .poll(() => kernel.browserPools.retrieve(pool.id), { timeout: END_TIMEOUT_MS })
        .toMatchObject({ available_count: 1, acquired_count: 0 });
    }
    await kernel.browserPools.delete(pool.id);
  });

  test("reads status and reason of a refusal", async () => {
    const refused = await readUpgradeError(`${socketURL}/connect?token=berth_unknown`);
    expect(refused).toMatchObject({ status: 401, body: { code: "unauthorized" } });
  });

  test("that sees only close reasons is told by one", async () => {
    const socket = new globalThis.WebSocket(`${socketURL}/connect?token=berth_unknown`);
    const closed = await new Promise<CloseEvent>((resolve) => socket.addEventListener("close", resolve));
    expect([closed.code, closed.reason]).toEqual([4401, "The API key is unknown, deleted or expired"]);
  });
});

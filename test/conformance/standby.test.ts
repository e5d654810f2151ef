import puppeteer from "puppeteer-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Service } from "./service.ts";

const LAUNCH_TIMEOUT_MS = 60_000;

let service: Service;

beforeAll(async () => {
  service = await Service.start({ settings: { STANDBY_BROWSERS: "1" } });
});
afterAll(() => service.end());

test("a standby browser serves the next session with its settings and is replaced", async () => {
  const kernel = service.kernel();
  const waitForStandbyBrowser = (since: number) =>
    service.log.waitForEvent({ event: "standby_browser_launched" }, { since, withinMs: LAUNCH_TIMEOUT_MS });
  const start = service.log.mark();
  // This session launches its own browser, and then a standby one is launched.
  await kernel.browsers.create();
  await waitForStandbyBrowser(start);

  const mark = service.log.mark();
  const session = await kernel.browsers.create({ viewport: { width: 1024, height: 768 }, stealth: true });
  const browser = await puppeteer.connect({
    browserWSEndpoint: session.cdp_ws_url,
    defaultViewport: null,
  });
  const [page] = await browser.pages();
  expect(await page?.evaluate("[innerWidth, innerHeight, navigator.webdriver].join()")).toBe(
    "1024,768,false",
  );
  await browser.disconnect();
  await waitForStandbyBrowser(mark);
  expect(service.log.events({ event: "standby_browser_not_usable" })).toEqual([]);
});

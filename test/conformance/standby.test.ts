import puppeteer from "puppeteer-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Service } from "./service.ts";

const LAUNCH_TIMEOUT_MS = 60_000;

let service: Service;

beforeAll(async () => {
  service = await Service.start({ settings: { STANDBY_BROWSERS: "1" } });
});
afterAll(() => service.end());

test("a browser that stands by becomes the next session's, configured as it asks, and is replaced", async () => {
  const kernel = service.kernel();
  const untilLaunched = (since: number) =>
    service.log.untilEvent({ event: "standby_browser_launched" }, { since, withinMs: LAUNCH_TIMEOUT_MS });
  const start = service.log.mark();
  // None stands by yet: this one is launched, and another for the next.
  await kernel.browsers.create();
  await untilLaunched(start);

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
  await untilLaunched(mark);
  expect(service.log.events({ event: "standby_browser_not_usable" })).toEqual([]);
});

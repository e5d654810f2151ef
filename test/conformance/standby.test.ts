import puppeteer from "puppeteer-core";
import { expect, test } from "vitest";
import { useService } from "./use-service.ts";

const LAUNCH_TIMEOUT_MS = 60_000;

const service = await useService({ settings: { STANDBY_BROWSERS: "auto" } });

test("a standby browser is ready at the start, serves the next session with its settings and is replaced", async () => {
  const kernel = service.kernel();
  const waitForStandbyBrowser = (since: number) =>
    service.log.waitForEvent({ event: "standby_browser_launched" }, { since, withinMs: LAUNCH_TIMEOUT_MS });
  await waitForStandbyBrowser(0);

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

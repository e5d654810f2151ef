import { chromium } from "playwright-core";
import { expect, test } from "vitest";
import { useService } from "../conformance/use-service.ts";

const SESSIONS = 200;
const CONCURRENCY = 4;

const service = await useService();

/** Creates and ends a session, and drives every fifth one. */
async function runSession(number: number): Promise<void> {
  const kernel = service.kernel();
  const { session_id, cdp_ws_url } = await kernel.browsers.create();
  if (number % 5 === 0) {
    const browser = await chromium.connectOverCDP(cdp_ws_url);
    const page = await browser.contexts()[0]?.newPage();
    await page?.goto(`data:text/html,<title>${number}</title>`);
    expect(await page?.title()).toBe(String(number));
    await browser.close();
  }
  await kernel.browsers.deleteByID(session_id);
}

test(`${SESSIONS} sessions leave no browser and no error`, { timeout: 20 * 60_000 }, async () => {
  let next = 0;
  const runSessions = async () => {
    while (next < SESSIONS) await runSession(next++);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, runSessions));
  await expect.poll(() => service.browsers()).toEqual([]);
  expect(service.log.events({ level: "error" })).toEqual([]);
  const failed = service.log.events({ event: "request" }).filter(({ status }) => Number(status) >= 500);
  expect(failed).toEqual([]);
});

import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { pause } from "../../../src/lib/common/concurrency.ts";
import { Screencast } from "../../../src/platform/browser/tabs/screencast.ts";
import type { ClientPage } from "./extension-browser.ts";
import { StateBrowser } from "./state-browser.ts";

const INTERVAL_MS = 250;
/** Many pictures of a page that repaints, and long enough to see that none comes. */
const QUIET_MS = 400;

const REPAINT = `setInterval(() => document.body.style.background = "rgb(0,0," + performance.now() % 256 + ")", 20)`;
const LISTEN = `
  var seen = [];
  for (const name of ["resize", "blur", "focus", "pagehide"]) addEventListener(name, () => seen.push(name));
  document.addEventListener("visibilitychange", () => seen.push("visibilitychange"));
  visualViewport.addEventListener("resize", () => seen.push("visual resize"));
  matchMedia("(resolution: 1dppx)").addEventListener("change", () => seen.push("resolution"));`;

let browser: StateBrowser;
let page: ClientPage;
beforeAll(async () => {
  browser = await StateBrowser.launch();
});
afterAll(() => browser.close());
beforeEach(async () => {
  page = await browser.openPage("https://site.test/");
});

/** Acknowledges only when the test does. */
async function start(intervalMs: () => number, onLost?: () => void) {
  const send = vi.spyOn(page.session, "send");
  const frames: { data: string; acknowledge: () => void }[] = [];
  const screencast = await Screencast.start(page.session, {
    format: { format: "jpeg", quality: 60, maxWidth: 400 },
    intervalMs,
    onFrame: ({ data }, acknowledge) => frames.push({ data, acknowledge }),
    onLost,
  });
  onTestFinished(() => screencast.stop());
  return {
    frames,
    screencast,
    count: (method: string) => send.mock.calls.filter(([sent]) => sent === method).length,
    /** Acknowledges the last frame and waits for the next one. */
    async next() {
      const { length } = frames;
      frames.at(-1)?.acknowledge();
      await expect.poll(() => frames.length).toBeGreaterThan(length);
    },
  };
}

describe("a screencast that pauses between frames", () => {
  it("sends one new picture of a page that repaints for each acknowledgement", async () => {
    await page.evaluate(REPAINT);
    const cast = await start(() => INTERVAL_MS);
    await expect.poll(() => cast.frames.length).toBe(2);
    for (let round = 0; round < 3; round += 1) {
      await pause(QUIET_MS / 4);
      await cast.next();
    }
    await pause(QUIET_MS);
    expect(cast.frames).toHaveLength(5);
    expect(new Set(cast.frames.map(({ data }) => data)).size).toBe(5);
    expect(cast.count("Page.stopScreencast")).toBeGreaterThanOrEqual(4);
  });

  it("is not paused for a still page, or for one that changes now and then", async () => {
    const cast = await start(() => INTERVAL_MS);
    // A page that was just opened may paint twice.
    await pause(QUIET_MS);
    cast.frames.at(-1)?.acknowledge();
    await pause(QUIET_MS);
    const { length } = cast.frames;
    const pauses = cast.count("Page.stopScreencast");
    await pause(QUIET_MS);
    expect(cast.frames).toHaveLength(length);
    await page.evaluate(`document.body.style.background = "red"`);
    await expect.poll(() => cast.frames.length).toBe(length + 1);
    expect(cast.count("Page.stopScreencast")).toBe(pauses);
  });

  it("shows the last picture of a page that repaints and then stops", async () => {
    await page.evaluate(`var timer = ${REPAINT}`);
    const cast = await start(() => INTERVAL_MS);
    await expect.poll(() => cast.frames.length).toBe(2);
    await page.evaluate(`clearInterval(timer); document.body.style.background = "red"`);
    await pause(QUIET_MS / 4);
    await cast.next();
    await pause(QUIET_MS);
    const shown = cast.frames.at(-1)?.data;
    const other = await start(() => 0);
    await expect.poll(() => other.frames.at(-1)?.data).toBe(shown);
  });

  it("is not seen by the page", async () => {
    await page.evaluate(REPAINT);
    await page.evaluate(LISTEN);
    const cast = await start(() => INTERVAL_MS);
    await expect.poll(() => cast.frames.length).toBe(2);
    for (let round = 0; round < 5; round += 1) await cast.next();
    expect(await page.evaluate("seen")).toEqual([]);
  });

  it("may pause and run by turns", async () => {
    await page.evaluate(REPAINT);
    let intervalMs = INTERVAL_MS;
    const cast = await start(() => intervalMs);
    await expect.poll(() => cast.frames.length).toBe(2);
    intervalMs = 0;
    await cast.next();
    await cast.next();
    expect(cast.count("Page.stopScreencast")).toBe(1);
    intervalMs = INTERVAL_MS;
    await cast.next();
    await cast.next();
    expect(cast.count("Page.stopScreencast")).toBeGreaterThan(1);
  });

  it("does not begin again after it was stopped", async () => {
    await page.evaluate(REPAINT);
    const cast = await start(() => INTERVAL_MS);
    await expect.poll(() => cast.frames.length).toBe(2);
    await cast.screencast.stop();
    cast.frames[0]?.acknowledge();
    await pause(QUIET_MS);
    expect(cast.frames).toHaveLength(2);
    expect(cast.count("Page.startScreencast")).toBe(1);
  });

  it("says when it cannot run again", async () => {
    await page.evaluate(REPAINT);
    const onLost = vi.fn();
    const cast = await start(() => INTERVAL_MS, onLost);
    await expect.poll(() => cast.frames.length).toBe(2);
    await page.session.detach();
    cast.frames.at(-1)?.acknowledge();
    cast.frames[0]?.acknowledge();
    await expect.poll(() => onLost.mock.calls.length).toBe(1);
  });
});

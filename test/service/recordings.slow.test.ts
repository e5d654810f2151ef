import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { setTimeout } from "node:timers/promises";
import Kernel from "@onkernel/sdk";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { launchViewers } from "../conformance/live-view-page.ts";
import { RemotePage } from "../conformance/live-view-remote.ts";
import { hasFFmpeg, PAINT_CLOCK, probeVideo, readClocks } from "../conformance/recording-clock.ts";
import { SharedService } from "../conformance/shared-service.ts";

const SECONDS = 12;

/** The delay from the page's clock to the recording's. */
const MAX_LAG_SECONDS = 1;

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

const MARKUP = "<img src=x onerror=alert(1)>";
const HOSTILE_TEXTS = [MARKUP, "W".repeat(100_000), "\u202Egnp.exe"];

let viewers: Browser;

const service = await SharedService.use();
const kernel = service.kernel();

beforeAll(async () => {
  viewers = await launchViewers();
});
afterAll(() => viewers?.close());

describe("recordings of the Kernel SDK", () => {
  let id: string;
  let recording: Kernel.Browsers.ReplayListResponse.ReplayListResponseItem;
  let video: Uint8Array<ArrayBuffer>;
  /** The least and the most time that was recorded, and that passed until the page's clock began. */
  let seconds: { least: number; most: number; lag: number };

  beforeAll(async () => {
    const session = await kernel.browsers.create({ viewport: { width: 1200, height: 800 } });
    id = session.session_id;
    using page = await RemotePage.attach(session.cdp_ws_url);
    await page.evaluate(PAINT_CLOCK);
    const askedAt = performance.now();
    const { replay_id } = await kernel.browsers.replays.start(id, { framerate: 10, record_audio: true });
    const startedAt = performance.now();
    await page.evaluate("void (window.startedAt = performance.now())");
    const lag = (performance.now() - askedAt) / 1000;
    await page.evaluate(`document.title = ${JSON.stringify(MARKUP)}`);
    await page.evaluate(`${JSON.stringify(HOSTILE_TEXTS)}.forEach((text) => console.error(text))`);
    await setTimeout(SECONDS * 1000);
    expect((await kernel.browsers.replays.download(replay_id, { id })).status).toBe(202);
    const least = (performance.now() - startedAt) / 1000;
    await kernel.browsers.replays.stop(replay_id, { id });
    seconds = { least, most: (performance.now() - askedAt) / 1000, lag };
    await kernel.browsers.deleteByID(id);
    [recording = { replay_id: "" }] = await kernel.browsers.replays.list(id);
    const response = await kernel.browsers.replays.download(replay_id, { id });
    expect(response.headers.get("content-type")).toMatch(/^video\/mp4/);
    video = new Uint8Array(await response.arrayBuffer());
  });

  function expectLength(length: number): void {
    expect(length).toBeGreaterThan(0.98 * seconds.least);
    expect(length).toBeLessThan(1.02 * seconds.most);
  }

  test("are listed after the end of the session", () => {
    expect(recording).toMatchObject({
      replay_id: expect.stringMatching(/^[a-z0-9]{24}$/),
      replay_view_url: expect.stringContaining(`${service.baseURL}/replay/${id}/`),
    });
    expectLength((Date.parse(recording.finished_at ?? "") - Date.parse(recording.started_at ?? "")) / 1000);
  });

  test("show the page's clock at each time, in Chromium's <video>", async () => {
    // The page's clock begins before `lag`.
    const [first, last] = [seconds.lag + 1, seconds.least - 0.5];
    const times = [0.5, 0, 1, 0.25, 0.7].map((part) => first + part * (last - first));
    const { duration, clocks } = await readClocks(viewers, recording.replay_view_url ?? "", times);
    expectLength(duration);
    for (const { time, clock } of clocks) {
      expect(clock).toBeLessThan(time + 0.1);
      expect(clock).toBeGreaterThan(time - seconds.lag - MAX_LAG_SECONDS);
    }
  });

  test.each([
    { colorScheme: "light", viewport: { width: 1366, height: 768 } },
    { colorScheme: "dark", viewport: { width: 390, height: 844 } },
  ] as const)("are shown beside their events, whose texts are harmless, on %j", async (device) => {
    // The page's policy would not allow axe.
    const context = await viewers.newContext({ ...device, bypassCSP: true });
    const page = await context.newPage();
    const problems: string[] = [];
    page.on("console", (message) => problems.push(message.text()));
    page.on("pageerror", (error) => problems.push(String(error)));
    page.on("dialog", (dialog) => problems.push(dialog.message()));
    await page.goto(recording.replay_view_url ?? "");
    const events = page.getByRole("listitem");
    const errors = events.filter({ has: page.getByText("Error", { exact: true }) });
    await errors.getByText(MARKUP).waitFor();
    await page.keyboard.press("e");
    await expect(page.locator("[aria-current]").textContent()).resolves.toContain("Error");
    await page.getByRole("combobox", { name: "Show" }).selectOption("Errors (3)");
    await expect(events.filter({ visible: true }).count()).resolves.toBe(3);
    await page.getByLabel("Speed").selectOption("2×");
    await page.goto(`${recording.replay_view_url}#t=0.5`);
    expect(await page.evaluate("[video.playbackRate, video.currentTime]")).toEqual([2, 0.5]);
    const width = await page.evaluate("document.documentElement.scrollWidth");
    expect(width).toBe(device.viewport.width);
    await page.addScriptTag({ content: AXE });
    const violations = await page.evaluate(
      "axe.run().then(({ violations }) => violations.map(({ id }) => id))",
    );
    expect([violations, problems]).toEqual([[], []]);
    await context.close();
  });

  test.skipIf(!hasFFmpeg)("are sound for ffmpeg (skipped without ffprobe)", () => {
    const probed = probeVideo(video);
    expect(probed).toMatchObject({ codec_name: "h264", width: 1200, height: 800 });
    expectLength(probed.duration);
  });

  test("answers 404 for unknown recordings and sessions", async () => {
    const unknown = "a".repeat(24);
    const recordings = kernel.browsers.replays;
    await expect(recordings.download(unknown, { id })).rejects.toBeInstanceOf(Kernel.NotFoundError);
    await expect(recordings.stop(unknown, { id })).rejects.toBeInstanceOf(Kernel.NotFoundError);
    await expect(recordings.list(unknown)).rejects.toBeInstanceOf(Kernel.NotFoundError);
    await expect(recordings.start(unknown)).rejects.toBeInstanceOf(Kernel.NotFoundError);
  });
});

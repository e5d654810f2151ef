import { setTimeout } from "node:timers/promises";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { findBrowserPid } from "./browser-process.ts";
import { launchViewers } from "./live-view-page.ts";
import { RemotePage } from "./live-view-remote.ts";
import { hasFFmpeg, PAINT_CLOCK, probeVideo, readClocks } from "./recording-clock.ts";
import { useService } from "./use-service.ts";

const SECONDS = 11;
const MAX_LOSS_SECONDS = 5;
const RECOVERY_TIMEOUT_MS = 90_000;

/** The delay from the page's clock to the recording's. */
const MAX_LAG_SECONDS = 1;

const service = await useService();
let viewers: Browser;

beforeAll(async () => {
  viewers = await launchViewers();
});
afterAll(() => viewers?.close());

async function beginRecording() {
  const kernel = service.kernel();
  const session = await kernel.browsers.create({
    viewport: { width: 1024, height: 768 },
    timeout_seconds: 600,
  });
  const pid = await findBrowserPid(session);
  const page = await RemotePage.attach(session.cdp_ws_url);
  await page.evaluate(PAINT_CLOCK);
  const askedAt = performance.now();
  await kernel.browsers.replays.start(session.session_id);
  await page.evaluate("void (window.startedAt = performance.now())");
  const lag = (performance.now() - askedAt) / 1000;
  await setTimeout(SECONDS * 1000);
  return { id: session.session_id, pid, lag };
}

/** Waits until the service has completed the recording, and checks that it plays. @returns its note. */
async function expectPlayable({ id, lag }: { id: string; lag: number }): Promise<string | null> {
  const kernel = service.kernel();
  const [recording] = await expect
    .poll(() => kernel.browsers.replays.list(id), { timeout: RECOVERY_TIMEOUT_MS })
    .toMatchObject([{ finished_at: expect.any(String) }])
    .then(() => kernel.browsers.replays.list(id));
  const { duration, clocks } = await readClocks(viewers, recording?.replay_view_url ?? "", [
    lag + 1,
    lag + 4,
  ]);
  expect(duration).toBeGreaterThan(SECONDS - MAX_LOSS_SECONDS);
  expect(duration).toBeLessThan(SECONDS + MAX_LOSS_SECONDS);
  for (const { time, clock } of clocks) {
    expect(clock).toBeLessThan(time + 0.1);
    expect(clock).toBeGreaterThan(time - lag - MAX_LAG_SECONDS);
  }
  const response = await kernel.browsers.replays.download(recording?.replay_id ?? "", { id });
  const bytes = new Uint8Array(await response.arrayBuffer());
  if (hasFFmpeg) expect(probeVideo(bytes).duration).toBeCloseTo(duration, 1);
  return z.object({ note: z.string().nullable() }).parse(recording).note;
}

describe("SIGKILL in the middle of a recording", () => {
  test("of the browser loses at most the last 5 seconds", async () => {
    const recording = await beginRecording();
    process.kill(recording.pid, "SIGKILL");
    expect(await expectPlayable(recording)).toEqual(expect.any(String));
  });

  test("of the service loses at most the last 5 seconds", async () => {
    const recording = await beginRecording();
    await service.kill();
    await service.restart();
    expect(await expectPlayable(recording)).toEqual(expect.any(String));
  });

  test("of the service, just after the session was deleted, loses at most the last 5 seconds", async () => {
    const recording = await beginRecording();
    await service.kernel().browsers.deleteByID(recording.id);
    await service.kill();
    await service.restart();
    await expectPlayable(recording);
  });
});

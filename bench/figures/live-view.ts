import { setTimeout } from "node:timers/promises";
import type Kernel from "@onkernel/sdk";
import { BareScreencast } from "../bare-screencast.ts";
import { withComparedBrowsers } from "../compared-browsers.ts";
import type { DevToolsClient } from "../devtools-client.ts";
import { type FrameSource, LiveViewer } from "../live-viewer.ts";
import { MOVING_PAGE } from "../pages.ts";
import { pairOf, Samples, time } from "../samples.ts";
import type { Row } from "../table.ts";

const VIEWPORT = { width: 1920, height: 1080 };
/** Frame size of that viewport with the default settings. */
const FRAME = { width: 1280, height: 720 };
const SCREENCAST = { quality: 60, maxWidth: FRAME.width, refreshRate: 25 };

const WINDOWS = 4;
const FRAMES_PER_WINDOW = 100;
const CLICKS_PER_WINDOW = 24;
const EVALUATIONS_PER_WINDOW = 300;
const SEQUENCES_PER_WINDOW = 6;
export const STEPS_PER_SEQUENCE = 30;

/** Time for the browser to start or stop a screencast before a measurement. */
const SETTLE_MS = 500;
const FRAMES_TIMEOUT_MS = 60_000;

/** A live view compared with a screencast of Chrome, and how much a viewer slows the session's client. */
export function measureLiveView(kernel: Kernel, chromeURL: string): Promise<Row[]> {
  return withComparedBrowsers({ kernel, chromeURL, viewport: VIEWPORT }, async (browsers) => {
    const { session, driver, chrome } = browsers;
    const address = session.browser_live_view_url;
    if (address === undefined) throw new Error("The session has no live view");
    const sides: Sides = {
      alone: (work) => withMovingPage(driver, () => work(driver)),
      watched: (work) =>
        withMovingPage(driver, async () => {
          const viewer = await LiveViewer.connect(address);
          await work(driver, viewer).finally(() => viewer.close());
        }),
      bare: (work) =>
        withMovingPage(chrome, async () => {
          const screencast = await BareScreencast.start(chrome, SCREENCAST);
          await work(chrome, screencast).finally(() => screencast.stop());
        }),
    };
    return [...(await measureFrames(sides)), ...(await measureSlowDown(sides))];
  });
}

type WatchedWork = (driver: DevToolsClient, source: FrameSource) => Promise<void>;

/** Each runs work with a browser that shows MOVING_PAGE. */
interface Sides {
  /** A session without a viewer. */
  alone: (work: (driver: DevToolsClient) => Promise<void>) => Promise<void>;
  /** A session with a viewer. */
  watched: (work: WatchedWork) => Promise<void>;
  /** Chrome without Berth, with a screencast. */
  bare: (work: WatchedWork) => Promise<void>;
}

export async function withMovingPage(client: DevToolsClient, work: () => Promise<void>): Promise<void> {
  await client.show(MOVING_PAGE);
  await work().finally(() => client.show(""));
}

async function measureFrames(sides: Sides): Promise<Row[]> {
  const live = new FrameSamples();
  const bare = new FrameSamples();
  for (let window = 0; window < WINDOWS; window += 1) {
    await sides.watched((_, viewer) => live.watch(viewer));
    await sides.bare((_, screencast) => bare.watch(screencast));
  }
  return [
    {
      figure: `live view, ${live.describe()}: time between frames`,
      baseline: `screencast of Chrome, ${bare.describe()}`,
      ...pairOf(live.intervals, bare.intervals),
    },
    {
      figure: "live view: from a click to the frame that shows it",
      baseline: "screencast of Chrome",
      ...pairOf(live.latencies, bare.latencies),
    },
  ];
}

class FrameSamples {
  readonly intervals: number[] = [];
  readonly latencies: number[] = [];
  readonly #sizes: number[] = [];

  describe(): string {
    const total = this.intervals.reduce((sum, interval) => sum + interval, 0);
    const rate = (this.intervals.length * 1000) / total;
    return `${rate.toFixed(1)} frames/s of ${(new Samples(this.#sizes).p50 / 1024).toFixed(0)} KiB`;
  }

  async watch(source: FrameSource): Promise<void> {
    await waitForNextFrame(source);
    await setTimeout(SETTLE_MS);
    let previousAt: number | undefined;
    await waitForFrame(source, (picture) => {
      const now = performance.now();
      if (previousAt !== undefined) this.intervals.push(now - previousAt);
      previousAt = now;
      this.#sizes.push(picture.length);
      return this.#sizes.length % FRAMES_PER_WINDOW === 0;
    });
    for (let click = 0; click < CLICKS_PER_WINDOW; click += 1) {
      this.latencies.push(await this.#timeClick(source, click % 2 === 0));
    }
  }

  /** Waits for the frame that shows the page covered or uncovered. */
  async #timeClick(source: FrameSource, covers: boolean): Promise<number> {
    // Random, so that clicks are not in step with frames.
    await setTimeout(50 + 100 * Math.random());
    const limit = new Samples(this.#sizes).p50 / 2;
    return time(async () => {
      source.click({ x: 300 + 200 * Math.random(), y: 300 });
      await waitForFrame(source, ({ length }) => length < limit === covers);
    });
  }
}

/** Times of a client with and without a viewer, and without Berth. */
async function measureSlowDown(sides: Sides): Promise<Row[]> {
  const unwatched = new ClientSamples();
  const watched = new ClientSamples();
  const bare = new ClientSamples();
  for (let window = 0; window < WINDOWS; window += 1) {
    await sides.alone((driver) => unwatched.measure(driver));
    await sides.watched((driver, viewer) => watched.measure(driver, viewer));
    await sides.bare((driver, screencast) => bare.measure(driver, screencast));
  }
  const alone = "without a viewer";
  const evaluate = "Runtime.evaluate with a viewer";
  const sequence = `${STEPS_PER_SEQUENCE} x (evaluate, move) with a viewer`;
  return [
    { figure: evaluate, baseline: alone, ...pairOf(watched.evaluations, unwatched.evaluations) },
    { figure: sequence, baseline: alone, ...pairOf(watched.sequences, unwatched.sequences) },
    {
      figure: "the same",
      baseline: "Chrome with a screencast",
      ...pairOf(watched.sequences, bare.sequences),
    },
  ];
}

/** Times of a client that drives its page. */
export class ClientSamples {
  readonly evaluations: number[] = [];
  readonly sequences: number[] = [];

  /** @param source waits for its next frame first. */
  async measure(driver: DevToolsClient, source?: FrameSource): Promise<void> {
    if (source !== undefined) await waitForNextFrame(source);
    await setTimeout(SETTLE_MS);
    for (let count = 0; count < EVALUATIONS_PER_WINDOW; count += 1) {
      this.evaluations.push(await time(() => driver.evaluate("1 + 1")));
    }
    for (let count = 0; count < SEQUENCES_PER_WINDOW; count += 1) {
      this.sequences.push(await time(() => runSequence(driver)));
    }
  }
}

/** Sends one command after the other, like Playwright and Puppeteer. */
async function runSequence(driver: DevToolsClient): Promise<void> {
  for (let step = 0; step < STEPS_PER_SEQUENCE; step += 1) {
    await driver.evaluate("document.title");
    const place = { x: 200 + step * 20, y: 200 + step * 10 };
    await driver.sendToPage("Input.dispatchMouseEvent", { type: "mouseMoved", ...place });
  }
}

async function waitForNextFrame(source: FrameSource): Promise<void> {
  await waitForFrame(source, (picture) => {
    const { width, height } = jpegSize(picture);
    if (width === FRAME.width && height === FRAME.height) return true;
    throw new Error(`Expected frames of ${FRAME.width}x${FRAME.height}, got ${width}x${height}`);
  });
}

async function waitForFrame(source: FrameSource, matches: (picture: Buffer) => boolean): Promise<void> {
  const found = Promise.withResolvers<void>();
  const timer = new AbortController();
  source.onFrame = (picture) => {
    try {
      if (matches(picture)) found.resolve();
    } catch (error) {
      found.reject(error);
    }
  };
  const timeout = setTimeout(FRAMES_TIMEOUT_MS, undefined, { signal: timer.signal }).then(() => {
    throw new Error("Timed out waiting for a frame");
  });
  try {
    await Promise.race([found.promise, timeout]);
  } finally {
    source.onFrame = () => undefined;
    timer.abort();
    timeout.catch(() => undefined);
  }
}

/** Size of a JPEG, from the header of its first frame. */
function jpegSize(file: Buffer): { width: number; height: number } {
  for (let offset = 2; offset + 9 < file.length; offset += 2 + file.readUInt16BE(offset + 2)) {
    const marker = file.readUInt16BE(offset);
    const isFrameHeader = marker >= 0xffc0 && marker <= 0xffc2;
    if (isFrameHeader) return { height: file.readUInt16BE(offset + 5), width: file.readUInt16BE(offset + 7) };
  }
  throw new Error("Not a JPEG");
}

import { setTimeout } from "node:timers/promises";
import type Kernel from "@onkernel/sdk";
import { BareScreencast } from "../bare-screencast.ts";
import { withComparedBrowsers } from "../compared-browsers.ts";
import type { DevToolsClient } from "../devtools-client.ts";
import { type FrameSource, LiveViewer } from "../live-viewer.ts";
import { MOVING_PAGE } from "../pages.ts";
import { type Pair, Samples, time } from "../samples.ts";
import type { Row } from "../table.ts";

const VIEWPORT = { width: 1920, height: 1080 };
/** What the service makes of that viewport, by its default settings. */
const FRAME = { width: 1280, height: 720 };
const SCREENCAST = { quality: 60, maxWidth: FRAME.width, refreshRate: 25 };

const WINDOWS = 4;
const FRAMES_PER_WINDOW = 100;
const CLICKS_PER_WINDOW = 24;
const EVALUATIONS_PER_WINDOW = 300;
const DRIVES_PER_WINDOW = 6;
const STEPS_PER_DRIVE = 30;

/** How long the browser may take to begin or end a screencast before something is measured. */
const SETTLE_MS = 500;
const FRAMES_TIMEOUT_MS = 60_000;

/**
 * How fast a live view is, beside a screencast of Chrome by DevTools with nothing between, and what a viewer costs
 * the client that drives the session. The page is text that scrolls: every frame is another picture.
 */
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

/** Do work with a browser whose page moves, and nothing else does meanwhile. */
interface Sides {
  /** A session that nobody looks at. */
  alone: (work: (driver: DevToolsClient) => Promise<void>) => Promise<void>;
  /** A session with a viewer. */
  watched: (work: WatchedWork) => Promise<void>;
  /** The Chrome that is driven directly, with a screencast. */
  bare: (work: WatchedWork) => Promise<void>;
}

async function withMovingPage(client: DevToolsClient, work: () => Promise<void>): Promise<void> {
  await client.show(MOVING_PAGE);
  await work().finally(() => client.show(""));
}

/** One window of frames and clicks of each side in turn. */
async function measureFrames(sides: Sides): Promise<Row[]> {
  const live = new Watched();
  const bare = new Watched();
  for (let window = 0; window < WINDOWS; window += 1) {
    await sides.watched((_, viewer) => live.watch(viewer));
    await sides.bare((_, screencast) => bare.watch(screencast));
  }
  return [
    {
      figure: `live view, ${live.describe()}: time between frames`,
      beside: `screencast of Chrome, ${bare.describe()}`,
      ...pairOf(live.intervals, bare.intervals),
    },
    {
      figure: "live view: from a click to the frame that shows it",
      beside: "screencast of Chrome",
      ...pairOf(live.latencies, bare.latencies),
    },
  ];
}

/** What was seen of one side. */
class Watched {
  readonly intervals: number[] = [];
  readonly latencies: number[] = [];
  readonly #sizes: number[] = [];

  /** Median size of the frames, and how many came in a second. */
  describe(): string {
    const total = this.intervals.reduce((sum, interval) => sum + interval, 0);
    const rate = (this.intervals.length * 1000) / total;
    return `${rate.toFixed(1)} frames/s of ${(new Samples(this.#sizes).p50 / 1024).toFixed(0)} KiB`;
  }

  async watch(source: FrameSource): Promise<void> {
    await nextFrame(source);
    await setTimeout(SETTLE_MS);
    let previousAt: number | undefined;
    await untilFrame(source, (picture) => {
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

  /** Until a frame comes that shows the page covered, or uncovered. */
  async #timeClick(source: FrameSource, covers: boolean): Promise<number> {
    // Not in step with the frames.
    await setTimeout(50 + 100 * Math.random());
    const limit = new Samples(this.#sizes).p50 / 2;
    return time(async () => {
      source.click({ x: 300 + 200 * Math.random(), y: 300 });
      await untilFrame(source, ({ length }) => length < limit === covers);
    });
  }
}

/** What the clients that drive need: with somebody who looks and without, through a session and without Berth. */
async function measureSlowDown(sides: Sides): Promise<Row[]> {
  const unwatched = new Driven();
  const watched = new Driven();
  const bare = new Driven();
  for (let window = 0; window < WINDOWS; window += 1) {
    await sides.alone((driver) => unwatched.drive(driver));
    await sides.watched((driver, viewer) => watched.drive(driver, viewer));
    await sides.bare((driver, screencast) => bare.drive(driver, screencast));
  }
  const alone = "without a viewer";
  const evaluate = "Runtime.evaluate with a viewer";
  const drive = `${STEPS_PER_DRIVE} x (evaluate, move) with a viewer`;
  return [
    { figure: evaluate, beside: alone, ...pairOf(watched.evaluations, unwatched.evaluations) },
    { figure: drive, beside: alone, ...pairOf(watched.drives, unwatched.drives) },
    { figure: "the same", beside: "Chrome with a screencast", ...pairOf(watched.drives, bare.drives) },
  ];
}

/** What a driving client's work took. */
class Driven {
  readonly evaluations: number[] = [];
  readonly drives: number[] = [];

  /** @param source what shows the page meanwhile. */
  async drive(driver: DevToolsClient, source?: FrameSource): Promise<void> {
    if (source !== undefined) await nextFrame(source);
    await setTimeout(SETTLE_MS);
    for (let count = 0; count < EVALUATIONS_PER_WINDOW; count += 1) {
      this.evaluations.push(await time(() => driver.evaluate("1 + 1")));
    }
    for (let count = 0; count < DRIVES_PER_WINDOW; count += 1) {
      this.drives.push(await time(() => drive(driver)));
    }
  }
}

function pairOf(berth: readonly number[], direct: readonly number[]): Pair {
  return { berth: new Samples(berth), direct: new Samples(direct) };
}

/** As Playwright and Puppeteer drive: one command after the other. */
async function drive(driver: DevToolsClient): Promise<void> {
  for (let step = 0; step < STEPS_PER_DRIVE; step += 1) {
    await driver.evaluate("document.title");
    const place = { x: 200 + step * 20, y: 200 + step * 10 };
    await driver.sendToPage("Input.dispatchMouseEvent", { type: "mouseMoved", ...place });
  }
}

/** Waits for a frame, and that it has the size that all is measured at. */
async function nextFrame(source: FrameSource): Promise<void> {
  await untilFrame(source, (picture) => {
    const { width, height } = jpegSize(picture);
    if (width === FRAME.width && height === FRAME.height) return true;
    throw new Error(`Frames are ${width}x${height} instead of ${FRAME.width}x${FRAME.height}`);
  });
}

/** Shows each frame to `isLast`, until it says so. */
async function untilFrame(source: FrameSource, isLast: (picture: Buffer) => boolean): Promise<void> {
  const last = Promise.withResolvers<void>();
  const timer = new AbortController();
  source.onFrame = (picture) => {
    try {
      if (isLast(picture)) last.resolve();
    } catch (error) {
      last.reject(error);
    }
  };
  const tooLate = setTimeout(FRAMES_TIMEOUT_MS, undefined, { signal: timer.signal }).then(() => {
    throw new Error("The frame that was waited for did not come");
  });
  try {
    await Promise.race([last.promise, tooLate]);
  } finally {
    source.onFrame = () => undefined;
    timer.abort();
    tooLate.catch(() => undefined);
  }
}

/** Size of a JPEG, from the header of its first frame. */
function jpegSize(file: Buffer): { width: number; height: number } {
  for (let offset = 2; offset + 9 < file.length; offset += 2 + file.readUInt16BE(offset + 2)) {
    const marker = file.readUInt16BE(offset);
    const isFrameHeader = marker >= 0xffc0 && marker <= 0xffc2;
    if (isFrameHeader) return { height: file.readUInt16BE(offset + 5), width: file.readUInt16BE(offset + 7) };
  }
  throw new Error("This is no JPEG");
}

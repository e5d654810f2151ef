import { readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import type Kernel from "@onkernel/sdk";
import type { Service } from "../../test/conformance/service.ts";
import { BareScreencast } from "../bare-screencast.ts";
import { type ComparedBrowsers, withComparedBrowsers } from "../compared-browsers.ts";
import { MOVING_PAGE, ORDINARY_PAGE } from "../pages.ts";
import { pairOf, Samples } from "../samples.ts";
import type { Row } from "../table.ts";
import { ClientSamples, STEPS_PER_SEQUENCE } from "./live-view.ts";

const WINDOWS = 4;
const VIEWPORT = { width: 1920, height: 1080 };

/** The default frame rate and the one of Kernel's recordings. */
const RATES = [
  { framerate: 4, target: "1.1x" },
  { framerate: 10, target: "1.25x" },
];

/** How long the processor time of an idle client is measured. */
const CPU_WINDOW_MS = 4000;
const SETTLE_MS = 1000;

const TICKS_PER_SECOND = 100;

const PAGES = [
  ["a page that reacts to the mouse", ORDINARY_PAGE],
  ["a page that scrolls endlessly", MOVING_PAGE],
] as const;

/** How much a recording slows the client, compared with plain Chrome's screencast, and its processor time. */
export function measureRecordings(service: Service, chromeURL: string): Promise<Row[]> {
  const kernel = service.kernel();
  return withComparedBrowsers({ kernel, chromeURL, viewport: VIEWPORT }, async (browsers) => {
    const rows: Row[] = [];
    for (const [name, page] of PAGES) {
      await browsers.driver.show(page);
      await browsers.chrome.show(page);
      for (const rate of RATES)
        rows.push(...(await measurePage(name, { ...browsers, kernel, service, ...rate })));
    }
    return rows;
  });
}

interface Parts extends ComparedBrowsers {
  kernel: Kernel;
  service: Service;
  framerate: number;
  target: string;
}

async function measurePage(
  name: string,
  { kernel, session, driver, chrome, service, framerate, target }: Parts,
): Promise<Row[]> {
  const id = session.session_id;
  const [alone, recorded, bare] = [new ClientSamples(), new ClientSamples(), new ClientSamples()];
  const [aloneShares, recordedShares]: [number[], number[]] = [[], []];
  const recordings: number[] = [];
  for (let window = 0; window < WINDOWS; window += 1) {
    await alone.measure(driver);
    aloneShares.push(await measureProcessorShare(service));
    const { replay_id } = await kernel.browsers.replays.start(id, { framerate });
    await setTimeout(SETTLE_MS);
    await recorded.measure(driver);
    recordedShares.push(await measureProcessorShare(service));
    await kernel.browsers.replays.stop(replay_id, { id });
    const video = await (await kernel.browsers.replays.download(replay_id, { id })).arrayBuffer();
    recordings.push(video.byteLength);
    const screencast = await BareScreencast.start(chrome, {
      quality: 60,
      maxWidth: 1280,
      refreshRate: framerate,
    });
    await bare.measure(chrome).finally(() => screencast.stop());
  }
  const percent = (shares: readonly number[]) => `${(100 * new Samples(shares).p50).toFixed(1)} %`;
  const kilobytes = (new Samples(recordings).p50 / 1024).toFixed(0);
  console.log(
    `${name}, ${framerate} frames a second: ${percent(aloneShares)} of a processor without a recording, ${percent(recordedShares)} with one of ${kilobytes} KiB`,
  );
  const baseline = "without a recording";
  const figure = `${STEPS_PER_SEQUENCE} x (evaluate, move) beside a recording of ${name} at ${framerate} frames a second`;
  return [
    { figure, baseline, target, ...pairOf(recorded.sequences, alone.sequences) },
    {
      figure: "the same",
      baseline: "Chrome with the same screencast",
      ...pairOf(recorded.sequences, bare.sequences),
    },
    {
      figure: "Runtime.evaluate beside it",
      baseline,
      ...pairOf(recorded.evaluations, alone.evaluations),
    },
  ];
}

/** The share of one processor that the service and its browsers take. */
async function measureProcessorShare(service: Service): Promise<number> {
  const before = processorSeconds(service);
  await setTimeout(CPU_WINDOW_MS);
  return (processorSeconds(service) - before) / (CPU_WINDOW_MS / 1000);
}

/** Needs Linux: `ps` counts only whole seconds. */
function processorSeconds(service: Service): number {
  return service.processes().reduce((sum, { pid }) => sum + readTicks(pid) / TICKS_PER_SECOND, 0);
}

/** User and system time; 0 for a process that has ended. */
function readTicks(pid: number): number {
  try {
    const [, fields = ""] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ");
    const [user = 0, system = 0] = fields.split(" ").slice(11, 13).map(Number);
    return user + system;
  } catch {
    return 0;
  }
}

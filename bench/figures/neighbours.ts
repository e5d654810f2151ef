import { setTimeout } from "node:timers/promises";
import type Kernel from "@onkernel/sdk";
import type { Browser } from "puppeteer-core";
import { deployApp, invokeAsync } from "../../test/conformance/apps.ts";
import type { ServiceClient } from "../../test/conformance/service-client.ts";
import { launchChrome } from "../bare-chrome.ts";
import { BareScreencast } from "../bare-screencast.ts";
import { DevToolsClient } from "../devtools-client.ts";
import { LiveViewer } from "../live-viewer.ts";
import { MOVING_PAGE } from "../pages.ts";
import { pairOf, time } from "../samples.ts";
import type { Row } from "../table.ts";

const SETTLE_MS = 3000;
const MEASURE_MS = 12_000;
const PAUSE_MS = 20;

/** What one tenant may add to the calls of another, in milliseconds (p95). */
const TARGET_MS = 250;

const FLOOD = `<script>
  setInterval(() => {
    for (let count = 0; count < 200; count += 1) {
      console.log("a line of a flood ".repeat(20), count);
      fetch("data:,x").catch(() => {});
    }
  }, 10);
</script>`;

const ENDLESS = "for (;;) { try { for (;;); } catch {} }";

/** Work of another tenant. */
interface Load {
  title: string;
  /** Runs until it is aborted, through Berth. */
  run: (noisy: Noisy, stop: AbortSignal) => Promise<void>;
  /** What the browsers of `run` do, without Berth. Absent: they do nothing. */
  runBare?: (launch: () => Promise<Browser>, stop: AbortSignal) => Promise<void>;
}

/** The tenant that generates the load. */
interface Noisy {
  service: ServiceClient;
  kernel: Kernel;
  /** Its session, for loads that need no more than one. */
  sessionId: string;
}

const LOADS: Load[] = [
  {
    title: "4 pages flood telemetry, and streams read it from the start",
    run: (noisy, stop) => runEach(4, () => floodTelemetry(noisy, stop)),
    runBare: (launch, stop) => runEach(4, () => showBare(launch, FLOOD, stop)),
  },
  {
    title: "100 creates at once",
    run: ({ kernel }, stop) => runEach(100, () => createOne(kernel, stop)),
    runBare: (launch, stop) => runEach(3, () => launchOften(launch, stop)),
  },
  { title: "100 creates at a limit of 0, again and again", run: createRefused },
  {
    title: "100 lists of browsers, again and again",
    run: ({ kernel }, stop) => runEach(100, () => repeat(stop, () => kernel.browsers.list())),
  },
  {
    title: "16 endless executions",
    run: ({ kernel, sessionId }, stop) => runEach(10, () => repeat(stop, () => execute(kernel, sessionId))),
  },
  {
    title: "20 recordings",
    run: (noisy, stop) => runEach(20, () => record(noisy, stop)),
    runBare: (launch, stop) => runEach(20, () => showBare(launch, MOVING_PAGE, stop, true)),
  },
  { title: "20 looping invocations", run: loopInvocations },
  {
    title: "40 viewers of one session",
    run: watch,
    runBare: (launch, stop) => showBare(launch, MOVING_PAGE, stop, true),
  },
];

/**
 * The calls of a quiet tenant beside the load of another one, compared with the same beside browsers that do
 * the same without Berth.
 *
 * @param filter part of the loads' titles.
 */
export async function measureNeighbours(
  service: ServiceClient,
  chrome: string,
  filter: string,
): Promise<Row[]> {
  const kernel = service.kernel({ apiKey: (await service.createOrganization()).apiKey });
  const quiet = await QuietTenant.start(kernel);
  const rows: Row[] = [];
  for (const load of LOADS.filter(({ title }) => title.includes(filter))) {
    console.log(`  beside: ${load.title}`);
    const { apiKey } = await service.createOrganization();
    const noisyKernel = service.kernel({ apiKey });
    const { session_id: sessionId } = await noisyKernel.browsers.create({ timeout_seconds: 600 });
    const noisy = { service, kernel: noisyKernel, sessionId };
    const berth = await beside(quiet, (stop) => load.run(noisy, stop));
    await endAll(noisyKernel);
    const direct = await beside(quiet, (stop) => runBare(chrome, load, stop));
    for (const [name, times] of berth) {
      const pair = pairOf(times, direct.get(name) ?? []);
      const added = Math.round(pair.berth.percentile(0.95) - pair.direct.percentile(0.95));
      const figure = `${name}, beside: ${load.title}: p95 + ${added} ms`;
      console.log(`    ${name}: p95 + ${added} ms`);
      rows.push({ figure, baseline: "beside bare Chromes", target: `+ ${TARGET_MS} ms`, ...pair });
    }
  }
  await quiet.end();
  return rows;
}

/** A tenant whose calls are timed. */
class QuietTenant {
  readonly #calls: [string, () => Promise<unknown>][];
  readonly #kernel: Kernel;
  readonly #id: string;
  readonly #client: DevToolsClient;

  private constructor(kernel: Kernel, id: string, client: DevToolsClient) {
    this.#kernel = kernel;
    this.#id = id;
    this.#client = client;
    this.#calls = [
      ["list of browsers", () => kernel.browsers.list()],
      ["move the mouse", () => kernel.browsers.computer.moveMouse(id, { x: 9, y: 9 })],
      ["exec true", () => kernel.browsers.process.exec(id, { command: "true" })],
      ["Runtime.evaluate", () => client.evaluate("1 + 1")],
    ];
  }

  static async start(kernel: Kernel): Promise<QuietTenant> {
    const session = await kernel.browsers.create({ timeout_seconds: 3600 });
    const client = await DevToolsClient.connect(session.cdp_ws_url);
    await client.attachToPage();
    return new QuietTenant(kernel, session.session_id, client);
  }

  /** @returns times in milliseconds, by call. */
  async measure(): Promise<Map<string, number[]>> {
    const samples = new Map<string, number[]>();
    const end = performance.now() + MEASURE_MS;
    const measureCall = async ([name, call]: [string, () => Promise<unknown>]) => {
      const times: number[] = [];
      samples.set(name, times);
      while (performance.now() < end) {
        times.push(await time(call));
        await setTimeout(PAUSE_MS);
      }
    };
    await Promise.all(this.#calls.map(measureCall));
    return samples;
  }

  async end(): Promise<void> {
    this.#client.close();
    await this.#kernel.browsers.deleteByID(this.#id);
  }
}

async function beside(quiet: QuietTenant, work: (stop: AbortSignal) => Promise<void>) {
  const stop = new AbortController();
  const running = work(stop.signal);
  try {
    await Promise.race([setTimeout(SETTLE_MS), running]);
    return await quiet.measure();
  } finally {
    stop.abort();
    await running;
  }
}

async function runBare(chrome: string, load: Load, stop: AbortSignal): Promise<void> {
  const browsers: Promise<Browser>[] = [];
  const launch = () => {
    const browser = launchChrome(chrome);
    browsers.push(browser);
    return browser;
  };
  await load.runBare?.(launch, stop);
  await Promise.all(browsers.map(async (browser) => (await browser).close()));
}

async function runEach(count: number, work: () => Promise<void>): Promise<void> {
  await Promise.all(Array.from({ length: count }, work));
}

/** Calls until stopped; calls may fail. */
async function repeat(stop: AbortSignal, call: () => Promise<unknown>): Promise<void> {
  while (!stop.aborted) await call().catch(() => setTimeout(PAUSE_MS));
}

async function untilStopped(stop: AbortSignal): Promise<void> {
  await setTimeout(10 * MEASURE_MS, undefined, { signal: stop }).catch(() => undefined);
}

async function floodTelemetry({ kernel }: Noisy, stop: AbortSignal): Promise<void> {
  const categories = { console: { enabled: true }, network: { enabled: true } };
  const telemetry = { enabled: true, browser: categories };
  const session = await kernel.browsers.create({ timeout_seconds: 600, telemetry });
  const client = await DevToolsClient.connect(session.cdp_ws_url);
  await client.attachToPage();
  await client.show(FLOOD);
  const readers = repeat(stop, async () => {
    const events = await kernel.browsers.telemetry.stream(
      session.session_id,
      { "Last-Event-ID": "0" },
      { signal: stop },
    );
    for await (const _ of events) if (stop.aborted) break;
  });
  await untilStopped(stop);
  await readers;
  client.close();
}

async function createOne(kernel: Kernel, stop: AbortSignal): Promise<void> {
  await kernel.browsers.create({ timeout_seconds: 60 }, { signal: stop }).catch(() => undefined);
}

async function createRefused({ service }: Noisy, stop: AbortSignal): Promise<void> {
  const { apiKey } = await service.createOrganization({ max_concurrent_sessions: 0 });
  const kernel = service.kernel({ apiKey });
  await runEach(100, () => repeat(stop, () => kernel.browsers.create()));
}

async function execute(kernel: Kernel, sessionId: string): Promise<void> {
  await kernel.browsers.playwright.execute(sessionId, {
    code: `${ENDLESS} // ${crypto.randomUUID()}`,
    timeout_sec: 5,
  });
}

async function record({ kernel }: Noisy, stop: AbortSignal): Promise<void> {
  const { session_id, cdp_ws_url } = await kernel.browsers.create({ timeout_seconds: 600 });
  const client = await DevToolsClient.connect(cdp_ws_url);
  await client.attachToPage();
  await client.show(MOVING_PAGE);
  await kernel.browsers.replays.start(session_id, { framerate: 10 });
  await untilStopped(stop);
  client.close();
}

async function loopInvocations({ kernel }: Noisy, stop: AbortSignal): Promise<void> {
  const app = await deployApp(
    kernel,
    `app.action("loop", async (context: KernelContext) => { ${ENDLESS} });`,
  );
  await runEach(20, () =>
    repeat(stop, async () => {
      const id = await invokeAsync(kernel, app, "loop", { timeout: 10 });
      for await (const _ of await kernel.invocations.follow(id)) if (stop.aborted) break;
    }),
  );
}

async function watch({ kernel, sessionId }: Noisy, stop: AbortSignal): Promise<void> {
  const { browser_live_view_url = "", cdp_ws_url } = await kernel.browsers.retrieve(sessionId);
  const client = await DevToolsClient.connect(cdp_ws_url);
  await client.attachToPage();
  await client.show(MOVING_PAGE);
  const viewers = await Promise.all(
    Array.from({ length: 40 }, () => LiveViewer.connect(browser_live_view_url)),
  );
  await untilStopped(stop);
  await Promise.all(viewers.map((viewer) => viewer.close()));
  client.close();
}

async function showBare(
  launch: () => Promise<Browser>,
  html: string,
  stop: AbortSignal,
  isCast = false,
): Promise<void> {
  const client = await DevToolsClient.connect((await launch()).wsEndpoint());
  await client.openPage();
  await client.show(html);
  if (isCast) await BareScreencast.start(client, { quality: 60, maxWidth: 1280, refreshRate: 10 });
  await untilStopped(stop);
  client.close();
}

async function launchOften(launch: () => Promise<Browser>, stop: AbortSignal): Promise<void> {
  while (!stop.aborted) await (await launch()).close();
}

async function endAll(kernel: Kernel): Promise<void> {
  for await (const { session_id } of kernel.browsers.list()) await kernel.browsers.deleteByID(session_id);
}

import { cpus } from "node:os";
import { parseArgs } from "node:util";
import { prepareBrowser } from "../scripts/local/browser.ts";
import { runScript } from "../scripts/local/set-up-error.ts";
import { listenForStop } from "../scripts/local/stop-request.ts";
import { Service } from "../test/conformance/service.ts";
import { launchChrome } from "./bare-chrome.ts";
import { BarePlatform } from "./bare-platform.ts";
import { simulateBroker } from "./figures/broker.ts";
import { measureComputer } from "./figures/computer.ts";
import { measureConnect } from "./figures/connect.ts";
import { measureDeployments } from "./figures/deployments.ts";
import { measureDevTools } from "./figures/devtools.ts";
import { measureInvocations } from "./figures/invocations.ts";
import { measureInvocationLists, measureLists } from "./figures/lists.ts";
import { measureLiveView } from "./figures/live-view.ts";
import { measureMachine } from "./figures/machine.ts";
import { measureMemory } from "./figures/memory.ts";
import { measureNeighbours } from "./figures/neighbours.ts";
import { measurePlaywright } from "./figures/playwright.ts";
import { measurePools } from "./figures/pools.ts";
import { measureProfiles, measureProxies } from "./figures/proxies.ts";
import { measureRecordings } from "./figures/recordings.ts";
import { measureSessions } from "./figures/sessions.ts";
import { measureStandby } from "./figures/standby.ts";
import { measureTelemetry } from "./figures/telemetry.ts";
import { seedLists } from "./seed.ts";
import { formatTable, type Row } from "./table.ts";

const USAGE = `Benchmarks a local Berth against baselines such as Chrome without Berth, and prints a table.

  npm run bench                 all figures; takes about four minutes
  npm run bench -- computer     figures whose title contains "computer"
  npm run bench -- broker       a simulated day of the broker, without a service; takes seconds
  npm run bench -- memory       memory growth of the local runtime over 1,000 sessions; takes ten minutes
  npm run bench -- neighbours   what a busy tenant adds to the calls of another one; takes five minutes

It starts a separate service with its own data. Timings are noisy: compare the ratios of several runs.`;

await runScript(async () => {
  const { values, positionals } = parseArgs({
    options: { help: { type: "boolean", short: "h" } },
    allowPositionals: true,
  });
  if (values.help) {
    console.log(USAGE);
    return 0;
  }
  if (positionals.join(" ") === "broker") {
    console.log(simulateBroker());
    return 0;
  }
  const { requested } = listenForStop();
  const path = await prepareBrowser(requested);
  const rows = await measure(path, requested, positionals.join(" "));
  console.log(`\n${cpus().length} processors, Node ${process.versions.node}. Times in milliseconds.\n`);
  console.log(formatTable(rows));
  return 0;
});

/**
 * @param chrome path of the Chrome that the service also launches.
 * @param filter part of the titles to measure.
 */
async function measure(chrome: string, stop: AbortSignal, filter: string): Promise<Row[]> {
  console.log("Starting a service and filling its database …");
  // The proxies of the benchmarks are on this machine.
  const settings = { ALLOW_PRIVATE_ADDRESSES: "true", PROXY_CHECK_URL: "http://echo.test/" };
  const service = await Service.start({ settings });
  try {
    const few = await service.createOrganization();
    const many = await service.createOrganization();
    await service.stop();
    await seedLists(service.stateDirectory, [
      { id: few.id, rows: 100 },
      { id: many.id, rows: 100_000 },
    ]);
    await service.restart();
    const rows: Row[] = [];
    const listed = { baseURL: service.baseURL, fewKey: few.apiKey, manyKey: many.apiKey };
    const figures: [string, () => Promise<Row[]>][] = [
      [
        "DevTools through a session",
        () =>
          withChrome(chrome, (url) =>
            withBarePlatform(chrome, (bare) => measureDevTools(service.kernel(), url, bare)),
          ),
      ],
      [
        "creating and ending sessions",
        () => withBarePlatform(chrome, (bare) => measureSessions(service.kernel(), bare)),
      ],
      ["creating sessions with standby browsers", () => measureStandby(service.kernel())],
      ["connect URLs", () => withChrome(chrome, measureConnect)],
      [
        "browser pools: acquire and release",
        () => withBarePlatform(chrome, (bare) => measurePools(service.kernel(), bare)),
      ],
      [
        "computer: input and screenshots",
        () => withChrome(chrome, (url) => measureComputer(service.kernel(), url)),
      ],
      ["proxies", () => withChrome(chrome, (url) => measureProxies(service.kernel(), url))],
      ["profiles", () => measureProfiles(service.kernel())],
      ["session files and processes", () => measureMachine(service.kernel())],
      ["app deployments", () => measureDeployments(service.kernel())],
      ["Playwright execution", () => withChrome(chrome, (url) => measurePlaywright(service.kernel(), url))],
      ["app invocations", () => measureInvocations(service.kernel())],
      ["live view", () => withChrome(chrome, (url) => measureLiveView(service.kernel(), url))],
      ["telemetry", () => measureTelemetry(service.kernel())],
      ["recordings", () => withChrome(chrome, (url) => measureRecordings(service, url))],
      ["long session lists", () => measureLists(listed)],
      ["long invocation lists", () => measureInvocationLists(listed)],
    ];
    if (filter === "memory") {
      console.log("Measuring the memory of the runtime over 1,000 sessions …");
      await measureMemory(service.kernel());
      return rows;
    }
    const [mode, ...load] = filter.split(" ");
    if (mode === "neighbours") return await measureNeighbours(service, chrome, load.join(" "));
    for (const [title, figure] of figures) {
      if (!title.includes(filter)) continue;
      stop.throwIfAborted();
      console.log(`Measuring ${title} …`);
      rows.push(...(await figure()));
    }
    return rows;
  } finally {
    await service.end();
  }
}

async function withChrome<T>(executablePath: string, work: (url: string) => Promise<T>): Promise<T> {
  const browser = await launchChrome(executablePath);
  try {
    return await work(browser.wsEndpoint());
  } finally {
    await browser.close();
  }
}

async function withBarePlatform<T>(chrome: string, work: (bare: BarePlatform) => Promise<T>): Promise<T> {
  const bare = await BarePlatform.start(chrome);
  try {
    return await work(bare);
  } finally {
    await bare.stop();
  }
}

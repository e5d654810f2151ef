import { cpus } from "node:os";
import { prepareBrowser } from "../scripts/local/browser.ts";
import { readArguments } from "../scripts/local/options.ts";
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
import { measureMachineStart } from "./figures/machine-start.ts";
import { measureMCP } from "./figures/mcp.ts";
import { measureMemory } from "./figures/memory.ts";
import { measureNeighbours } from "./figures/neighbours.ts";
import { measurePlaywright } from "./figures/playwright.ts";
import { measurePools } from "./figures/pools.ts";
import { measureProfiles, measureProxies } from "./figures/proxies.ts";
import { measureRecordings } from "./figures/recordings.ts";
import { measureWholeSessions } from "./figures/session.ts";
import { measureSessions } from "./figures/sessions.ts";
import { measureStandby } from "./figures/standby.ts";
import { measureTelemetry } from "./figures/telemetry.ts";
import { seedLists } from "./seed.ts";
import { formatTable, type Row } from "./table.ts";

const USAGE = `Benchmarks a local Berth against baselines such as Chrome without Berth, and prints a table.

  npm run bench                 all figures; takes about four minutes
  npm run bench -- computer     figures whose title contains "computer"
  npm run bench -- broker       a simulated day of the broker, without a service; takes seconds
  npm run bench -- session      whole sessions beside Chrome directly, and beside PEERS ("name=URL …") if set
  npm run bench -- memory       memory growth of the local runtime over 1,000 sessions; takes ten minutes
  npm run bench -- neighbours   what a busy tenant adds to the calls of another one; takes five minutes

It starts a separate service with its own data. Timings are noisy: compare the ratios of several runs.`;

await runScript(async () => {
  const { positionals } = readArguments(USAGE, [], Number.POSITIVE_INFINITY);
  if (positionals.join(" ") === "broker") {
    console.log(simulateBroker());
    return 0;
  }
  const { requested } = listenForStop();
  const path = await prepareBrowser(requested);
  if (positionals.join(" ") === "session") {
    console.log(await measureWholeSessions(path, process.env.PEERS));
    return 0;
  }
  const rows = await measure(path, requested, positionals.join(" "));
  console.log(`\n${cpus().length} processors, Node ${process.versions.node}. Times in milliseconds.\n`);
  console.log(formatTable(rows));
  return 0;
});

/** @param chrome path of Chrome, which the service also launches. @param filter part of titles to measure. */
async function measure(chrome: string, stop: AbortSignal, filter: string): Promise<Row[]> {
  console.log("Starting a service and filling its database …");
  // The proxies of the benchmarks are on this machine.
  const settings = {
    ALLOW_PRIVATE_ADDRESSES: "true",
    PROXY_CHECK_URL: "http://echo.test/",
    MACHINE: "simulated",
  };
  const switches = ["--linux"];
  await using cleanUp = new AsyncDisposableStack();
  const service = cleanUp.adopt(await Service.start({ settings, switches }), (started) => started.end());
  const few = await service.createOrganization();
  const many = await service.createOrganization();
  await service.stop();
  await seedLists(service.stateDirectory, [
    { id: few.id, rows: 100 },
    { id: many.id, rows: 100_000 },
  ]);
  await service.restart(undefined, switches);
  const rows: Row[] = [];
  const listed = { baseURL: service.baseURL, fewKey: few.apiKey, manyKey: many.apiKey };
  const kernel = service.kernel();
  const besideChrome = (work: (url: string) => Promise<Row[]>) => async () => {
    await using browser = await launchChrome(chrome);
    return await work(browser.wsEndpoint());
  };
  const besidePlatform = (work: (bare: BarePlatform) => Promise<Row[]>) => async () => {
    await using bare = await BarePlatform.start(chrome);
    return await work(bare);
  };
  const figures: Record<string, () => Promise<Row[]>> = {
    "DevTools through a session": besideChrome((url) =>
      besidePlatform((bare) => measureDevTools(kernel, url, bare))(),
    ),
    "creating and ending sessions": besidePlatform((bare) => measureSessions(kernel, bare)),
    "creating sessions with standby browsers": () => measureStandby(kernel),
    "connect URLs": besideChrome(measureConnect),
    "browser pools: acquire and release": besidePlatform((bare) => measurePools(kernel, bare)),
    "computer: input and screenshots": besideChrome((url) => measureComputer(kernel, url)),
    proxies: besideChrome((url) => measureProxies(kernel, url)),
    profiles: () => measureProfiles(kernel),
    "session files and processes": () => measureMachine(kernel, "simulated"),
    "linux machines": async () => [
      ...(await measureMachineStart()),
      ...(await measureMachine(kernel, "linux")),
    ],
    "app deployments": () => measureDeployments(kernel),
    "Playwright execution": besideChrome((url) => measurePlaywright(kernel, url)),
    "MCP browser_navigate": () => measureMCP(service, chrome),
    "app invocations": () => measureInvocations(kernel),
    "live view": besideChrome((url) => measureLiveView(kernel, url)),
    telemetry: () => measureTelemetry(kernel),
    recordings: besideChrome((url) => measureRecordings(service, url)),
    "long session lists": () => measureLists(listed),
    "long invocation lists": () => measureInvocationLists(listed),
  };
  if (filter === "memory") {
    console.log("Measuring the memory of the runtime over 1,000 sessions …");
    await measureMemory(kernel);
    return rows;
  }
  const [mode, ...load] = filter.split(" ");
  if (mode === "neighbours") return await measureNeighbours(service, chrome, load.join(" "));
  for (const [title, figure] of Object.entries(figures)) {
    if (!title.includes(filter)) continue;
    stop.throwIfAborted();
    console.log(`Measuring ${title} …`);
    rows.push(...(await figure()));
  }
  return rows;
}

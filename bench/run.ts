import { cpus } from "node:os";
import { parseArgs } from "node:util";
import puppeteer from "puppeteer-core";
import { prepareBrowser } from "../scripts/local/browser.ts";
import { runScript } from "../scripts/local/set-up-error.ts";
import { listenForStop } from "../scripts/local/stop-request.ts";
import { Service } from "../test/conformance/service.ts";
import { BarePlatform } from "./bare-platform.ts";
import { measureComputer } from "./figures/computer.ts";
import { measureDeployments } from "./figures/deployments.ts";
import { measureDevTools } from "./figures/devtools.ts";
import { measureInvocations } from "./figures/invocations.ts";
import { measureInvocationLists, measureLists } from "./figures/lists.ts";
import { measureLiveView } from "./figures/live-view.ts";
import { measureMachine } from "./figures/machine.ts";
import { measureMemory } from "./figures/memory.ts";
import { measurePlaywright } from "./figures/playwright.ts";
import { measurePools } from "./figures/pools.ts";
import { measureProfiles, measureProxies } from "./figures/proxies.ts";
import { measureSessions } from "./figures/sessions.ts";
import { measureStandby } from "./figures/standby.ts";
import { seedLists } from "./seed.ts";
import { formatTable, type Row } from "./table.ts";

const USAGE = `Measures a local Berth beside Chrome driven directly, in the same run, and prints one table.

  npm run bench
  npm run bench -- computer     the figures whose title holds "computer"
  npm run bench -- memory       how the local runtime grows over 1,000 sessions; takes ten minutes

It starts a service of its own, with data of its own, and takes about four minutes. Machines differ and are noisy:
compare the ratios, over several runs, not the times.`;

await runScript(async () => {
  const { values, positionals } = parseArgs({
    options: { help: { type: "boolean", short: "h" } },
    allowPositionals: true,
  });
  if (values.help) {
    console.log(USAGE);
    return 0;
  }
  const { asked } = listenForStop();
  const { executable } = await prepareBrowser(asked);
  const rows = await measure(executable, asked, positionals.join(" "));
  console.log(`\n${cpus().length} processors, Node ${process.versions.node}. Times in milliseconds.\n`);
  console.log(formatTable(rows));
  return 0;
});

/**
 * @param chrome the executable that the service launches too.
 * @param wanted part of the titles of the figures to measure.
 */
async function measure(chrome: string, stop: AbortSignal, wanted: string): Promise<Row[]> {
  console.log("Starting a service and filling its database …");
  // Proxies of the benchmarks are on this machine.
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
      ["creating sessions with a browser standing by", () => measureStandby(service.kernel())],
      [
        "a pool: acquire and release",
        () => withBarePlatform(chrome, (bare) => measurePools(service.kernel(), bare)),
      ],
      [
        "the computer: input and screenshots",
        () => withChrome(chrome, (url) => measureComputer(service.kernel(), url)),
      ],
      ["proxies", () => withChrome(chrome, (url) => measureProxies(service.kernel(), url))],
      ["profiles", () => measureProfiles(service.kernel())],
      ["the machine: files and processes", () => measureMachine(service.kernel())],
      ["deployments of apps", () => measureDeployments(service.kernel())],
      ["code beside a browser", () => withChrome(chrome, (url) => measurePlaywright(service.kernel(), url))],
      ["invocations of apps", () => measureInvocations(service.kernel())],
      ["the live view", () => withChrome(chrome, (url) => measureLiveView(service.kernel(), url))],
      ["long lists of sessions", () => measureLists(listed)],
      ["long lists of invocations", () => measureInvocationLists(listed)],
    ];
    if (wanted === "memory") {
      console.log("Measuring the runtime's memory over 1,000 sessions …");
      await measureMemory(service.kernel());
      return rows;
    }
    for (const [title, figure] of figures) {
      if (!title.includes(wanted)) continue;
      stop.throwIfAborted();
      console.log(`Measuring ${title} …`);
      rows.push(...(await figure()));
    }
    return rows;
  } finally {
    await service.end();
  }
}

/** A Chrome of its own, with nothing between it and whoever drives it. */
async function withChrome<T>(executablePath: string, work: (url: string) => Promise<T>): Promise<T> {
  const browser = await puppeteer.launch({ executablePath, headless: true });
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

import { cpSync } from "node:fs";
import { join } from "node:path";
import { parseCLI } from "vitest/node";
import { ASSETS } from "./build-assets.ts";
import { prepareBrowser } from "./local/browser.ts";
import { prepareDevVars } from "./local/dev-vars.ts";
import { offerToMiniflare } from "./local/miniflare-browser.ts";
import { exitWithHelp } from "./local/options.ts";
import { packageFolder, ROOT, TOOL_FOLDER } from "./local/paths.ts";
import { prepareBuild } from "./local/service-build.ts";
import { BUILD_FILES } from "./local/service-options.ts";
import { runScript, SetUpError } from "./local/set-up-error.ts";
import { listenForStop, type StopRequest, waitForAbort } from "./local/stop-request.ts";
import { SupervisedProcess } from "./local/supervised-process.ts";
import { makeTemporaryFolder, removeTemporaryFolder } from "./local/temporary-folder.ts";
import { wranglerEnvironment } from "./local/wrangler-environment.ts";

const USAGE = `Runs the tests with vitest, and those of the console with Playwright Test.

  npm test                         default lane: tests in workerd, the scripts, the service's main paths
  npm run test:conformance         the other tests against running services, and *.slow.test.ts
  npm run test:console             the console in a browser; a part of test:conformance
  npm run test:exhaustive          long tests: comparison with Linux, hostile code, property tests, soak

  npm test -- inactivity           files of any lane whose path contains "inactivity"
  npm test -- -t "times out"       tests of any lane whose name matches
  npm run test:conformance -- --shard=1/3
                                   a third of the lane; other options of vitest run work, too

Environment:
  CHROME_PATH  Chrome or Chromium to use (an installed one, or a download)`;

/** Of vitest.config.ts, which has a further one for a selection of files or tests. */
const LANES = ["default", "conformance", "exhaustive"];

/** Its tests run with Playwright Test. */
const CONSOLE_LANE = "console";

const CONSOLE_CONFIG = join(ROOT, "test", "console", "playwright.config.ts");

const LANE_OPTION = "--lane=";

const INTERRUPTED_EXIT_CODE = 130;

await runScript(async () => {
  const args = process.argv.slice(2);
  exitWithHelp(USAGE, args);
  const { lane, commands } = chooseRuns(args);
  const stop = listenForStop();
  try {
    prepareDevVars();
    const chrome = await prepareBrowser(stop.requested);
    const build = await prepareBuild(stop.requested);
    cpSync(join(build, BUILD_FILES.assets), ASSETS, { recursive: true });
    let exitCode = 0;
    for (const command of commands) {
      const code = await run(command, lane, chrome, stop);
      if (code !== 0) exitCode = code;
      if (stop.requested.aborted) break;
    }
    return exitCode;
  } catch (error) {
    if (stop.requested.aborted) return INTERRUPTED_EXIT_CODE;
    throw error;
  }
});

/** @throws SetUpError on an unknown lane. */
function chooseRuns(args: readonly string[]): { lane: string; commands: string[][] } {
  const named = args.find((arg) => arg.startsWith(LANE_OPTION))?.slice(LANE_OPTION.length);
  const others = args.filter((arg) => !arg.startsWith(LANE_OPTION));
  const playwright = [
    join(packageFolder("@playwright/test"), "cli.js"),
    "test",
    "-c",
    CONSOLE_CONFIG,
    ...others,
  ];
  if (named === CONSOLE_LANE) return { lane: named, commands: [playwright] };
  const { filter, options } = parseCLI(["vitest", "run", ...others]);
  const isSelection = filter.length > 0 || options.testNamePattern !== undefined;
  const lane = named ?? (isSelection ? "selection" : "default");
  if (named !== undefined && !LANES.includes(named))
    throw new SetUpError(`Unknown lane ${named}.\n\n${USAGE}`);
  const vitest = [join(packageFolder("vitest"), "vitest.mjs"), "run", ...others];
  const isWholeLane = others.every((arg) => arg.startsWith("--shard"));
  return { lane, commands: lane === "conformance" && isWholeLane ? [vitest, playwright] : [vitest] };
}

async function run(command: string[], lane: string, chrome: string, stop: StopRequest): Promise<number> {
  await using cleanUp = new AsyncDisposableStack();
  const temporaryFolder = cleanUp.adopt(makeTemporaryFolder(), removeTemporaryFolder);
  const runner = new SupervisedProcess(process.execPath, command, {
    env: {
      ...wranglerEnvironment(join(TOOL_FOLDER, "test")),
      CHROME_PATH: chrome,
      TEST_LANE: lane,
      ...offerToMiniflare(chrome),
    },
    stdio: ["ignore", "inherit", "inherit"],
    temporaryFolder,
  });
  cleanUp.defer(() => runner.stop(stop.forced));
  const ended = await Promise.race([runner.ended, waitForAbort(stop.requested)]);
  if (stop.requested.aborted) return INTERRUPTED_EXIT_CODE;
  return typeof ended === "number" ? ended : 1;
}

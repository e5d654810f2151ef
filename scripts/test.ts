import { cpSync } from "node:fs";
import { join } from "node:path";
import { parseCLI } from "vitest/node";
import { ASSETS } from "./build-assets.ts";
import { prepareBrowser } from "./local/browser.ts";
import { BUILD_FILES } from "./local/build-files.ts";
import { prepareDevVars } from "./local/dev-vars.ts";
import { exitWithHelp } from "./local/options.ts";
import { packageFolder, TOOL_FOLDER } from "./local/paths.ts";
import { prepareBuild } from "./local/service-build.ts";
import { runScript, SetUpError } from "./local/set-up-error.ts";
import { listenForStop, type StopRequest, waitForAbort } from "./local/stop-request.ts";
import { SupervisedProcess } from "./local/supervised-process.ts";
import { makeTemporaryFolder, removeTemporaryFolder } from "./local/temporary-folder.ts";
import { wranglerEnvironment } from "./local/wrangler-environment.ts";

const USAGE = `Runs the tests with vitest.

  npm test                         default lane: tests in workerd, the scripts, the service's main paths
  npm run test:conformance         all tests against a running service, and the slow tests in workerd
  npm run test:exhaustive          long tests: comparison with Linux, hostile code, property tests, soak

  npm test -- inactivity           files of any lane whose path contains "inactivity"
  npm test -- -t "times out"       tests of any lane whose name matches
  npm run test:conformance -- --shard=1/3
                                   a third of the lane; other options of vitest run work, too

Environment:
  CHROME_PATH  Chrome or Chromium to use (an installed one, or a download)`;

/** The projects of vitest.config.ts in each lane. */
const LANES = {
  default: ["fake-timers", "workerd", "machine-smoke", "machine-routes", "scripts", "service"],
  conformance: ["slow", "conformance"],
  exhaustive: ["scaled", "exhaustive-workerd", "exhaustive", "machine"],
};

/** Together they contain every test once, for a selection by file or name. */
const SELECTION_PROJECTS = [
  "fake-timers",
  "workerd",
  "slow",
  "machine-routes",
  "exhaustive-workerd",
  "scripts",
  "conformance",
  "exhaustive",
  "machine",
];

type Lane = keyof typeof LANES;

const LANE_OPTION = "--lane=";

const INTERRUPTED_EXIT_CODE = 130;

await runScript(async () => {
  const args = process.argv.slice(2);
  exitWithHelp(USAGE, args);
  const vitestArgs = chooseProjects(args);
  const stop = listenForStop();
  try {
    prepareDevVars();
    const { variables } = await prepareBrowser(stop.requested);
    const build = await prepareBuild(stop.requested);
    cpSync(join(build, BUILD_FILES.assets), ASSETS, { recursive: true });
    return await runVitest(vitestArgs, variables, stop);
  } catch (error) {
    if (stop.requested.aborted) return INTERRUPTED_EXIT_CODE;
    throw error;
  }
});

/** Replaces `--lane` with the lane's projects. @throws SetUpError on an unknown lane. */
function chooseProjects(args: readonly string[]): string[] {
  const lane = args.find((arg) => arg.startsWith(LANE_OPTION))?.slice(LANE_OPTION.length);
  const others = args.filter((arg) => !arg.startsWith(LANE_OPTION));
  const { filter, options } = parseCLI(["vitest", "run", ...others]);
  if (options.project !== undefined) return others;
  const isSelection = filter.length > 0 || options.testNamePattern !== undefined;
  const projects =
    lane === undefined && isSelection ? SELECTION_PROJECTS : LANES[readLane(lane ?? "default")];
  return [...projects.map((project) => `--project=${project}`), ...others];
}

function readLane(name: string): Lane {
  const lanes = Object.keys(LANES) as Lane[];
  const lane = lanes.find((candidate) => candidate === name);
  if (lane === undefined) throw new SetUpError(`Unknown lane ${name}.\n\n${USAGE}`);
  return lane;
}

async function runVitest(
  args: string[],
  variables: Record<string, string>,
  stop: StopRequest,
): Promise<number> {
  const temporaryFolder = makeTemporaryFolder();
  const command = [join(packageFolder("vitest"), "vitest.mjs"), "run", ...args];
  const vitest = new SupervisedProcess(process.execPath, command, {
    env: { ...wranglerEnvironment(join(TOOL_FOLDER, "test")), ...variables },
    stdio: ["ignore", "inherit", "inherit"],
    temporaryFolder,
  });
  try {
    const ended = await Promise.race([vitest.ended, waitForAbort(stop.requested)]);
    if (stop.requested.aborted) return INTERRUPTED_EXIT_CODE;
    return typeof ended === "number" ? ended : 1;
  } finally {
    await vitest.stop(stop.forced);
    removeTemporaryFolder(temporaryFolder);
  }
}

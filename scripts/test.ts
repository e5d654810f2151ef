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
import { listenForStop, type StopRequest, untilAborted } from "./local/stop-request.ts";
import { SupervisedProcess } from "./local/supervised-process.ts";
import { makeTemporaryFolder, removeTemporaryFolder } from "./local/temporary-folder.ts";
import { wranglerEnvironment } from "./local/wrangler-environment.ts";

const USAGE = `Sets up this machine as npm start does, then runs tests with vitest.

  npm test                         the default lane: inside workerd, the scripts, the service's main paths
  npm run test:conformance         every test that drives the running service, and the slow ones inside workerd
  npm run test:exhaustive          the long ones: comparison with a live Linux, hostile code, long property runs, the soak

  npm test -- inactivity           the files whose path holds "inactivity", of every lane
  npm test -- -t "times out"       the tests of such a name, of every lane
  npm run test:conformance -- --shard=1/3
                                   a third of the lane; every other option of vitest run can be given, too

CHROME_PATH names the Chrome or Chromium to use.`;

/** The projects of vitest.config.ts that a lane runs. */
const LANES = {
  default: ["fake-timers", "workerd", "machine-smoke", "machine-routes", "scripts", "service"],
  conformance: ["slow", "conformance"],
  exhaustive: ["scaled", "exhaustive-workerd", "exhaustive", "machine"],
};

/** Those that have every test once, for files or tests that are asked for by name. */
const ALL_PROJECTS = [
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

const STOPPED_BY_USER = 130;

await runScript(async () => {
  const args = process.argv.slice(2);
  exitWithHelp(USAGE, args);
  const vitestArgs = chooseProjects(args);
  const stop = listenForStop();
  try {
    prepareDevVars();
    const { variables } = await prepareBrowser(stop.asked);
    const build = await prepareBuild(stop.asked);
    cpSync(join(build, BUILD_FILES.assets), ASSETS, { recursive: true });
    return await runVitest(vitestArgs, variables, stop);
  } catch (error) {
    if (stop.asked.aborted) return STOPPED_BY_USER;
    throw error;
  }
});

/**
 * The arguments with the projects of their lane in place of it.
 *
 * @throws SetUpError on an unknown lane.
 */
function chooseProjects(args: readonly string[]): string[] {
  const lane = args.find((arg) => arg.startsWith(LANE_OPTION))?.slice(LANE_OPTION.length);
  const others = args.filter((arg) => !arg.startsWith(LANE_OPTION));
  const { filter, options } = parseCLI(["vitest", "run", ...others]);
  if (options.project !== undefined) return others;
  const isSelection = filter.length > 0 || options.testNamePattern !== undefined;
  const projects = lane === undefined && isSelection ? ALL_PROJECTS : LANES[readLane(lane ?? "default")];
  return [...projects.map((project) => `--project=${project}`), ...others];
}

function readLane(name: string): Lane {
  const lanes = Object.keys(LANES) as Lane[];
  const lane = lanes.find((known) => known === name);
  if (lane === undefined) throw new SetUpError(`Unknown lane ${name}.\n\n${USAGE}`);
  return lane;
}

/** Answers vitest's exit code. */
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
    const ended = await Promise.race([vitest.ended, untilAborted(stop.asked)]);
    if (stop.asked.aborted) return STOPPED_BY_USER;
    return typeof ended === "number" ? ended : 1;
  } finally {
    await vitest.stop(stop.insisted);
    removeTemporaryFolder(temporaryFolder);
  }
}

import { join } from "node:path";
import { buildAssets } from "./build-assets.ts";
import { prepareBrowser } from "./local/browser.ts";
import { prepareDevVars } from "./local/dev-vars.ts";
import { exitWithHelp } from "./local/options.ts";
import { packageFolder, TOOL_FOLDER } from "./local/paths.ts";
import { runScript } from "./local/set-up-error.ts";
import { listenForStop, type StopRequest, untilAborted } from "./local/stop-request.ts";
import { SupervisedProcess } from "./local/supervised-process.ts";
import { makeTemporaryFolder, removeTemporaryFolder } from "./local/temporary-folder.ts";
import { wranglerEnvironment } from "./local/wrangler-environment.ts";

const USAGE = `Sets up this machine as npm start does, then runs every test with vitest.

  npm test                         everything
  npm test -- inactivity           the files whose path holds "inactivity"
  npm test -- -t "times out"       the tests of such a name; every option of vitest run can be given

CHROME_PATH names the Chrome or Chromium to use.`;

const STOPPED_BY_USER = 130;

await runScript(async () => {
  const args = process.argv.slice(2);
  exitWithHelp(USAGE, args);
  const stop = listenForStop();
  try {
    prepareDevVars();
    const { variables } = await prepareBrowser(stop.asked);
    buildAssets();
    return await runVitest(args, variables, stop);
  } catch (error) {
    if (stop.asked.aborted) return STOPPED_BY_USER;
    throw error;
  }
});

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

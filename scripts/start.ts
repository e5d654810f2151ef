import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { buildAssets, watchConsole } from "./build-assets.ts";
import { buildPageScripts } from "./build-page-scripts.ts";
import { type Address, readAddress, requireFreePort } from "./local/address.ts";
import { chooseAPIKey } from "./local/api-key-file.ts";
import { type PreparedBrowser, prepareBrowser } from "./local/browser.ts";
import { runCommand } from "./local/command.ts";
import { prepareDevVars } from "./local/dev-vars.ts";
import { readSwitches } from "./local/options.ts";
import { WRANGLER } from "./local/paths.ts";
import { runEveryMinute, triggerScheduled } from "./local/scheduled.ts";
import { runService, type ServiceCommand } from "./local/service.ts";
import { prepareBuild } from "./local/service-build.ts";
import { ServiceLock } from "./local/service-lock.ts";
import { runScript } from "./local/set-up-error.ts";
import { openStateDirectory, type StateDirectory } from "./local/state-directory.ts";
import { listenForStop, type StopRequest } from "./local/stop-request.ts";
import { wranglerDevArguments } from "./local/wrangler-config.ts";
import { wranglerEnvironment } from "./local/wrangler-environment.ts";

const LOCAL = join(import.meta.dirname, "local");

const USAGE = `Runs Berth on this machine, and installs what it needs.

  npm start            runs a snapshot: source changes do not affect running sessions
  npm run dev          runs the sources with wrangler dev: every source change reloads, and ends all sessions

Environment:
  PORT                   port to listen on (8787)
  HOST                   address to listen on (127.0.0.1)
  BERTH_API_KEY          API key of the local organization (generated on the first start)
  BERTH_STATE_DIRECTORY  folder for the data and the API key (.wrangler/local)
  CHROME_PATH            Chrome or Chromium to use (an installed one, or a download)
  ENCRYPTION_KEY         key of a restored backup (the one in .dev.vars); only for npm start
  and any setting in [vars] of wrangler.toml, such as MAX_CONCURRENT_SESSIONS

The first start generates secrets in .dev.vars.`;

await runScript(async () => {
  const switches = readSwitches(USAGE, ["reload"]);
  const stop = listenForStop();
  try {
    await start(switches.has("reload"), stop);
  } catch (error) {
    if (!stop.requested.aborted) throw error;
  }
  console.log("Stopped.");
  return 0;
});

async function start(reload: boolean, stop: StopRequest): Promise<void> {
  const address = readAddress(process.env);
  const state = openStateDirectory(process.env);
  const lock = await ServiceLock.acquire(state.lockFile, address.url);
  try {
    await requireFreePort(address);
    const apiKey = chooseAPIKey(state.apiKeyFile, process.env.BERTH_API_KEY);
    prepareDevVars();
    const browser = await prepareBrowser(stop.requested, join(state.path, "cache"));
    if (!address.isLoopback) console.log(NOT_LOOPBACK_WARNING);
    rmSync(state.snapshot, { recursive: true, force: true });
    mkdirSync(state.snapshot, { mode: 0o700 });
    const prepare = reload ? prepareReloading : prepareServing;
    const command = await prepare({ address, state, apiKey, browser, signal: stop.requested });
    await runService({ address, lock, apiKey, command, stop });
  } finally {
    lock.release();
  }
}

const NOT_LOOPBACK_WARNING = `
Warning: HOST is not a loopback address. Anyone who can reach it with an API key controls browsers that run on this
machine as your user, in your network, over plain HTTP. Deploy to Cloudflare to share Berth with people you do not trust.
`;

interface Preparation {
  address: Address;
  state: StateDirectory;
  apiKey: string;
  browser: PreparedBrowser;
  signal: AbortSignal;
}

async function prepareServing({ state, apiKey, browser, signal }: Preparation): Promise<ServiceCommand> {
  const build = await prepareBuild(signal);
  console.log("Starting the local runtime …");
  return {
    title: "The local runtime",
    program: [join(LOCAL, "serve.ts"), build, browser.path],
    env: { ...process.env, BERTH_STATE_DIRECTORY: state.path, BERTH_API_KEY: apiKey },
  };
}

async function prepareReloading(preparation: Preparation): Promise<ServiceCommand> {
  const { address, state, apiKey, browser, signal } = preparation;
  console.log("Preparing the database …");
  buildPageScripts();
  await buildAssets(signal);
  const env = { ...wranglerEnvironment(state.path), ...browser.variables };
  await runCommand(process.execPath, [join(LOCAL, "prepare-reloading.ts")], {
    title: "Preparing the database",
    env: { ...env, BERTH_STATE_DIRECTORY: state.path, BERTH_API_KEY: apiKey },
    signal,
  });
  console.log("Starting wrangler dev …");
  return {
    title: "wrangler dev",
    program: [WRANGLER, ...wranglerDevArguments(state, address, process.env)],
    env,
    whileRunning: async (signal) => {
      await watchConsole(signal);
      await runEveryMinute(() => triggerScheduled(address.url, signal), signal);
    },
  };
}

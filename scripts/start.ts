import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { buildAssets } from "./build-assets.ts";
import { readAddress, requireFreePort } from "./local/address.ts";
import { chooseAPIKey } from "./local/api-key-file.ts";
import { prepareBrowser } from "./local/browser.ts";
import { bundleWorker } from "./local/build.ts";
import { runCommand } from "./local/command.ts";
import { prepareDevVars } from "./local/dev-vars.ts";
import { readSwitches } from "./local/options.ts";
import { runService } from "./local/service.ts";
import { ServiceLock } from "./local/service-lock.ts";
import { runScript } from "./local/set-up-error.ts";
import { openStateDirectory, type StateDirectory } from "./local/state-directory.ts";
import { listenForStop, type StopRequest } from "./local/stop-request.ts";
import { wranglerEnvironment } from "./local/wrangler-environment.ts";

const USAGE = `Sets up this machine and runs Berth on it, under wrangler dev.

  npm start            runs a snapshot: editing the sources ends no session
  npm run dev          runs the sources: every saved change reloads, and ends all sessions

Environment:
  PORT                   port to listen on (8787)
  HOST                   address to listen on (127.0.0.1)
  BERTH_API_KEY          key of the local organization (made by the first start, then kept)
  BERTH_STATE_DIRECTORY  where data and the key are kept (.wrangler/local)
  CHROME_PATH            Chrome or Chromium to use (an installed one, else a download)
  and every setting of wrangler.toml's [vars], such as MAX_CONCURRENT_SESSIONS
Secrets are in .dev.vars, which the first start makes.`;

await runScript(async () => {
  const switches = readSwitches(USAGE, ["reload"]);
  const stop = listenForStop();
  try {
    await start(switches.has("reload"), stop);
  } catch (error) {
    if (!stop.asked.aborted) throw error;
  }
  console.log("Stopped.");
  return 0;
});

async function start(reload: boolean, stop: StopRequest): Promise<void> {
  const address = readAddress(process.env);
  const state = openStateDirectory(process.env);
  const lock = await ServiceLock.take(state.lockFile, address.url);
  try {
    await requireFreePort(address);
    const apiKey = chooseAPIKey(state.apiKeyFile, process.env.BERTH_API_KEY);
    prepareDevVars();
    const browserVariables = await prepareBrowser(stop.asked);
    await prepareSnapshot(state, { apiKey, reload, signal: stop.asked });
    console.log("Starting wrangler dev …");
    await runService({ address, state, lock, apiKey, browserVariables, stop });
  } finally {
    lock.release();
  }
}

interface SnapshotOptions {
  apiKey: string;
  reload: boolean;
  signal: AbortSignal;
}

/** Makes what runs (bundle, assets, configuration) and what it runs on (the database), side by side. */
async function prepareSnapshot(
  state: StateDirectory,
  { apiKey, reload, signal }: SnapshotOptions,
): Promise<void> {
  console.log(reload ? "Preparing the database …" : "Bundling the Worker and preparing the database …");
  rmSync(state.snapshot, { recursive: true, force: true });
  mkdirSync(state.snapshot, { mode: 0o700 });
  buildAssets();
  buildAssets(state.assets);
  const prepareState = join(import.meta.dirname, "local", "prepare-state.ts");
  const steps = await Promise.allSettled([
    reload ? undefined : bundleWorker(state, signal),
    runCommand(process.execPath, [prepareState, ...(reload ? ["--reload"] : [])], {
      title: "Preparing the database",
      env: { ...wranglerEnvironment(state.path), BERTH_STATE_DIRECTORY: state.path, BERTH_API_KEY: apiKey },
      signal,
    }),
  ]);
  // Only now: when one fails, the other must not be left running.
  const failure = steps.find((step) => step.status === "rejected");
  if (failure !== undefined) throw failure.reason;
}

import { join } from "node:path";
import { readAddress, requireFreePort } from "./local/address.ts";
import { chooseAPIKey } from "./local/api-key-file.ts";
import { consoleLink, readyBanner } from "./local/banner.ts";
import { prepareBrowser } from "./local/browser.ts";
import { waitForOtherBuild } from "./local/changed-build.ts";
import { prepareDevVars, readDevVars } from "./local/dev-vars.ts";
import { LINUX, requireSandboxes } from "./local/linux-machines.ts";
import { readSwitches } from "./local/options.ts";
import { runService, type ServiceOptions } from "./local/service.ts";
import { prepareBuild } from "./local/service-build.ts";
import { ServiceLock } from "./local/service-lock.ts";
import { toLogLine, toReadableLine } from "./local/service-output.ts";
import { runScript } from "./local/set-up-error.ts";
import { openStateDirectory, requireWritable } from "./local/state-directory.ts";
import { listenForStop, type StopRequest } from "./local/stop-request.ts";

const SERVE = join(import.meta.dirname, "local", "serve.ts");

const FOREVER = new Promise<undefined>(() => {});

const USAGE = `Runs Berth on this machine, and installs what it needs.

  npm start            runs a snapshot: source changes do not affect running sessions
  npm run dev          builds after each change of the sources, and starts again, which ends all sessions
  npm start -- --linux  gives sessions a real Linux machine (needs Linux and bubblewrap)
  npm start -- --json  prints the log as JSON, as it does if the output is not a terminal

Environment:
  PORT                   port to listen on (8787)
  HOST                   address to listen on (127.0.0.1)
  BERTH_API_KEY          API key of the local organization (generated on the first start)
  BERTH_STATE_DIRECTORY  folder for the data and the API key (.wrangler/local)
  CHROME_PATH            Chrome or Chromium to use (an installed one, or a download)
  ENCRYPTION_KEY         key of a restored backup (the one in .dev.vars)
  and any setting in [vars] of wrangler.toml, such as MAX_CONCURRENT_SESSIONS

The first start generates secrets in .dev.vars.`;

await runScript(async () => {
  const switches = readSwitches(USAGE, ["reload", "linux", "json"]);
  const stop = listenForStop();
  try {
    const isJSON = switches.has("json") || !process.stdout.isTTY;
    const hasLinux = switches.has("linux");
    if (hasLinux) requireSandboxes();
    await start(
      { reload: switches.has("reload"), hasLinux, format: isJSON ? toLogLine : toReadableLine },
      stop,
    );
  } catch (error) {
    if (!stop.requested.aborted) throw error;
  }
  console.log("Stopped.");
  return 0;
});

interface StartOptions {
  /** Whether to start again after each change of the sources. */
  reload: boolean;
  /** Whether sessions have Linux machines. */
  hasLinux: boolean;
  /** Formats a line of the log. */
  format: (line: string) => string;
}

async function start({ reload, hasLinux, format }: StartOptions, stop: StopRequest): Promise<void> {
  const address = readAddress(process.env);
  const state = openStateDirectory(process.env);
  requireWritable(state.path);
  using lock = await ServiceLock.acquire(state.lockFile, address.url);
  await requireFreePort(address);
  const apiKey = chooseAPIKey(state.apiKeyFile, process.env.BERTH_API_KEY);
  prepareDevVars();
  const browser = await prepareBrowser(stop.requested);
  if (!address.isLoopback) console.log(NOT_LOOPBACK_WARNING);
  let build: string | undefined = await prepareBuild(stop.requested);
  const link = await consoleLink(address, readDevVars().TOKEN_SECRET ?? "");
  let banner = readyBanner(address.url, apiKey, link);
  while (build !== undefined) {
    console.log("Starting the local runtime …");
    const env = {
      ...process.env,
      BERTH_STATE_DIRECTORY: state.path,
      BERTH_API_KEY: apiKey,
      ...(hasLinux && { [LINUX]: "true" }),
    };
    const service: ServiceOptions = {
      address,
      lock,
      banner,
      program: [SERVE, build, browser],
      env,
      format,
      stop,
    };
    build = await runService(service, reload ? waitForOtherBuild(build, stop.requested) : FOREVER);
    banner = "Berth has restarted. All sessions have ended.";
  }
}

const NOT_LOOPBACK_WARNING = `
Warning: HOST is not a loopback address. Anyone who can reach it with an API key controls browsers that run on this
machine as your user, in your network, over plain HTTP. Deploy to Cloudflare to share Berth with people you do not trust.
`;

import { readFileSync } from "node:fs";
import type { Address } from "./address.ts";
import { readyBanner } from "./banner.ts";
import { untilHealthy } from "./health.ts";
import { KEEP_SERVING, WRANGLER } from "./paths.ts";
import { callScheduledHandler } from "./scheduled.ts";
import type { ServiceLock } from "./service-lock.ts";
import { SetUpError } from "./set-up-error.ts";
import type { StateDirectory } from "./state-directory.ts";
import { type StopRequest, untilAborted } from "./stop-request.ts";
import { SupervisedProcess } from "./supervised-process.ts";
import { overrideArguments, wranglerConfigSchema } from "./wrangler-config.ts";
import { wranglerEnvironment } from "./wrangler-environment.ts";
import { WranglerOutput } from "./wrangler-output.ts";

export interface ServiceOptions {
  address: Address;
  state: StateDirectory;
  lock: ServiceLock;
  apiKey: string;
  browserVariables: Record<string, string>;
  stop: StopRequest;
}

/**
 * Runs `wrangler dev` until somebody asks to stop.
 *
 * @throws SetUpError when it does not come up, or ends by itself.
 */
export async function runService(options: ServiceOptions): Promise<void> {
  const { address, apiKey, stop } = options;
  const output = new WranglerOutput();
  const wrangler = startWrangler(options, output);
  const death = wrangler.ended.then((how) => {
    throw new SetUpError(
      `wrangler dev has ended by itself (${how}). Its last output:\n\n${output.lastLines()}`,
    );
  });
  try {
    await Promise.race([untilHealthy(address.url, stop.asked), death]);
    console.log(readyBanner(address.url, apiKey));
    output.show();
    callScheduledHandler(address.url, stop.asked);
    await Promise.race([untilAborted(stop.asked), death]);
  } finally {
    output.hide();
    if (stop.asked.aborted) console.log("Stopping …");
    await wrangler.stop(stop.insisted);
    await death.catch(() => {});
  }
}

function startWrangler(options: ServiceOptions, output: WranglerOutput): SupervisedProcess {
  const { address, state, lock, browserVariables } = options;
  const config = wranglerConfigSchema.parse(JSON.parse(readFileSync(state.config, "utf8")));
  const args = [
    ...["dev", "--local", "--config", state.config, "--persist-to", state.data],
    ...["--ip", address.host, "--port", String(address.port), "--inspector-port", "0"],
    "--show-interactive-dev-session=false",
    ...overrideArguments(config, process.env),
  ];
  const program = ["--import", KEEP_SERVING, WRANGLER, ...args];
  const wrangler = new SupervisedProcess(process.execPath, program, {
    env: { ...wranglerEnvironment(state.path), ...browserVariables },
    stdio: ["ignore", "pipe", "pipe"],
    temporaryFolder: lock.temporaryFolder,
    onObserved: (family) => lock.record(family),
  });
  output.follow(wrangler.child);
  return wrangler;
}

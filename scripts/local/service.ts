import type { Address } from "./address.ts";
import { readyBanner } from "./banner.ts";
import { waitUntilHealthy } from "./health.ts";
import type { ServiceLock } from "./service-lock.ts";
import { ServiceOutput } from "./service-output.ts";
import { SetUpError } from "./set-up-error.ts";
import { type StopRequest, waitForAbort } from "./stop-request.ts";
import { SupervisedProcess } from "./supervised-process.ts";

export interface ServiceCommand {
  title: string;
  /** Script and arguments for Node. */
  program: readonly string[];
  env: NodeJS.ProcessEnv;
  whileRunning?: (signal: AbortSignal) => Promise<void>;
}

export interface ServiceOptions {
  address: Address;
  lock: ServiceLock;
  apiKey: string;
  command: ServiceCommand;
  stop: StopRequest;
}

/** Runs the service until a stop is requested. @throws SetUpError when it does not start, or ends by itself. */
export async function runService({ address, lock, apiKey, command, stop }: ServiceOptions): Promise<void> {
  const output = new ServiceOutput();
  const service = new SupervisedProcess(process.execPath, command.program, {
    env: command.env,
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    temporaryFolder: lock.temporaryFolder,
    onObserved: (tree) => lock.record(tree),
  });
  output.follow(service.child);
  const crash = service.ended.then((how) => {
    throw new SetUpError(
      `${command.title} ended unexpectedly (${how}). Its last output:\n\n${output.lastLines()}`,
    );
  });
  try {
    await Promise.race([waitUntilHealthy(address.url, stop.requested), crash]);
    console.log(readyBanner(address.url, apiKey));
    output.show();
    void command.whileRunning?.(stop.requested);
    await Promise.race([waitForAbort(stop.requested), crash]);
  } finally {
    output.hide();
    if (stop.requested.aborted) console.log("Stopping …");
    await service.stop(stop.forced);
    await crash.catch(() => {});
  }
}

import type { Address } from "./address.ts";
import { waitUntilHealthy } from "./health.ts";
import type { ServiceLock } from "./service-lock.ts";
import { ServiceOutput } from "./service-output.ts";
import { SetUpError } from "./set-up-error.ts";
import { type StopRequest, waitForAbort } from "./stop-request.ts";
import { SupervisedProcess } from "./supervised-process.ts";
import { emptyFolder } from "./temporary-folder.ts";

export interface ServiceOptions {
  address: Address;
  lock: ServiceLock;
  /** Printed when it answers. */
  banner: string;
  /** Script and arguments for Node. */
  program: readonly string[];
  env: NodeJS.ProcessEnv;
  /** Formats a line of the log. */
  format: (line: string) => string;
  stop: StopRequest;
}

/**
 * Runs the service until a stop is requested or the promise fulfills.
 *
 * @returns what the promise fulfills with; undefined after a stop.
 * @throws SetUpError when it does not start, or ends by itself.
 */
export async function runService<T>(options: ServiceOptions, until: Promise<T>): Promise<T | undefined> {
  const { address, lock, banner, program, env, format, stop } = options;
  // A service that was killed leaves its sockets behind.
  emptyFolder(lock.temporaryFolder);
  const output = new ServiceOutput(format);
  const service = new SupervisedProcess(process.execPath, program, {
    env,
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    temporaryFolder: lock.temporaryFolder,
    onObserved: (tree) => lock.record(tree),
  });
  output.follow(service.child);
  const crash = service.ended.then((how) => {
    throw new SetUpError(
      `The local runtime ended unexpectedly (${how}). Its last output:\n\n${output.lastLines()}`,
    );
  });
  try {
    await Promise.race([waitUntilHealthy(address.url, stop.requested), crash]);
    console.log(banner);
    output.show();
    return await Promise.race([until, waitForAbort(stop.requested).then(() => undefined), crash]);
  } finally {
    output.hide();
    if (stop.requested.aborted) console.log("Stopping …");
    await service.stop(stop.forced);
    await crash.catch(() => {});
  }
}

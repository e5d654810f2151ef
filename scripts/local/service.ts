import type { Address } from "./address.ts";
import { readyBanner } from "./banner.ts";
import { untilHealthy } from "./health.ts";
import type { ServiceLock } from "./service-lock.ts";
import { ServiceOutput } from "./service-output.ts";
import { SetUpError } from "./set-up-error.ts";
import { type StopRequest, untilAborted } from "./stop-request.ts";
import { SupervisedProcess } from "./supervised-process.ts";

/** What runs the service. */
export interface ServiceCommand {
  /** Its name, for messages. */
  title: string;
  /** File and arguments for Node. */
  program: readonly string[];
  env: NodeJS.ProcessEnv;
  /** What is done for it while it is up. */
  whileUp?: (signal: AbortSignal) => Promise<void>;
}

export interface ServiceOptions {
  address: Address;
  lock: ServiceLock;
  apiKey: string;
  command: ServiceCommand;
  stop: StopRequest;
}

/**
 * Runs the service until somebody asks to stop.
 *
 * @throws SetUpError when it does not come up, or ends by itself.
 */
export async function runService({ address, lock, apiKey, command, stop }: ServiceOptions): Promise<void> {
  const output = new ServiceOutput();
  const service = new SupervisedProcess(process.execPath, command.program, {
    env: command.env,
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    temporaryFolder: lock.temporaryFolder,
    onObserved: (family) => lock.record(family),
  });
  output.follow(service.child);
  const death = service.ended.then((how) => {
    throw new SetUpError(
      `${command.title} has ended by itself (${how}). Its last output:\n\n${output.lastLines()}`,
    );
  });
  try {
    await Promise.race([untilHealthy(address.url, stop.asked), death]);
    console.log(readyBanner(address.url, apiKey));
    output.show();
    void command.whileUp?.(stop.asked);
    await Promise.race([untilAborted(stop.asked), death]);
  } finally {
    output.hide();
    if (stop.asked.aborted) console.log("Stopping …");
    await service.stop(stop.insisted);
    await death.catch(() => {});
  }
}

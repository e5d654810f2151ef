import { convertV4MiniflareOptions, Log, LogLevel, Miniflare, type V4WorkerOptions } from "miniflare";
import type { Address } from "./address.ts";

/** The Worker that is the browser binding; see browser-platform/binding.ts. */
const BROWSERS_WORKER = "browsers";

export interface RuntimeOptions {
  address: Pick<Address, "host" | "port">;
  /** The Worker and its bindings, apart from that of the browsers. */
  worker: V4WorkerOptions;
  browsers: {
    /** Name of the browser binding. */
    binding: string;
    /** Script of the Worker behind it. */
    script: string;
    socketPath: string;
  };
  /** Folder of what outlives the runtime. */
  data: string;
}

/** Runs a Worker on this machine until it is disposed of. No inspector listens, which any page could reach. */
export async function startRuntime({ address, worker, browsers, data }: RuntimeOptions): Promise<Miniflare> {
  const runtime = new Miniflare(
    convertV4MiniflareOptions({
      host: address.host,
      port: address.port,
      resourcePersistencePath: data,
      // Lets the scheduled handler be called under /cdn-cgi/.
      unsafeTriggerHandlers: true,
      // The Worker logs its requests itself, without the tokens in their addresses.
      logRequests: false,
      cf: false,
      log: new Log(LogLevel.ERROR),
      handleStructuredLogs: ({ message }) => console.log(message),
      workers: [
        { ...worker, serviceBindings: { ...worker.serviceBindings, [browsers.binding]: BROWSERS_WORKER } },
        {
          name: BROWSERS_WORKER,
          modules: true,
          script: browsers.script,
          serviceBindings: { BROWSERS: { external: { address: `unix:${browsers.socketPath}`, http: {} } } },
        },
      ],
    }),
  );
  await runtime.ready;
  return runtime;
}

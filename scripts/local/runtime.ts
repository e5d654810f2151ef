import { convertV4MiniflareOptions, Log, LogLevel, Miniflare, type V4WorkerOptions } from "miniflare";
import { z } from "zod";

/** A separate Worker for static files. Otherwise miniflare would put one in front of every request. */
const ASSETS_WORKER = "assets";

/** Static files need a Worker script, even if it is never called. */
const UNUSED_SCRIPT = "export default { fetch: () => new Response(null, { status: 404 }) }";

/** Runs the Worker's scheduled handler. Miniflare's own call blocks the thread that reads the Worker's log. */
const SCHEDULER_WORKER = "scheduler";

const SCHEDULER_SCRIPT = `export default {
  async fetch(request, { WORKER }) {
    const { cron, time } = await request.json();
    return Response.json(await WORKER.scheduled({ cron, scheduledTime: new Date(time) }));
  },
}`;

/** The binding that src/network/outgoing-fetch.ts uses for URLs of clients. */
const PUBLIC_NETWORK = "PUBLIC_NETWORK";

const LOOPBACK = "127.0.0.1";

const EVERY_MINUTE = "* * * * *";

const scheduledSchema = z.object({ outcome: z.string() });

export interface RuntimeOptions {
  /** Its bindings are extended by those below. */
  worker: V4WorkerOptions & { name: string };
  browsers: {
    /** Name of the binding. */
    binding: string;
    /** Socket of the BrowserServer. */
    socketPath: string;
  };
  assets?: {
    /** Name of the binding. */
    binding: string;
    directory: string;
  };
  /** Called with each line that the Worker logs. */
  log?: (line: string) => void;
  /** Folder of persistent data. */
  data: string;
}

/**
 * Runs a Worker on this machine, on a port of its own: miniflare's entry port also serves the files of buckets. There
 * is no inspector, because pages could reach it.
 */
export class LocalRuntime {
  readonly #miniflare: Miniflare;
  readonly #worker: string;
  #port = 0;

  private constructor(options: RuntimeOptions) {
    const log = options.log ?? console.log;
    this.#worker = options.worker.name;
    this.#miniflare = new Miniflare(
      convertV4MiniflareOptions({
        host: LOOPBACK,
        resourcePersistencePath: options.data,
        // The Worker logs requests itself, without the tokens in their URLs.
        logRequests: false,
        cf: false,
        log: new Log(LogLevel.ERROR),
        handleStructuredLogs: ({ message }) => log(message),
        workers: workersOf(options),
        // After a crash, the runtime restarts on another port.
        unsafeHandleRuntimeRestart: () => this.#findPort(),
      }),
    );
  }

  static async start(options: RuntimeOptions): Promise<LocalRuntime> {
    const runtime = new LocalRuntime(options);
    await runtime.#findPort();
    return runtime;
  }

  /** Port of the Worker on the loopback address. */
  get port(): number {
    return this.#port;
  }

  /** @param time the scheduled time, in milliseconds since the epoch. */
  async runScheduled(time: number): Promise<void> {
    const response = await this.#miniflare.dispatchFetch("http://localhost", {
      method: "POST",
      headers: { "MF-Route-Override": SCHEDULER_WORKER },
      body: JSON.stringify({ cron: EVERY_MINUTE, time }),
    });
    const { outcome } = scheduledSchema.parse(await response.json());
    if (outcome !== "ok") throw new Error(outcome);
  }

  async stop(): Promise<void> {
    await this.#miniflare.dispose();
  }

  async #findPort(): Promise<void> {
    this.#port = Number((await this.#miniflare.unsafeGetDirectURL(this.#worker)).port);
  }
}

function workersOf({ worker, browsers, assets }: RuntimeOptions): V4WorkerOptions[] {
  const { compatibilityDate } = worker;
  const assetsBinding = assets === undefined ? {} : { [assets.binding]: ASSETS_WORKER };
  const serviceBindings = {
    ...worker.serviceBindings,
    ...assetsBinding,
    [browsers.binding]: { external: { address: `unix:${browsers.socketPath}`, http: {} } },
    [PUBLIC_NETWORK]: { network: { allow: ["public"], deny: [], tlsOptions: { trustBrowserCas: true } } },
  };
  const workers: V4WorkerOptions[] = [
    { ...worker, serviceBindings, unsafeDirectSockets: [{ host: LOOPBACK, port: 0 }] },
    {
      name: SCHEDULER_WORKER,
      compatibilityDate,
      compatibilityFlags: ["service_binding_extra_handlers"],
      modules: true,
      script: SCHEDULER_SCRIPT,
      serviceBindings: { WORKER: worker.name },
    },
  ];
  if (assets === undefined) return workers;
  const { directory } = assets;
  const assetsWorker = { name: ASSETS_WORKER, compatibilityDate, assets: { directory } };
  return [...workers, { ...assetsWorker, modules: true, script: UNUSED_SCRIPT }];
}

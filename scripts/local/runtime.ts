import { convertV4MiniflareOptions, Log, LogLevel, Miniflare, type V4WorkerOptions } from "miniflare";

/** The Worker that is the browser binding; see browser-platform/binding.ts. */
const BROWSERS_WORKER = "browsers";

/** The Worker that serves static files, of which miniflare would else put one before each request. */
const ASSETS_WORKER = "assets";

/** Static files need a Worker beside them, here one that is never asked. */
const NO_WORKER = "export default { fetch: () => new Response(null, { status: 404 }) }";

/** The way out for requests that users choose; see src/network/outgoing-fetch.ts. */
const PUBLIC_NETWORK = "PUBLIC_NETWORK";

const LOOPBACK = "127.0.0.1";

/** The trigger in wrangler.toml. */
const EVERY_MINUTE = "* * * * *";

export interface RuntimeOptions {
  /** The Worker and its bindings, apart from those below. */
  worker: V4WorkerOptions & { name: string };
  browsers: {
    /** Name of the binding. */
    binding: string;
    /** Script of the Worker behind it. */
    script: string;
    /** Where the browsers' server listens. */
    socketPath: string;
  };
  assets?: {
    /** Name of the binding. */
    binding: string;
    directory: string;
  };
  /** Takes each line that the Worker logs. */
  log?: (line: string) => void;
  /** Folder of what outlives the runtime. */
  data: string;
}

/**
 * A Worker that runs on this machine. Its port is its alone: miniflare's own entry, which gives out the files of
 * buckets, has another, and there is no inspector, which pages could reach.
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
        // The Worker logs its requests itself, without the tokens in their addresses.
        logRequests: false,
        cf: false,
        log: new Log(LogLevel.ERROR),
        handleStructuredLogs: ({ message }) => log(message),
        workers: workersOf(options),
        // A runtime that has crashed comes back on another port.
        unsafeHandleRuntimeRestart: () => this.#findPort(),
      }),
    );
  }

  static async start(options: RuntimeOptions): Promise<LocalRuntime> {
    const runtime = new LocalRuntime(options);
    await runtime.#findPort();
    return runtime;
  }

  /** Where the Worker listens on the loopback address. */
  get port(): number {
    return this.#port;
  }

  /** Runs the Worker's scheduled handler as if it were that time, in milliseconds since the epoch. */
  async runScheduled(time: number): Promise<void> {
    const worker = await this.#miniflare.getWorker(this.#worker);
    const { outcome } = await worker.scheduled({ scheduledTime: new Date(time), cron: EVERY_MINUTE });
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
    [browsers.binding]: BROWSERS_WORKER,
    [PUBLIC_NETWORK]: { network: { allow: ["public"], deny: [], tlsOptions: { trustBrowserCas: true } } },
  };
  const workers: V4WorkerOptions[] = [
    { ...worker, serviceBindings, unsafeDirectSockets: [{ host: LOOPBACK, port: 0 }] },
    {
      name: BROWSERS_WORKER,
      compatibilityDate,
      modules: true,
      script: browsers.script,
      serviceBindings: { BROWSERS: { external: { address: `unix:${browsers.socketPath}`, http: {} } } },
    },
  ];
  if (assets === undefined) return workers;
  const { directory } = assets;
  const assetsWorker = { name: ASSETS_WORKER, compatibilityDate, assets: { directory } };
  return [...workers, { ...assetsWorker, modules: true, script: NO_WORKER }];
}

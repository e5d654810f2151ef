import { convertV4MiniflareOptions, Log, LogLevel, Miniflare, type V4WorkerOptions } from "miniflare";

/** The Worker that is the browser binding; see browser-platform/binding.ts. */
const BROWSERS_WORKER = "browsers";

/** The Worker that serves static files, of which miniflare would else put one before each request. */
const ASSETS_WORKER = "assets";

/** Static files need a Worker beside them, here one that is never asked. */
const NO_WORKER = "export default { fetch: () => new Response(null, { status: 404 }) }";

const LOOPBACK = "127.0.0.1";

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
  /** Folder of what outlives the runtime. */
  data: string;
}

export interface LocalRuntime {
  miniflare: Miniflare;
  /** Where the Worker listens on the loopback address. */
  port: number;
}

/**
 * Runs a Worker on this machine until miniflare is disposed of. The port is the Worker's alone: miniflare's own entry,
 * which gives out the files of buckets, has another, and there is no inspector, which pages could reach.
 */
export async function startRuntime(options: RuntimeOptions): Promise<LocalRuntime> {
  const { worker, browsers, assets, data } = options;
  const assetsBinding = assets === undefined ? {} : { [assets.binding]: ASSETS_WORKER };
  const { compatibilityDate } = worker;
  const assetsWorker = assets && {
    name: ASSETS_WORKER,
    compatibilityDate,
    modules: true as const,
    script: NO_WORKER,
    assets: { directory: assets.directory },
  };
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      host: LOOPBACK,
      resourcePersistencePath: data,
      // The Worker logs its requests itself, without the tokens in their addresses.
      logRequests: false,
      cf: false,
      log: new Log(LogLevel.ERROR),
      handleStructuredLogs: ({ message }) => console.log(message),
      workers: [
        {
          ...worker,
          unsafeDirectSockets: [{ host: LOOPBACK, port: 0 }],
          serviceBindings: {
            ...worker.serviceBindings,
            ...assetsBinding,
            [browsers.binding]: BROWSERS_WORKER,
          },
        },
        ...(assetsWorker ? [assetsWorker] : []),
        {
          name: BROWSERS_WORKER,
          compatibilityDate,
          modules: true as const,
          script: browsers.script,
          serviceBindings: { BROWSERS: { external: { address: `unix:${browsers.socketPath}`, http: {} } } },
        },
      ],
    }),
  );
  const { port } = await miniflare.unsafeGetDirectURL(worker.name);
  return { miniflare, port: Number(port) };
}

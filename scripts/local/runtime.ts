import { once } from "node:events";
import { mkdirSync, statSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { createRequire } from "node:module";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import {
  convertV4MiniflareOptions,
  Log,
  LogLevel,
  Miniflare,
  Response as NodeResponse,
  type V4WorkerOptions,
} from "miniflare";
import { z } from "zod";
import { storageFull } from "../../src/lib/common/errors.ts";
import { CALLER_HEADER } from "../../src/platform/network/caller-headers.ts";
import { freeBytesOf } from "./state-directory.ts";

/** A separate Worker for static files. Otherwise miniflare would put one in front of every request. */
const ASSETS_WORKER = "assets";

/** Static files need a Worker script, even if it is never called. */
const UNUSED_SCRIPT = "export default { fetch: () => new Response(null, { status: 404 }) }";

/**
 * Answers callers of this service's own names only: the page of a site whose name was rebound to this machine
 * would be of the same origin. It also keeps internal headers and calls of the runtime from the Worker, and
 * addresses that callers claim to have, because there is no Cloudflare proxy in front. An https proxy may say
 * how clients reach it. The runtime calls a full disk an internal error; the front tells callers what it is.
 */
const FRONT_WORKER = "front";

const FRONT_SCRIPT = `function refuse(status, code, message, headers) {
  return Response.json({ code, message, details: [{ code, message }], inner_error: { code, message } }, { status, headers });
}

export default {
  async fetch(request, { WORKER, HOSTS, DISK }) {
    const url = URL.parse(request.url) ?? new URL("about:blank");
    if (/^[\\d.]+$|^\\[/.test(url.hostname) || HOSTS.includes(url.hostname)) {
      if (request.headers.get("x-forwarded-proto") === "https") url.protocol = "https:";
      const host = request.headers.get("x-forwarded-host") ?? "";
      if (/^[\\w.-]+(:\\d+)?$/.test(host)) Object.assign(url, { port: "", host });
      const passed = new Request(url, request);
      for (const name of [...request.headers.keys()]) if (${CALLER_HEADER}.test(name)) passed.headers.delete(name);
      const response = await WORKER.fetch(passed);
      const isFull = [500, 503].includes(response.status) && (await DISK.fetch("http://disk/")).status === 507;
      if (!isFull) return response;
      return refuse(507, "insufficient_storage", "${storageFull().message}", { "x-should-retry": "false" });
    }
    const message = "This service does not answer for this host. Set PUBLIC_URL to the address that clients use";
    return refuse(421, "misdirected_request", message);
  },
}`;

/** Runs the scheduled handler. Miniflare's own call blocks the thread that reads the Worker's log. */
const SCHEDULER_WORKER = "scheduler";

const SCHEDULER_SCRIPT = `export default {
  async fetch(request, { WORKER }) {
    const { cron, time } = await request.json();
    return Response.json(await WORKER.scheduled({ cron, scheduledTime: new Date(time) }));
  },
}`;

/** The binding that src/platform/network/outgoing-fetch.ts uses for URLs of clients. */
const PUBLIC_NETWORK = "PUBLIC_NETWORK";

const requireFromMiniflare = createRequire(createRequire(import.meta.url).resolve("miniflare"));

const LOOPBACK = "127.0.0.1";

/** The database writes several pages at once. */
const FULL_DISK_BYTES = 1024 * 1024;

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
  /** Called when the runtime has crashed and runs again, since a time in milliseconds since the epoch. */
  onRestart?: (since: number) => void;
  /** Folder of persistent data. */
  data: string;
  /** New folder for sockets, with a short path: a socket has at most about 100 characters. */
  sockets: string;
  /** Free space of the disk that `data` is on. */
  freeBytes?: () => number;
  /** Names that clients reach the Worker by, besides `localhost` and addresses. */
  hosts?: readonly string[];
}

/**
 * Runs a Worker on this machine, on Unix sockets in a folder that only this user can open: whoever reaches
 * miniflare's entry can read bucket files and call every Worker without a key. The only port is miniflare's
 * loopback server, which demands a secret of the runtime. There is no inspector.
 */
export class LocalRuntime {
  readonly #miniflare: Miniflare;
  /** The Worker's. */
  readonly socketPath: string;
  readonly #schedulerPath: string;

  private constructor(options: RuntimeOptions) {
    const log = options.log ?? console.log;
    this.socketPath = socketPath(options, FRONT_WORKER);
    this.#schedulerPath = socketPath(options, SCHEDULER_WORKER);
    mkdirSync(options.sockets, { mode: 0o700 });
    process.env.MINIFLARE_WORKERD_PATH = writeLauncher(options);
    this.#miniflare = new Miniflare(
      convertV4MiniflareOptions({
        host: LOOPBACK,
        resourcePersistencePath: options.data,
        // The Worker logs requests itself, without the tokens in their URLs.
        logRequests: false,
        cf: false,
        log: new Log(LogLevel.ERROR),
        handleStructuredLogs: ({ message }) => log(message),
        // The socket is recreated at each start, before the first request.
        unsafeHandleRuntimeRestart: () => options.onRestart?.(statSync(this.socketPath).ctimeMs),
        workers: workersOf(options),
      }),
    );
  }

  static async start(options: RuntimeOptions): Promise<LocalRuntime> {
    const runtime = new LocalRuntime(options);
    await runtime.#miniflare.ready;
    return runtime;
  }

  /** @param time the scheduled time, in milliseconds since the epoch. */
  async runScheduled(time: number): Promise<void> {
    const call = request({ method: "POST", socketPath: this.#schedulerPath });
    call.end(JSON.stringify({ cron: EVERY_MINUTE, time }));
    const [response] = await once(call, "response");
    const { outcome } = scheduledSchema.parse(await json(response));
    if (outcome !== "ok") throw new Error(outcome);
  }

  async stop(): Promise<void> {
    await this.#miniflare.dispose();
    // Otherwise it would start other runtimes of this process.
    delete process.env.MINIFLARE_WORKERD_PATH;
  }
}

function socketPath({ sockets }: RuntimeOptions, name: string): string {
  // Miniflare adds a port to every address, which becomes a part of the path.
  return join(sockets, `${name}:0`);
}

/** Starts the runtime with its entry on a socket as well. A crashed runtime has left its sockets behind. */
function writeLauncher(options: RuntimeOptions): string {
  const { default: workerd } = z.object({ default: z.string() }).parse(requireFromMiniflare("workerd"));
  const path = join(options.sockets, "workerd");
  const entry = `--socket-addr=entry=unix:${socketPath(options, "entry")}`;
  const script = `#!/bin/sh\nrm -f '${options.sockets}'/*:0\nexec '${workerd}' "$@" '${entry}'\n`;
  writeFileSync(path, script, { mode: 0o700 });
  return path;
}

function workersOf(options: RuntimeOptions): V4WorkerOptions[] {
  const { worker, browsers, assets, hosts = [], freeBytes = () => freeBytesOf(options.data) } = options;
  const directSocket = (name: string) => [{ host: `unix:${join(options.sockets, name)}`, port: 0 }];
  const { compatibilityDate } = worker;
  const assetsBinding = assets === undefined ? {} : { [assets.binding]: ASSETS_WORKER };
  const serviceBindings = {
    ...worker.serviceBindings,
    ...assetsBinding,
    [browsers.binding]: { external: { address: `unix:${browsers.socketPath}`, http: {} } },
    [PUBLIC_NETWORK]: { network: { allow: ["public"], deny: [], tlsOptions: { trustBrowserCas: true } } },
  };
  const workers: V4WorkerOptions[] = [
    { ...worker, serviceBindings },
    {
      name: FRONT_WORKER,
      compatibilityDate,
      modules: true,
      script: FRONT_SCRIPT,
      bindings: { HOSTS: ["localhost", ...hosts] },
      serviceBindings: {
        WORKER: worker.name,
        DISK: () => new NodeResponse(null, { status: freeBytes() < FULL_DISK_BYTES ? 507 : 204 }),
      },
      unsafeDirectSockets: directSocket(FRONT_WORKER),
    },
    {
      name: SCHEDULER_WORKER,
      compatibilityDate,
      compatibilityFlags: ["service_binding_extra_handlers"],
      modules: true,
      script: SCHEDULER_SCRIPT,
      serviceBindings: { WORKER: worker.name },
      unsafeDirectSockets: directSocket(SCHEDULER_WORKER),
    },
  ];
  if (assets === undefined) return workers;
  const { directory } = assets;
  const assetsWorker = { name: ASSETS_WORKER, compatibilityDate, assets: { directory } };
  return [...workers, { ...assetsWorker, modules: true, script: UNUSED_SCRIPT }];
}

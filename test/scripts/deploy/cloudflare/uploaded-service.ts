import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { prepareBrowser } from "../../../../scripts/local/browser.ts";
import { BrowserServer } from "../../../../scripts/local/browser-platform/server.ts";
import { LocalRuntime } from "../../../../scripts/local/runtime.ts";
import { prepareBuild } from "../../../../scripts/local/service-build.ts";
import { readServiceOptions } from "../../../../scripts/local/service-options.ts";
import { TCPRelay } from "../../../../scripts/local/tcp-relay.ts";
import type { CloudflareStandIn } from "./stand-in.ts";
import { forward } from "./state.ts";

/** The Worker that wrangler uploaded to the stand-in, in the local runtime with the stand-in's database. */
export class UploadedService implements AsyncDisposable {
  #browsers: BrowserServer | undefined;
  #runtime: LocalRuntime | undefined;
  #relay: Promise<TCPRelay> | undefined;
  readonly #standIn: CloudflareStandIn;

  /** Starts it at the first request. */
  constructor(standIn: CloudflareStandIn) {
    this.#standIn = standIn;
    standIn.respond = (request, response) => void this.#forward(request, response);
  }

  async #forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.#relay ??= this.#start();
    forward(request, response, new URL(`http://127.0.0.1:${(await this.#relay).port}`));
  }

  async #start(): Promise<TCPRelay> {
    const { state, folder } = this.#standIn;
    const uploaded = state.workers.get("berth");
    if (uploaded === undefined) throw new Error("nothing was uploaded");
    const { worker, assets, browsers } = readServiceOptions(await prepareBuild(new AbortController().signal));
    const { modules: _, modulesRoot: __, ...options } = worker;
    const texts = uploaded.bindings.filter(({ type }) => type === "plain_text");
    const bindings = Object.fromEntries(texts.map(({ name, text = "" }) => [name, text]));
    const path = await prepareBrowser(new AbortController().signal);
    this.#browsers = await BrowserServer.open(path, join(folder, "b"));
    this.#runtime = await LocalRuntime.start({
      worker: {
        ...options,
        modules: true,
        script: uploaded.script,
        bindings: { ...bindings, ...uploaded.secrets },
        d1Databases: { DB: { id: state.databases.get("berth") ?? "" } },
      },
      browsers: { ...browsers, socketPath: this.#browsers.socketPath },
      assets,
      data: state.data,
      sockets: join(folder, "r"),
      log: () => {},
    });
    return await TCPRelay.listen({ host: "127.0.0.1", port: 0 }, this.#runtime.socketPath);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    (await this.#relay)?.close();
    await this.#runtime?.stop();
    await this.#browsers?.close();
  }
}

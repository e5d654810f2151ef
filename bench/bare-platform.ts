import { join } from "node:path";
import { z } from "zod";
import { BrowserServer } from "../scripts/local/browser-platform/server.ts";
import { LocalRuntime } from "../scripts/local/runtime.ts";
import { TCPRelay } from "../scripts/local/tcp-relay.ts";
import { makeTemporaryFolder, removeTemporaryFolder } from "../scripts/local/temporary-folder.ts";
import { bundle } from "./bundle.ts";

const launchedSchema = z.object({ sessionId: z.string() });

/** The local runtime and its browsers with a minimal Worker, bare-worker.ts. */
export class BarePlatform implements AsyncDisposable {
  readonly #runtime: LocalRuntime;
  readonly #browsers: BrowserServer;
  readonly #folder: string;
  readonly #url: string;

  readonly #relay: TCPRelay;

  private constructor(runtime: LocalRuntime, relay: TCPRelay, browsers: BrowserServer, folder: string) {
    this.#runtime = runtime;
    this.#relay = relay;
    this.#browsers = browsers;
    this.#folder = folder;
    this.#url = `http://127.0.0.1:${relay.port}`;
  }

  static async start(chrome: string): Promise<BarePlatform> {
    const folder = makeTemporaryFolder();
    const browsers = await BrowserServer.open(chrome, folder, { maxBrowsers: 200, launchesPerSecond: 1000 });
    const runtime = await LocalRuntime.start({
      worker: {
        name: "bare",
        compatibilityDate: "2026-08-01",
        modules: true,
        script: bundle(join(import.meta.dirname, "bare-worker.ts"), "es2024"),
      },
      browsers: { binding: "BROWSER", socketPath: browsers.socketPath },
      data: join(folder, "data"),
      sockets: join(folder, "r"),
    });
    const relay = await TCPRelay.listen({ host: "127.0.0.1", port: 0 }, runtime.socketPath);
    return new BarePlatform(runtime, relay, browsers, folder);
  }

  /** @returns the platform's id of the new browser. */
  async launch(): Promise<string> {
    const response = await fetch(this.#url, { method: "POST" });
    return launchedSchema.parse(await response.json()).sessionId;
  }

  async close(browserId: string): Promise<void> {
    const response = await fetch(`${this.#url}/${browserId}`, { method: "DELETE" });
    await response.text();
  }

  /** URL of a DevTools socket through the Worker. */
  pipeURL(browserId: string): string {
    return `${this.#url.replace("http", "ws")}/${browserId}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#relay.close();
    await this.#runtime.stop();
    await this.#browsers.close();
    removeTemporaryFolder(this.#folder);
  }
}

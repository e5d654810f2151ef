import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { findFreePort } from "../scripts/local/address.ts";
import { untilHealthy } from "../scripts/local/health.ts";
import { WRANGLER } from "../scripts/local/paths.ts";
import { SupervisedProcess } from "../scripts/local/supervised-process.ts";
import { makeTemporaryFolder, removeTemporaryFolder } from "../scripts/local/temporary-folder.ts";
import { wranglerEnvironment } from "../scripts/local/wrangler-environment.ts";

const launchedSchema = z.object({ sessionId: z.string() });

/** The platform under `wrangler dev` with next to nothing on it: bare-worker.ts. */
export class BarePlatform {
  readonly #process: SupervisedProcess;
  readonly #folder: string;
  readonly #url: string;

  private constructor(process: SupervisedProcess, folder: string, url: string) {
    this.#process = process;
    this.#folder = folder;
    this.#url = url;
  }

  static async start(signal: AbortSignal): Promise<BarePlatform> {
    const folder = makeTemporaryFolder();
    const config = join(folder, "wrangler.json");
    const main = join(import.meta.dirname, "bare-worker.ts");
    const browser = { binding: "BROWSER" };
    writeFileSync(config, JSON.stringify({ name: "bare", main, compatibility_date: "2026-08-01", browser }));
    const port = await findFreePort();
    const args = [
      "dev",
      "--config",
      config,
      "--port",
      String(port),
      "--inspector-port",
      "0",
      "--ip",
      "127.0.0.1",
    ];
    const child = new SupervisedProcess(process.execPath, [WRANGLER, ...args], {
      env: wranglerEnvironment(folder),
      stdio: "ignore",
      temporaryFolder: folder,
    });
    const platform = new BarePlatform(child, folder, `http://127.0.0.1:${port}`);
    try {
      await untilHealthy(platform.#url, signal);
      return platform;
    } catch (error) {
      await platform.stop();
      throw error;
    }
  }

  /** Launches a browser and answers with the platform's id of it. */
  async launch(): Promise<string> {
    const response = await fetch(this.#url, { method: "POST" });
    return launchedSchema.parse(await response.json()).sessionId;
  }

  async close(browserId: string): Promise<void> {
    const response = await fetch(`${this.#url}/${browserId}`, { method: "DELETE" });
    await response.text();
  }

  /** Address of a socket to a browser, piped through the Worker. */
  pipeURL(browserId: string): string {
    return `${this.#url.replace("http", "ws")}/${browserId}`;
  }

  async stop(): Promise<void> {
    await this.#process.stop(new AbortController().signal);
    removeTemporaryFolder(this.#folder);
  }
}

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getPlatformProxy } from "wrangler";
import { z } from "zod";

const ORIGIN = "https://browser.invalid";
const acquiredSchema = z.object({ sessionId: z.string() });

interface Bindings extends Record<string, unknown> {
  BROWSER: { fetch(url: string, init?: { method: string }): Promise<{ text(): Promise<string> }> };
}

/** Launches and closes browsers through the platform's binding and does nothing else with them. */
export class BareBrowsers {
  readonly #folder: string;
  readonly #proxy: Awaited<ReturnType<typeof getPlatformProxy<Bindings>>>;

  private constructor(folder: string, proxy: Awaited<ReturnType<typeof getPlatformProxy<Bindings>>>) {
    this.#folder = folder;
    this.#proxy = proxy;
  }

  static async open(): Promise<BareBrowsers> {
    const folder = mkdtempSync(join(tmpdir(), "berth-bench-"));
    const configPath = join(folder, "wrangler.json");
    const config = { name: "bare", compatibility_date: "2026-08-01", browser: { binding: "BROWSER" } };
    writeFileSync(configPath, JSON.stringify(config));
    const proxy = await getPlatformProxy<Bindings>({ configPath, persist: false, remoteBindings: false });
    return new BareBrowsers(folder, proxy);
  }

  async launch(): Promise<string> {
    const response = await this.#proxy.env.BROWSER.fetch(`${ORIGIN}/v1/devtools/browser`, { method: "POST" });
    return acquiredSchema.parse(JSON.parse(await response.text())).sessionId;
  }

  async close(browserId: string): Promise<void> {
    const response = await this.#proxy.env.BROWSER.fetch(`${ORIGIN}/v1/devtools/browser/${browserId}`, {
      method: "DELETE",
    });
    await response.text();
  }

  async dispose(): Promise<void> {
    await this.#proxy.dispose();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

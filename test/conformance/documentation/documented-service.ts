import { expect } from "vitest";
import { prepareBrowser } from "../../../scripts/local/browser.ts";
import { Service } from "../service.ts";
import { readCodeBlocks } from "./code-blocks.ts";
import { ExampleSite } from "./example-site.ts";
import { PageRun } from "./page-runner.ts";

/** Recipes that install packages that this project does not have, with the registry's npm. */
export const NEED_REGISTRY = ["agent-browser", "stagehand", "crawlee", "mcp", "playwright-test"].map(
  (name) => `docs/recipes/${name}.md`,
);

const SESSION_END_TIMEOUT_MS = 10_000;

/** A service whose browsers find the examples' site. */
export class DocumentedService {
  readonly #site: ExampleSite;
  readonly #service: Service;

  private constructor(site: ExampleSite, service: Service) {
    this.#site = site;
    this.#service = service;
  }

  static async start(): Promise<DocumentedService> {
    const chrome = await prepareBrowser(new AbortController().signal);
    const site = await ExampleSite.start(chrome);
    try {
      const service = await Service.start({ settings: { CHROME_PATH: site.chromePath } });
      return new DocumentedService(site, service);
    } catch (error) {
      site.end();
      throw error;
    }
  }

  async end(): Promise<void> {
    await this.#service.end();
    this.#site.end();
  }

  /** Runs a page's code blocks with an organization of its own. @throws if one fails or leaves a session. */
  async runPage(markdown: string, { usesRealNpm = false } = {}): Promise<void> {
    const { apiKey } = await this.#service.createOrganization();
    const { baseURL, adminToken } = this.#service;
    const run = new PageRun(readCodeBlocks(markdown), {
      env: { KERNEL_BASE_URL: baseURL, KERNEL_API_KEY: apiKey, ADMIN_TOKEN: adminToken },
      usesRealNpm,
    });
    try {
      const skipped = await run.run();
      if (skipped.length > 0) console.warn(`Not run: ${skipped.join("; ")}`);
    } finally {
      run.end();
    }
    const kernel = this.#service.kernel({ apiKey });
    // Sessions of an invocation end after it.
    await expect
      .poll(() => Array.fromAsync(kernel.browsers.list()), {
        message: "the page ends its sessions",
        timeout: SESSION_END_TIMEOUT_MS,
      })
      .toEqual([]);
  }
}

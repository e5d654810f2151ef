import type Kernel from "@onkernel/sdk";
import type { BrowserCreateParams } from "@onkernel/sdk/resources/browsers/browsers";
import type { Browser, Page } from "puppeteer-core";
import { expect } from "vitest";
import { z } from "zod";
import { DevToolsClient } from "./devtools-client.ts";
import type { ServiceClient } from "./service-client.ts";

export const DOWNLOADS = "/home/kernel/Downloads";

const PAINTED = "new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))";

const TIMEOUT_MS = 30_000;

const downloadSchema = z.object({
  guid: z.string(),
  state: z.string(),
  filePath: z.string().optional(),
});

const eventSchema = z.object({
  method: z.string().optional(),
  params: z.unknown().optional(),
  sessionId: z.string().optional(),
});

/** What Playwright's and Puppeteer's pages have in common. */
interface ClientPage {
  goto(url: string): Promise<unknown>;
  evaluate(expression: string): Promise<unknown>;
}

/** Opens a URL and waits for the first paint: Chrome drops clicks that come earlier. */
export async function visit(page: ClientPage, url: string): Promise<void> {
  await page.goto(url);
  await page.evaluate(PAINTED);
}

/** The session's page. `browser.pages()` omits it until it has committed its start URL. */
export async function firstPuppeteerPage(browser: Browser): Promise<Page> {
  const target = await browser.waitForTarget((each) => each.type() === "page");
  const page = await target.page();
  if (page === null) throw new Error("the session has no page");
  return page;
}

/** The last progress event of a download. */
export type DownloadEnd = z.infer<typeof downloadSchema>;

/** A session with shortcuts for its files. */
export class FileSession implements AsyncDisposable {
  readonly id: string;
  readonly address: string;
  readonly kernel: Kernel;

  private constructor(kernel: Kernel, id: string, address: string) {
    this.kernel = kernel;
    this.id = id;
    this.address = address;
  }

  static async open(service: ServiceClient, options: BrowserCreateParams = {}): Promise<FileSession> {
    const kernel = service.kernel();
    const created = await kernel.browsers.create({ timeout_seconds: 600, ...options });
    return new FileSession(kernel, created.session_id, created.cdp_ws_url);
  }

  /** @throws NotFoundError of the SDK when the file does not exist. */
  async read(path: string): Promise<Buffer> {
    const response = await this.kernel.browsers.fs.readFile(this.id, { path });
    return Buffer.from(await response.arrayBuffer());
  }

  async readText(path: string): Promise<string> {
    return (await this.read(path)).toString();
  }

  async write(path: string, content: string | Buffer): Promise<void> {
    await this.kernel.browsers.fs.writeFile(this.id, Buffer.from(content), { path });
  }

  /** @returns the names in a directory, sorted. */
  async list(path: string): Promise<string[]> {
    const entries = await this.kernel.browsers.fs.listFiles(this.id, { path });
    return entries.map(({ name }) => name).sort();
  }

  /** Waits until a directory holds exactly these names. */
  async waitForFiles(path: string, ...names: string[]): Promise<void> {
    const list = () => this.list(path).catch(() => []);
    await expect.poll(list, { timeout: TIMEOUT_MS }).toEqual(names.toSorted());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kernel.browsers.deleteByID(this.id);
  }
}

/** A raw CDP client of one page that records download events. */
export class FileClient implements Disposable {
  readonly client: DevToolsClient;
  readonly page: string;
  readonly #ends: { method: string; sessionId: string | undefined; end: DownloadEnd }[] = [];
  readonly #methods: string[] = [];

  private constructor(client: DevToolsClient, page: string) {
    this.client = client;
    this.page = page;
    client.socket.on("message", (data) => {
      const { method, params, sessionId } = eventSchema.parse(JSON.parse(data.toString()));
      if (method === undefined || !method.includes(".download")) return;
      this.#methods.push(method);
      const end = downloadSchema.safeParse(params).data;
      if (end !== undefined && end.state !== "inProgress") this.#ends.push({ method, sessionId, end });
    });
  }

  static async open(session: FileSession, url: string): Promise<FileClient> {
    const client = await DevToolsClient.connect(session.address);
    const fileClient = new FileClient(client, await client.attach());
    await fileClient.send("Page.enable");
    await fileClient.goto(url);
    return fileClient;
  }

  /** Sends a command to the page's session. */
  send(method: string, params: Record<string, unknown> = {}): Promise<Record<string, unknown>> {
    return this.client.send(method, params, this.page);
  }

  async goto(url: string): Promise<void> {
    await this.send("Page.navigate", { url });
    await expect
      .poll(() => this.evaluate("document.readyState + location.href"), { timeout: TIMEOUT_MS })
      .toBe(`complete${url}`);
    await this.send("Runtime.evaluate", { expression: PAINTED, awaitPromise: true });
  }

  evaluate(expression: string): Promise<unknown> {
    return this.client.evaluate(expression, this.page);
  }

  /** Clicks with user activation. */
  async click(selector: string): Promise<void> {
    await this.send("Runtime.evaluate", {
      expression: `document.querySelector("${selector}").click()`,
      userGesture: true,
    });
  }

  /** @returns the element's remote object id. */
  async find(selector: string): Promise<string> {
    const response = await this.send("Runtime.evaluate", {
      expression: `document.querySelector("${selector}")`,
    });
    return z.object({ result: z.object({ objectId: z.string() }) }).parse(response).result.objectId;
  }

  /** Sends `Browser.setDownloadBehavior` to the browser's session. */
  async setDownloadBehavior(
    behavior: string,
    downloadPath?: string,
    browserContextId?: string,
  ): Promise<void> {
    await this.client.send("Browser.setDownloadBehavior", {
      behavior,
      downloadPath,
      browserContextId,
      eventsEnabled: true,
    });
  }

  /** Waits for the next download to end, as reported by events with that method in that session. */
  async waitForDownloadEnd(method = "Browser.downloadProgress", sessionId?: string): Promise<DownloadEnd> {
    const find = () => this.#ends.find((each) => each.method === method && each.sessionId === sessionId);
    await expect.poll(find, { timeout: TIMEOUT_MS, interval: 5 }).toBeDefined();
    const found = find();
    if (found === undefined) throw new Error("no download has ended");
    this.#ends.splice(this.#ends.indexOf(found), 1);
    return found.end;
  }

  /** Methods of all download events so far. */
  get events(): readonly string[] {
    return this.#methods;
  }

  [Symbol.dispose](): void {
    this.client[Symbol.dispose]();
  }
}

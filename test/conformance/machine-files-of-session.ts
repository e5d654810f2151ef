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

/** A page of a client's library. */
interface ClientPage {
  goto(url: string): Promise<unknown>;
  evaluate(expression: string): Promise<unknown>;
}

/** Shows a page, and waits until it was painted: Chrome drops the clicks that come before. */
export async function visit(page: ClientPage, url: string): Promise<void> {
  await page.goto(url);
  await page.evaluate(PAINTED);
}

/** The session's page. On its way to the start URL it has no address, and Puppeteer tells of no page. */
export async function firstPageOf(browser: Browser): Promise<Page> {
  const target = await browser.waitForTarget((each) => each.type() === "page");
  const page = await target.page();
  if (page === null) throw new Error("the session has no page");
  return page;
}

/** The end of a download, as a client is told of it. */
export type DownloadEnd = z.infer<typeof downloadSchema>;

/** A session whose browser a test drives, and whose files it reads and writes. */
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

  /** @throws the SDK's NotFoundError where there is none. */
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

  /** Names in a directory, sorted. */
  async list(path: string): Promise<string[]> {
    const entries = await this.kernel.browsers.fs.listFiles(this.id, { path });
    return entries.map(({ name }) => name).sort();
  }

  /** Waits until a directory holds these names and no others. */
  async untilListed(path: string, ...names: string[]): Promise<void> {
    const list = () => this.list(path).catch(() => []);
    await expect.poll(list, { timeout: TIMEOUT_MS }).toEqual(names.toSorted());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kernel.browsers.deleteByID(this.id);
  }
}

/** A client over a bare connection, in a page of the session, that hears of downloads. */
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

  /** @param url what the page shows. */
  static async open(session: FileSession, url: string): Promise<FileClient> {
    const client = await DevToolsClient.connect(session.address);
    const opened = new FileClient(client, await client.attach());
    await opened.send("Page.enable");
    await opened.goto(url);
    return opened;
  }

  /** In the page. */
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

  /** Clicks as a person would be taken to. */
  async click(selector: string): Promise<void> {
    await this.send("Runtime.evaluate", {
      expression: `document.querySelector("${selector}").click()`,
      userGesture: true,
    });
  }

  /** An element, by the id of its object. */
  async find(selector: string): Promise<string> {
    const found = await this.send("Runtime.evaluate", {
      expression: `document.querySelector("${selector}")`,
    });
    return z.object({ result: z.object({ objectId: z.string() }) }).parse(found).result.objectId;
  }

  /** Sets what becomes of downloads, over the connection itself. */
  async want(behavior: string, downloadPath?: string, browserContextId?: string): Promise<void> {
    await this.client.send("Browser.setDownloadBehavior", {
      behavior,
      downloadPath,
      browserContextId,
      eventsEnabled: true,
    });
  }

  /** The next download's end, as an event with that method in that session tells it. */
  async untilEnd(method = "Browser.downloadProgress", sessionId?: string): Promise<DownloadEnd> {
    const find = () => this.#ends.find((each) => each.method === method && each.sessionId === sessionId);
    await expect.poll(find, { timeout: TIMEOUT_MS, interval: 5 }).toBeDefined();
    const found = find();
    if (found === undefined) throw new Error("nobody tells of the download's end");
    this.#ends.splice(this.#ends.indexOf(found), 1);
    return found.end;
  }

  /** Methods of all events about downloads so far. */
  get events(): readonly string[] {
    return this.#methods;
  }

  [Symbol.dispose](): void {
    this.client[Symbol.dispose]();
  }
}

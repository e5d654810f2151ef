import { z } from "zod";
import { DevToolsClient as Connection } from "../test/conformance/devtools-client.ts";

const eventSchema = z.object({ method: z.string(), params: z.unknown() });
const createdSchema = z.object({ targetId: z.string() });
const contextSchema = z.object({ browserContextId: z.string() });
const windowSchema = z.object({ windowId: z.number() });
const pageSizeSchema = z.tuple([z.number(), z.number()]);
const boundsSchema = z.object({ bounds: z.object({ width: z.number(), height: z.number() }) });

/** Resolves when the document is loaded and painted. */
const WAIT_UNTIL_PAINTED = `new Promise((resolve) => {
  const painted = () => requestAnimationFrame(() => requestAnimationFrame(() => resolve()));
  document.readyState === "complete" ? painted() : addEventListener("load", painted);
})`;

export interface PageSize {
  width: number;
  height: number;
}

/** A DevTools client of one page, for both sides of a comparison. */
export class DevToolsClient {
  readonly #connection: Connection;
  readonly #listeners = new Map<string, (params: unknown) => void>();
  #targetId: string | undefined;
  #pageSession: string | undefined;

  private constructor(connection: Connection) {
    this.#connection = connection;
    connection.socket.on("message", (data) => {
      if (this.#listeners.size === 0) return;
      const event = eventSchema.safeParse(JSON.parse(String(data))).data;
      if (event !== undefined) this.#listeners.get(event.method)?.(event.params);
    });
  }

  static async connect(url: string): Promise<DevToolsClient> {
    return new DevToolsClient(await Connection.connect(url, { maxPayload: 0 }));
  }

  /** Opens and attaches to a page. @param context for `Target.createBrowserContext`; absent: the default. */
  async openPage(context?: Record<string, unknown>): Promise<void> {
    const created = context && contextSchema.parse(await this.send("Target.createBrowserContext", context));
    const opened = await this.send("Target.createTarget", { url: "about:blank", ...created });
    const { targetId } = createdSchema.parse(opened);
    await this.#attach(targetId);
  }

  async attachToPage(): Promise<void> {
    const [page] = await this.#connection.pages();
    if (page === undefined) throw new Error("The browser has no page");
    await this.#attach(page.targetId);
  }

  /** Loads a document and waits until it is painted. */
  async show(html: string): Promise<void> {
    const url = `data:text/html;charset=utf-8,${encodeURIComponent(html)}`;
    await this.sendToPage("Page.navigate", { url });
    await this.sendToPage("Runtime.evaluate", { expression: WAIT_UNTIL_PAINTED, awaitPromise: true });
  }

  /** Resizes the window so that the page has the given size. */
  async resizePage(size: PageSize): Promise<void> {
    const window = await this.send("Browser.getWindowForTarget", { targetId: this.#targetId });
    const { windowId } = windowSchema.parse(window);
    const { bounds } = boundsSchema.parse(await this.send("Browser.getWindowBounds", { windowId }));
    const page = await this.#measurePage();
    const width = size.width + bounds.width - page.width;
    const height = size.height + bounds.height - page.height;
    await this.send("Browser.setWindowBounds", { windowId, bounds: { width, height } });
    await this.requirePageSize(size);
  }

  /** @throws when the page has another size, because the figures would not be comparable. */
  async requirePageSize({ width, height }: PageSize): Promise<void> {
    const page = await this.#measurePage();
    if (page.width === width && page.height === height) return;
    throw new Error(`Expected a page of ${width}x${height}, got ${page.width}x${page.height}`);
  }

  evaluate(expression: string): Promise<unknown> {
    return this.#connection.evaluate(expression, this.#pageSession);
  }

  sendToPage(method: string, params: Record<string, unknown> = {}): Promise<unknown> {
    return this.send(method, params, this.#pageSession);
  }

  send(method: string, params: Record<string, unknown> = {}, sessionId?: string): Promise<unknown> {
    return this.#connection.send(method, params, sessionId);
  }

  /** Calls `listener` with the parameters of each event. Each method has at most one listener. */
  on(method: string, listener: (params: unknown) => void): void {
    this.#listeners.set(method, listener);
  }

  /** Connects, waits for the first response, and closes the connection. */
  static async tryConnection(url: string): Promise<void> {
    const client = await DevToolsClient.connect(url);
    await client.send("Browser.getVersion");
    client.close();
  }

  close(): void {
    this.#connection.socket.close();
  }

  async #attach(targetId: string): Promise<void> {
    this.#targetId = targetId;
    this.#pageSession = await this.#connection.attach(targetId);
  }

  async #measurePage(): Promise<PageSize> {
    const [width, height] = pageSizeSchema.parse(await this.evaluate("[innerWidth, innerHeight]"));
    return { width, height };
  }
}

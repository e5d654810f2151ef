import { WebSocket } from "ws";
import { z } from "zod";

const frameSchema = z.object({
  id: z.number().optional(),
  method: z.string().optional(),
  params: z.unknown().optional(),
  result: z.unknown().optional(),
  error: z.object({ message: z.string() }).optional(),
});
const createdSchema = z.object({ targetId: z.string() });
const contextSchema = z.object({ browserContextId: z.string() });
const attachedSchema = z.object({ sessionId: z.string() });
const targetsSchema = z.object({
  targetInfos: z.array(z.object({ targetId: z.string(), type: z.string() })),
});
const evaluatedSchema = z.object({ result: z.object({ value: z.unknown() }) });
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

/** A minimal DevTools client, for both sides of a comparison. */
export class DevToolsClient {
  readonly #socket: WebSocket;
  readonly #pending = new Map<number, PromiseWithResolvers<unknown>>();
  readonly #listeners = new Map<string, (params: unknown) => void>();
  #lastId = 0;
  #targetId: string | undefined;
  #pageSession: string | undefined;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on("message", (data) => this.#receive(String(data)));
    socket.on("close", () => {
      for (const { reject } of this.#pending.values()) reject(new Error("The connection closed"));
    });
  }

  static async connect(url: string): Promise<DevToolsClient> {
    const socket = new WebSocket(url, { maxPayload: 0, perMessageDeflate: false });
    await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));
    return new DevToolsClient(socket);
  }

  /**
   * Opens a page and attaches to it.
   *
   * @param context parameters of `Target.createBrowserContext`; without them, the default context is used.
   */
  async openPage(context?: object): Promise<void> {
    const created =
      context === undefined
        ? undefined
        : contextSchema.parse(await this.send("Target.createBrowserContext", context));
    const { targetId } = createdSchema.parse(
      await this.send("Target.createTarget", { url: "about:blank", ...created }),
    );
    await this.#attach(targetId);
  }

  async attachToPage(): Promise<void> {
    const { targetInfos } = targetsSchema.parse(await this.send("Target.getTargets"));
    const page = targetInfos.find(({ type }) => type === "page");
    if (page === undefined) throw new Error("The browser has no page");
    await this.#attach(page.targetId);
  }

  /** Loads a document and waits until it is painted. */
  async show(html: string): Promise<void> {
    await this.sendToPage("Page.navigate", {
      url: `data:text/html;charset=utf-8,${encodeURIComponent(html)}`,
    });
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

  async evaluate(expression: string): Promise<unknown> {
    const evaluated = await this.sendToPage("Runtime.evaluate", { expression, returnByValue: true });
    return evaluatedSchema.parse(evaluated).result.value;
  }

  sendToPage(method: string, params: object = {}): Promise<unknown> {
    return this.send(method, params, this.#pageSession);
  }

  send(method: string, params: object = {}, sessionId?: string): Promise<unknown> {
    this.#lastId += 1;
    const response = Promise.withResolvers<unknown>();
    this.#pending.set(this.#lastId, response);
    this.#socket.send(JSON.stringify({ id: this.#lastId, method, params, sessionId }));
    return response.promise;
  }

  /** Calls `listener` with the parameters of each event. Each method has at most one listener. */
  on(method: string, listener: (params: unknown) => void): void {
    this.#listeners.set(method, listener);
  }

  close(): void {
    this.#socket.close();
  }

  async #attach(targetId: string): Promise<void> {
    const attached = await this.send("Target.attachToTarget", { targetId, flatten: true });
    this.#targetId = targetId;
    this.#pageSession = attachedSchema.parse(attached).sessionId;
  }

  async #measurePage(): Promise<PageSize> {
    const [width, height] = pageSizeSchema.parse(await this.evaluate("[innerWidth, innerHeight]"));
    return { width, height };
  }

  #receive(text: string): void {
    if (this.#listeners.size === 0 && !text.startsWith('{"id":')) return;
    const { id, method, params, result, error } = frameSchema.parse(JSON.parse(text));
    if (id === undefined) {
      if (method !== undefined) this.#listeners.get(method)?.(params);
      return;
    }
    const response = this.#pending.get(id);
    this.#pending.delete(id);
    if (error === undefined) response?.resolve(result);
    else response?.reject(new Error(error.message));
  }
}

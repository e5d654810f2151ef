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

/** After the page that a document has replaced, and with all that it loads. */
const UNTIL_LOADED = `new Promise((resolve) => {
  const painted = () => requestAnimationFrame(() => requestAnimationFrame(() => resolve()));
  document.readyState === "complete" ? painted() : addEventListener("load", painted);
})`;

export interface PageSize {
  width: number;
  height: number;
}

/** The least that speaks the DevTools protocol: the same on both sides of a comparison. */
export class DevToolsClient {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>();
  readonly #listeners = new Map<string, (params: unknown) => void>();
  #lastId = 0;
  #targetId: string | undefined;
  #pageSession: string | undefined;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on("message", (data) => this.#receive(String(data)));
    socket.on("close", () => {
      for (const { reject } of this.#waiting.values()) reject(new Error("The connection closed"));
    });
  }

  static async connect(url: string): Promise<DevToolsClient> {
    const socket = new WebSocket(url, { maxPayload: 0, perMessageDeflate: false });
    await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));
    return new DevToolsClient(socket);
  }

  /**
   * Opens a page that {@link evaluate} runs in.
   *
   * @param context the page's own context, as `Target.createBrowserContext` takes it; the default one when absent.
   */
  async openPage(context?: object): Promise<void> {
    const made =
      context === undefined
        ? undefined
        : contextSchema.parse(await this.send("Target.createBrowserContext", context));
    const { targetId } = createdSchema.parse(
      await this.send("Target.createTarget", { url: "about:blank", ...made }),
    );
    await this.#attach(targetId);
  }

  /** Takes the page that the browser has. */
  async attachToPage(): Promise<void> {
    const { targetInfos } = targetsSchema.parse(await this.send("Target.getTargets"));
    const page = targetInfos.find(({ type }) => type === "page");
    if (page === undefined) throw new Error("The browser has no page");
    await this.#attach(page.targetId);
  }

  /** Shows a document in the page and waits until it is painted. */
  async show(html: string): Promise<void> {
    await this.sendToPage("Page.navigate", {
      url: `data:text/html;charset=utf-8,${encodeURIComponent(html)}`,
    });
    await this.sendToPage("Runtime.evaluate", { expression: UNTIL_LOADED, awaitPromise: true });
  }

  /** Makes the page's window so large that the page has that size. */
  async sizePage(wanted: PageSize): Promise<void> {
    const window = await this.send("Browser.getWindowForTarget", { targetId: this.#targetId });
    const { windowId } = windowSchema.parse(window);
    const { bounds } = boundsSchema.parse(await this.send("Browser.getWindowBounds", { windowId }));
    const page = await this.#measurePage();
    const width = wanted.width + bounds.width - page.width;
    const height = wanted.height + bounds.height - page.height;
    await this.send("Browser.setWindowBounds", { windowId, bounds: { width, height } });
    await this.requirePageSize(wanted);
  }

  /** @throws when the page has another size: what is measured would be another thing. */
  async requirePageSize({ width, height }: PageSize): Promise<void> {
    const page = await this.#measurePage();
    if (page.width === width && page.height === height) return;
    throw new Error(`The page is ${page.width}x${page.height} instead of ${width}x${height}`);
  }

  /** The value of an expression in the page. */
  async evaluate(expression: string): Promise<unknown> {
    const evaluated = await this.sendToPage("Runtime.evaluate", { expression, returnByValue: true });
    return evaluatedSchema.parse(evaluated).result.value;
  }

  sendToPage(method: string, params: object = {}): Promise<unknown> {
    return this.send(method, params, this.#pageSession);
  }

  send(method: string, params: object = {}, sessionId?: string): Promise<unknown> {
    this.#lastId += 1;
    const answer = Promise.withResolvers<unknown>();
    this.#waiting.set(this.#lastId, answer);
    this.#socket.send(JSON.stringify({ id: this.#lastId, method, params, sessionId }));
    return answer.promise;
  }

  /** Calls `listener` with what each event of that method says; all other events pass unread. */
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
    const answer = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error === undefined) answer?.resolve(result);
    else answer?.reject(new Error(error.message));
  }
}

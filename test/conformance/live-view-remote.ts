import { z } from "zod";
import { DevToolsClient } from "./devtools-client.ts";
import type { Point } from "./live-view-page.ts";

const evaluatedSchema = z.object({
  result: z.object({ value: z.unknown().optional() }),
  exceptionDetails: z.object({ text: z.string() }).optional(),
});
const pointSchema = z.object({ x: z.number(), y: z.number() });
const sizeSchema = z.object({ width: z.number(), height: z.number() });

/**
 * A page of the remote browser, as it is itself. A bare DevTools client sees it: Playwright would answer its
 * dialogs and give it the focus.
 */
export class RemotePage implements Disposable {
  readonly client: DevToolsClient;
  readonly #session: string;

  private constructor(client: DevToolsClient, session: string) {
    this.client = client;
    this.#session = session;
  }

  /** Attaches to the first page that is listed, or to the one with this id. */
  static async attach(address: string, targetId?: string): Promise<RemotePage> {
    const client = await DevToolsClient.connect(address);
    return new RemotePage(client, await client.attach(targetId));
  }

  /** Sends the page a command. */
  send(method: string, params: Record<string, unknown> = {}): Promise<Record<string, unknown>> {
    return this.client.send(method, params, this.#session);
  }

  /** Value of an expression; that of a promise once it is resolved. */
  async evaluate(expression: string): Promise<unknown> {
    const options = { expression, returnByValue: true, awaitPromise: true };
    const { result, exceptionDetails } = evaluatedSchema.parse(await this.send("Runtime.evaluate", options));
    if (exceptionDetails !== undefined) throw new Error(exceptionDetails.text);
    return result.value;
  }

  /** Goes to an address; resolves when the page has loaded. */
  async goTo(url: string): Promise<void> {
    await this.send("Page.enable");
    const loaded = this.untilEvent("Page.loadEventFired");
    await this.send("Page.navigate", { url });
    await loaded;
  }

  /** The next event of this name, of whichever page this client is attached to. */
  async untilEvent(method: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const listener = (data: unknown) => {
      if (z.object({ method: z.string() }).safeParse(JSON.parse(String(data))).data?.method === method)
        resolve();
    };
    this.client.socket.on("message", listener);
    await promise;
    this.client.socket.off("message", listener);
  }

  /** What the playground has written down since it was last asked. */
  async heard(): Promise<string[]> {
    return z.array(z.string()).parse(await this.evaluate("heard.splice(0)"));
  }

  async valueOf(selector: string): Promise<unknown> {
    return this.evaluate(`document.querySelector(${JSON.stringify(selector)}).value`);
  }

  /** The middle of an element in the page's pixels, or a point beside it. */
  async pointOf(selector: string, { dx = 0, dy = 0 } = {}): Promise<Point> {
    const { x, y } = pointSchema.parse(
      await this.evaluate(`(() => {
        const box = document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect();
        return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
      })()`),
    );
    return { x: x + dx, y: y + dy };
  }

  async size(): Promise<{ width: number; height: number }> {
    return sizeSchema.parse(await this.evaluate("({ width: innerWidth, height: innerHeight })"));
  }

  [Symbol.dispose](): void {
    this.client[Symbol.dispose]();
  }
}

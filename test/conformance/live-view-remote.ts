import { z } from "zod";
import { DevToolsClient } from "./devtools-client.ts";
import type { Point } from "./live-view-page.ts";

const evaluatedSchema = z.object({
  result: z.object({ value: z.unknown().optional() }),
  exceptionDetails: z.object({ text: z.string() }).optional(),
});
const pointSchema = z.object({ x: z.number(), y: z.number() });
const sizeSchema = z.object({ width: z.number(), height: z.number() });

/** A remote page over a bare DevTools connection: Playwright would close its dialogs and emulate focus. */
export class RemotePage implements Disposable {
  readonly client: DevToolsClient;
  readonly #session: string;

  private constructor(client: DevToolsClient, session: string) {
    this.client = client;
    this.#session = session;
  }

  /** Attaches to a page, by default the first. */
  static async attach(address: string, targetId?: string): Promise<RemotePage> {
    const client = await DevToolsClient.connect(address);
    return new RemotePage(client, await client.attach(targetId));
  }

  send(method: string, params: Record<string, unknown> = {}): Promise<Record<string, unknown>> {
    return this.client.send(method, params, this.#session);
  }

  /** Evaluates an expression, awaiting promises. */
  async evaluate(expression: string): Promise<unknown> {
    const options = { expression, returnByValue: true, awaitPromise: true };
    const { result, exceptionDetails } = evaluatedSchema.parse(await this.send("Runtime.evaluate", options));
    if (exceptionDetails !== undefined) throw new Error(exceptionDetails.text);
    return result.value;
  }

  /** Navigates and waits for the page to load. */
  async goTo(url: string): Promise<void> {
    await this.send("Page.enable");
    const loaded = this.waitForEvent("Page.loadEventFired");
    await this.send("Page.navigate", { url });
    await loaded;
  }

  /** Waits for an event from any page that this client is attached to. */
  async waitForEvent(method: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const listener = (data: unknown) => {
      if (z.object({ method: z.string() }).safeParse(JSON.parse(String(data))).data?.method === method)
        resolve();
    };
    this.client.socket.on("message", listener);
    await promise;
    this.client.socket.off("message", listener);
  }

  /** Returns the playground's events and clears its record. */
  async takeEvents(): Promise<string[]> {
    return z.array(z.string()).parse(await this.evaluate("heard.splice(0)"));
  }

  async valueOf(selector: string): Promise<unknown> {
    return this.evaluate(`document.querySelector(${JSON.stringify(selector)}).value`);
  }

  /** An element's center plus an offset, in the page's pixels. */
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

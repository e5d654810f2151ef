import { z } from "zod";
import type { DevToolsClient } from "./devtools-client.ts";
import type { FrameSource } from "./live-viewer.ts";

const FRAME_EVENT = "Page.screencastFrame";
const frameSchema = z.object({ data: z.string(), sessionId: z.number() });

/** A DevTools screencast with the live view's format and acknowledgement rate. */
export class BareScreencast implements FrameSource {
  onFrame: (picture: Buffer) => void = () => undefined;
  readonly #client: DevToolsClient;

  readonly #intervalMs: number;
  readonly #unacknowledged: number[] = [];
  #acknowledgedAt = 0;
  #timer: NodeJS.Timeout | undefined;

  private constructor(client: DevToolsClient, refreshRate: number) {
    this.#client = client;
    this.#intervalMs = 1000 / refreshRate;
    client.on(FRAME_EVENT, (params) => {
      const { data, sessionId } = frameSchema.parse(params);
      this.#unacknowledged.push(sessionId);
      this.#scheduleAcknowledgement();
      this.onFrame(Buffer.from(data, "base64"));
    });
  }

  static async start(
    client: DevToolsClient,
    { quality, maxWidth, refreshRate }: { quality: number; maxWidth: number; refreshRate: number },
  ): Promise<BareScreencast> {
    const screencast = new BareScreencast(client, refreshRate);
    const format = { format: "jpeg", quality, maxWidth, maxHeight: maxWidth, everyNthFrame: 1 };
    await client.sendToPage("Page.startScreencast", format);
    return screencast;
  }

  click({ x, y }: { x: number; y: number }): void {
    const button = { x, y, button: "left", clickCount: 1 };
    this.#send("Input.dispatchMouseEvent", { type: "mouseMoved", x, y });
    this.#send("Input.dispatchMouseEvent", { type: "mousePressed", buttons: 1, ...button });
    this.#send("Input.dispatchMouseEvent", { type: "mouseReleased", buttons: 0, ...button });
  }

  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#client.sendToPage("Page.stopScreencast");
  }

  #scheduleAcknowledgement(): void {
    if (this.#timer !== undefined || this.#unacknowledged.length === 0) return;
    const wait = Math.max(0, this.#acknowledgedAt + this.#intervalMs - Date.now());
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#acknowledgedAt = Date.now();
      this.#send("Page.screencastFrameAck", { sessionId: this.#unacknowledged.shift() });
      this.#scheduleAcknowledgement();
    }, wait);
  }

  /** Ignores the response, and failures after the connection has closed. */
  #send(method: string, params: Record<string, unknown>): void {
    this.#client.sendToPage(method, params).catch(() => undefined);
  }
}

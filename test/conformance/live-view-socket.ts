import { once } from "node:events";
import WebSocket from "ws";
import { z } from "zod";
import type { ViewerMessage } from "../../src/features/live-view/protocol.ts";

const messageSchema = z.looseObject({ type: z.string() });

type Message = z.infer<typeof messageSchema>;

interface ViewerSocketOptions {
  /** The `Origin` header; the service's own by default. */
  origin?: string;
  /** Sends `frame-drawn` for each frame. */
  acknowledges?: boolean;
}

/** A live view's socket without its page, so that tests control every message. */
export class ViewerSocket implements Disposable {
  readonly socket: WebSocket;
  readonly messages: Message[] = [];
  frames = 0;
  readonly closed: Promise<{ code: number; reason: string }>;

  private constructor(socket: WebSocket, acknowledges: boolean) {
    this.socket = socket;
    this.closed = new Promise((resolve) => {
      socket.on("close", (code, reason) => resolve({ code, reason: reason.toString() }));
    });
    socket.on("error", () => {});
    socket.on("message", (data: Buffer, isBinary) => {
      if (!isBinary) {
        this.messages.push(messageSchema.parse(JSON.parse(data.toString())));
        return;
      }
      this.frames += 1;
      if (acknowledges) this.send({ type: "frame-drawn", frame: data.readUInt32BE(0) });
    });
  }

  /** @param address URL of the live view's page. */
  static async connect(
    address: string | null | undefined,
    { origin, acknowledges = true }: ViewerSocketOptions = {},
  ): Promise<ViewerSocket> {
    const url = socketURL(address);
    const socket = new WebSocket(url, { origin: origin ?? new URL(address ?? "").origin });
    const viewer = new ViewerSocket(socket, acknowledges);
    await once(socket, "open");
    return viewer;
  }

  send(message: ViewerMessage): void {
    this.sendRaw(JSON.stringify(message));
  }

  sendRaw(message: string | Buffer): void {
    this.socket.send(message);
  }

  /** Sends a ping, which the service answers only after all earlier messages. */
  async waitUntilProcessed(): Promise<void> {
    const before = this.count("pong");
    this.send({ type: "ping" });
    while (this.count("pong") === before) await once(this.socket, "message");
  }

  async first(type: string): Promise<Message> {
    for (;;) {
      const found = this.messages.find((message) => message.type === type);
      if (found !== undefined) return found;
      await once(this.socket, "message");
    }
  }

  count(type: string): number {
    return this.messages.filter((message) => message.type === type).length;
  }

  last(type: string): Message | undefined {
    return this.messages.findLast((message) => message.type === type);
  }

  [Symbol.dispose](): void {
    this.socket.terminate();
  }
}

export function socketURL(address: string | null | undefined): string {
  const url = new URL(address ?? "");
  url.protocol = "ws:";
  url.pathname += "/socket";
  return url.href;
}

import { once } from "node:events";
import { WebSocket } from "ws";
import { FRAME_HEADER_BYTES } from "../src/features/live-view/constants.ts";
import type { ViewerMessage } from "../src/features/live-view/protocol.ts";

export interface FrameSource {
  /** Presses and releases the left button. */
  click(place: { x: number; y: number }): void;
  /** Called with the JPEG of each frame. */
  onFrame: (picture: Buffer) => void;
}

/** A live view client that acknowledges each frame immediately, without drawing it. */
export class LiveViewer implements FrameSource {
  onFrame: (picture: Buffer) => void = () => undefined;
  readonly #socket: WebSocket;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on("message", (data, isBinary) => {
      if (isBinary && Buffer.isBuffer(data)) this.#receive(data);
    });
  }

  /** @param address the `browser_live_view_url` of a session. */
  static async connect(address: string): Promise<LiveViewer> {
    const url = new URL(address);
    const { origin } = url;
    url.protocol = url.protocol.replace("http", "ws");
    url.pathname += "/socket";
    const socket = new WebSocket(url, { origin, perMessageDeflate: false });
    const viewer = new LiveViewer(socket);
    await once(socket, "open");
    return viewer;
  }

  click({ x, y }: { x: number; y: number }): void {
    const press = { type: "mouse", x, y, button: "left", clickCount: 1, modifiers: 0 } as const;
    this.#send({ ...press, action: "down", buttons: 1 });
    this.#send({ ...press, action: "up", buttons: 0 });
  }

  async close(): Promise<void> {
    if (this.#socket.readyState === WebSocket.CLOSED) return;
    this.#socket.close();
    await once(this.#socket, "close");
  }

  #receive(message: Buffer): void {
    this.#send({ type: "frame-drawn", frame: message.readUInt32BE(0) });
    this.onFrame(message.subarray(FRAME_HEADER_BYTES));
  }

  #send(message: ViewerMessage): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
  }
}

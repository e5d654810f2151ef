import { once } from "node:events";
import { WebSocket } from "ws";
import { FRAME_HEADER_BYTES } from "../src/live-view/constants.ts";
import type { ViewerMessage } from "../src/live-view/protocol.ts";

/** Shows frames to its listener, as fast as they come. */
export interface FrameSource {
  /** Presses and releases the left button. */
  click(place: { x: number; y: number }): void;
  /** Called with each frame's JPEG file; one listener at a time. */
  onFrame: (picture: Buffer) => void;
}

/** A viewer of a live view that draws nothing: it asks for the next frame as soon as it has one. */
export class LiveViewer implements FrameSource {
  onFrame: (picture: Buffer) => void = () => undefined;
  readonly #socket: WebSocket;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on("message", (data, isBinary) => {
      if (isBinary && Buffer.isBuffer(data)) this.#take(data);
    });
  }

  /** @param address what a session has as `browser_live_view_url`. */
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

  #take(message: Buffer): void {
    this.#send({ type: "frame-drawn", frame: message.readUInt32BE(0) });
    this.onFrame(message.subarray(FRAME_HEADER_BYTES));
  }

  #send(message: ViewerMessage): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
  }
}

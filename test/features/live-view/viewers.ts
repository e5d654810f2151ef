import type { ServiceMessage, ViewerMessage } from "../../../src/features/live-view/protocol.ts";
import { ORIGIN, openSocket } from "../../api.ts";
import { Listener } from "../../sockets.ts";

type MessageOf<T extends ServiceMessage["type"]> = Extract<ServiceMessage, { type: T }>;

function socketAddress(pageURL: string, query = ""): string {
  const { pathname, search } = new URL(pageURL);
  return `${ORIGIN}${pathname}/socket${search}${query}`;
}

/** A client of a session's live view that speaks the page's protocol. */
export class ViewerPage {
  readonly closed: Promise<CloseEvent>;
  readonly #socket: WebSocket;
  readonly #received: Listener;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    this.#received = new Listener(socket);
    this.closed = this.#received.closed;
  }

  /** @param query appended to the query of the socket, such as "&readOnly=true". */
  static async open(pageURL: string, query = "", origin = ORIGIN): Promise<ViewerPage> {
    const socket = await openSocket(socketAddress(pageURL, query), { origin });
    socket.binaryType = "arraybuffer";
    return new ViewerPage(socket);
  }

  get messages(): ServiceMessage[] {
    return this.#received.frames.flatMap((frame) => (typeof frame === "string" ? [JSON.parse(frame)] : []));
  }

  get pictures(): Uint8Array[] {
    return this.#received.frames.flatMap((frame) =>
      typeof frame === "string" ? [] : [new Uint8Array(frame)],
    );
  }

  /** Waits for the first message of a type, or the one after `after` others. */
  async waitFor<T extends ServiceMessage["type"]>(type: T, after = 0): Promise<MessageOf<T>> {
    for (;;) {
      const message = this.of(type)[after];
      if (message !== undefined) return message;
      await this.#received.first(this.#received.frames.length + 1);
    }
  }

  of<T extends ServiceMessage["type"]>(type: T): MessageOf<T>[] {
    return this.messages.filter((message): message is MessageOf<T> => message.type === type);
  }

  send(message: ViewerMessage): void {
    this.sendRaw(JSON.stringify(message));
  }

  sendRaw(message: string | Uint8Array): void {
    this.#socket.send(message);
  }

  /** Resolves when the service has received everything sent so far. */
  async settled(): Promise<void> {
    const before = this.of("pong").length;
    this.send({ type: "ping" });
    await this.waitFor("pong", before);
  }

  close(): void {
    this.#socket.close(1000);
  }
}

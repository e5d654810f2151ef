import type { ServiceMessage, ViewerMessage } from "../../src/live-view/protocol.ts";
import { ORIGIN, openSocket } from "../api.ts";
import { Listener } from "../sockets.ts";

type MessageOf<T extends ServiceMessage["type"]> = Extract<ServiceMessage, { type: T }>;

/** The address of the socket that the page at this address opens. */
function socketAddress(pageURL: string, query = ""): string {
  const { pathname, search } = new URL(pageURL);
  return `${ORIGIN}${pathname}/socket${search}${query}`;
}

/** Somebody at a session's live view, as its page is to the service. */
export class ViewerPage {
  readonly closed: Promise<CloseEvent>;
  readonly #socket: WebSocket;
  readonly #heard: Listener;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    this.#heard = new Listener(socket);
    this.closed = this.#heard.closed;
  }

  /** @param query what the page adds to the socket's query, such as "&readOnly=true". */
  static async open(pageURL: string, query = "", origin = ORIGIN): Promise<ViewerPage> {
    const socket = await openSocket(socketAddress(pageURL, query), { origin });
    socket.binaryType = "arraybuffer";
    return new ViewerPage(socket);
  }

  /** All messages so far. */
  get messages(): ServiceMessage[] {
    return this.#heard.frames.flatMap((frame) => (typeof frame === "string" ? [JSON.parse(frame)] : []));
  }

  /** The pictures so far. */
  get pictures(): Uint8Array[] {
    return this.#heard.frames.flatMap((frame) => (typeof frame === "string" ? [] : [new Uint8Array(frame)]));
  }

  /** The first message of a type, or the one that comes after so many of it. */
  async hear<T extends ServiceMessage["type"]>(type: T, after = 0): Promise<MessageOf<T>> {
    for (;;) {
      const message = this.of(type)[after];
      if (message !== undefined) return message;
      await this.#heard.first(this.#heard.frames.length + 1);
    }
  }

  /** All messages of a type so far. */
  of<T extends ServiceMessage["type"]>(type: T): MessageOf<T>[] {
    return this.messages.filter((message): message is MessageOf<T> => message.type === type);
  }

  send(message: ViewerMessage): void {
    this.sendRaw(JSON.stringify(message));
  }

  sendRaw(message: string | Uint8Array): void {
    this.#socket.send(message);
  }

  /** Resolves when the service has heard all that was sent before. */
  async settled(): Promise<void> {
    const before = this.of("pong").length;
    this.send({ type: "ping" });
    await this.hear("pong", before);
  }

  close(): void {
    this.#socket.close(1000);
  }
}

/** Both ends of a socket, accepted. */
export function socketPair(): [WebSocket, WebSocket] {
  const { 0: first, 1: second } = new WebSocketPair();
  first.accept();
  second.accept();
  return [first, second];
}

/** Everything one end of a socket hears, in order, and awaitable. */
export class Listener {
  readonly frames: (string | ArrayBuffer)[] = [];
  readonly closed: Promise<CloseEvent>;
  readonly #waiting = new Set<() => void>();

  constructor(socket: WebSocket) {
    socket.addEventListener("message", ({ data }) => {
      if (typeof data === "string" || data instanceof ArrayBuffer) this.frames.push(data);
      for (const look of this.#waiting) look();
    });
    this.closed = new Promise((resolve) => socket.addEventListener("close", resolve));
  }

  /** The first frames, once there are as many. */
  async first(count: number): Promise<(string | ArrayBuffer)[]> {
    await new Promise<void>((resolve) => {
      const look = () => {
        if (this.frames.length < count) return;
        this.#waiting.delete(look);
        resolve();
      };
      this.#waiting.add(look);
      look();
    });
    return this.frames.slice(0, count);
  }
}

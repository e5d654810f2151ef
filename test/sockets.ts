/** Both ends of an accepted WebSocket. */
export function socketPair(): [WebSocket, WebSocket] {
  const { 0: first, 1: second } = new WebSocketPair();
  first.accept();
  second.accept();
  return [first, second];
}

/** Records the frames that one end of a WebSocket receives. */
export class Listener {
  readonly frames: (string | ArrayBuffer)[] = [];
  readonly closed: Promise<CloseEvent>;
  readonly #waiting = new Set<() => void>();

  constructor(socket: WebSocket) {
    socket.addEventListener("message", ({ data }) => {
      if (typeof data === "string" || data instanceof ArrayBuffer) this.frames.push(data);
      for (const check of this.#waiting) check();
    });
    this.closed = new Promise((resolve) => socket.addEventListener("close", resolve));
  }

  async first(count: number): Promise<(string | ArrayBuffer)[]> {
    await new Promise<void>((resolve) => {
      const check = () => {
        if (this.frames.length < count) return;
        this.#waiting.delete(check);
        resolve();
      };
      this.#waiting.add(check);
      check();
    });
    return this.frames.slice(0, count);
  }
}

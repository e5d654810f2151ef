import { z } from "zod";

const CONNECT_TIMEOUT_MS = 20_000;
const COMMAND_TIMEOUT_MS = 30_000;

const answerSchema = z.object({
  id: z.number().optional(),
  result: z.record(z.string(), z.unknown()).optional(),
  error: z.object({ message: z.string() }).optional(),
});

/** A DevTools client of a session. */
export class DevTools implements Disposable {
  /** Resolves with the code when the connection closes. */
  readonly closed: Promise<number>;
  readonly #socket: WebSocket;
  readonly #pending = new Map<number, PromiseWithResolvers<Record<string, unknown>>>();
  #lastId = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    this.closed = new Promise((resolve) => {
      socket.addEventListener("close", ({ code }) => {
        resolve(code);
        for (const { reject } of this.#pending.values())
          reject(new Error(`the connection closed with ${code}`));
      });
    });
    socket.addEventListener("message", ({ data }) => {
      const { id = 0, result = {}, error } = answerSchema.parse(JSON.parse(String(data)));
      const pending = this.#pending.get(id);
      if (error === undefined) pending?.resolve(result);
      else pending?.reject(new Error(error.message));
      this.#pending.delete(id);
    });
  }

  /** @throws when it does not connect. */
  static async connect(url: string): Promise<DevTools> {
    const socket = new WebSocket(url);
    await within(CONNECT_TIMEOUT_MS, (resolve, reject) => {
      socket.addEventListener("open", () => resolve(undefined));
      socket.addEventListener("error", () => reject(new Error("the client could not connect")));
    }).catch((error) => {
      socket.close();
      throw error;
    });
    return new DevTools(socket);
  }

  send(method: string, params: object = {}, sessionId?: string): Promise<Record<string, unknown>> {
    this.#lastId += 1;
    const id = this.#lastId;
    this.#socket.send(JSON.stringify({ id, method, params, sessionId }));
    return within(COMMAND_TIMEOUT_MS, (resolve, reject) => {
      this.#pending.set(id, { ...Promise.withResolvers(), resolve, reject });
    });
  }

  [Symbol.dispose](): void {
    this.#socket.close();
  }
}

function within<T>(
  limitMs: number,
  start: (resolve: (value: T | PromiseLike<T>) => void, reject: (error: unknown) => void) => void,
): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const timer = setTimeout(() => reject(new Error(`no answer within ${limitMs / 1000} s`)), limitMs);
  start(resolve, reject);
  return promise.finally(() => clearTimeout(timer));
}

import { z } from "zod";
import { closeSocket } from "../browser/index.ts";
import { resolveWithin } from "../common/concurrency.ts";

const ANSWER_TIMEOUT_MS = 5000;

const answerSchema = z.object({
  id: z.number().optional(),
  result: z.record(z.string(), z.unknown()).optional(),
  error: z.object({ message: z.string() }).optional(),
});

/** The result of a command, or the browser's refusal in its own words. */
export type Answer = { result: Record<string, unknown> } | { refusal: string };

/** A socket to a browser whose answers are seen as they come. */
export class RawConnection implements Disposable {
  readonly #socket: WebSocket;
  readonly #pending = new Map<number, (answer: Answer) => void>();
  #lastId = 0;

  /** @param socket an accepted socket. */
  constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener("message", ({ data }) => {
      const { id = 0, result = {}, error } = answerSchema.parse(JSON.parse(String(data)));
      this.#pending.get(id)?.(error === undefined ? { result } : { refusal: error.message });
      this.#pending.delete(id);
    });
  }

  async send(method: string, params: object = {}, sessionId?: string): Promise<Answer> {
    this.#lastId += 1;
    const answered = Promise.withResolvers<Answer>();
    this.#pending.set(this.#lastId, answered.resolve);
    this.#socket.send(JSON.stringify({ id: this.#lastId, method, params, sessionId }));
    const answer = await resolveWithin(answered.promise, ANSWER_TIMEOUT_MS);
    return answer ?? { refusal: `no answer within ${ANSWER_TIMEOUT_MS / 1000} s` };
  }

  [Symbol.dispose](): void {
    closeSocket(this.#socket, 1000);
  }
}

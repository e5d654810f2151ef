import { z } from "zod";
import { resolveWithin } from "../../../lib/common/concurrency.ts";
import { closeSocket } from "../../../platform/browser/index.ts";
import { type BidiMessage, commandSchema, startMapper } from "../mapper.ts";
import { WebDriverError } from "./errors.ts";

const eventSchema = z.object({ method: z.string(), params: z.looseObject({ context: z.string() }) });

export type BidiEvent = z.infer<typeof eventSchema>;

/** `code` is the error after that time. */
const DEFAULT_LIMIT = { ms: 60_000, code: "timeout" };

/** Sends BiDi commands to a mapper of its own. */
export class BidiClient {
  readonly #socket: WebSocket;
  readonly #mapper: ReturnType<typeof startMapper>;
  readonly #onEvent: (event: BidiEvent) => void;
  readonly #waiting = new Map<number, (message: BidiMessage | undefined) => void>();
  isClosed = false;
  #lastId = 0;

  /** @param socket an accepted DevTools socket, which the client owns. */
  constructor(socket: WebSocket, onEvent: (event: BidiEvent) => void) {
    this.#socket = socket;
    this.#onEvent = onEvent;
    socket.addEventListener("close", () => this.#end());
    this.#mapper = startMapper(socket, (message) => this.#take(message));
    this.#mapper.catch(() => this.#end());
  }

  /** @throws WebDriverError when the browser refuses, is gone or does not answer in time. */
  async send(method: string, params: object, { ms, code } = DEFAULT_LIMIT): Promise<unknown> {
    this.#lastId += 1;
    const id = this.#lastId;
    const answered = Promise.withResolvers<BidiMessage | undefined>();
    this.#waiting.set(id, answered.resolve);
    const ask = async () => {
      if (!this.isClosed) (await this.#mapper)(commandSchema.parse({ id, method, params }));
      return { answer: this.isClosed ? undefined : await answered.promise };
    };
    const outcome = await resolveWithin(
      ask().catch(() => ({ answer: undefined })),
      ms,
    );
    this.#waiting.delete(id);
    if (outcome === undefined) throw new WebDriverError(code, `no answer within ${ms} ms`);
    const { answer } = outcome;
    if (answer === undefined)
      throw new WebDriverError("unknown error", "The session's browser does not answer");
    if (answer.type === "error") throw new WebDriverError(answer.error, answer.message);
    return "result" in answer ? answer.result : undefined;
  }

  close(): void {
    closeSocket(this.#socket);
  }

  #take(message: BidiMessage): void {
    if ("id" in message && message.id !== null) this.#waiting.get(message.id)?.(message);
    const event = eventSchema.safeParse(message);
    if (event.success) this.#onEvent(event.data);
  }

  #end(): void {
    this.isClosed = true;
    for (const resolve of this.#waiting.values()) resolve(undefined);
  }
}

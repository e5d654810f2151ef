import { z } from "zod";
import { withinTime } from "../../common/concurrency.ts";
import { CommandRefusal, SERVER_ERROR } from "./client-command.ts";

/** The first of the ids, which count down. Clients count up from 1, so none comes near them. */
const FIRST_ID = 2_147_483_646;

/** How answers begin to commands with such ids. */
const ANSWER_START = '{"id":21474';

const ANSWER_TIMEOUT_MS = 15_000;

const answerSchema = z.object({
  id: z.number(),
  result: z.record(z.string(), z.unknown()).optional(),
  error: z.object({ code: z.number(), message: z.string() }).optional(),
});

type Answer = z.infer<typeof answerSchema>;

/** Commands that a relay sends on its own over a client's socket, whose answers the client never sees. */
export class OwnCommands {
  readonly #send: (frame: string) => void;
  readonly #waiting = new Map<number, (answer: Answer) => void>();
  #nextId = FIRST_ID;

  constructor(send: (frame: string) => void) {
    this.#send = send;
  }

  /** @throws CommandRefusal as the browser does, or when it does not answer. */
  async ask(method: string, params: object, sessionId: string | undefined): Promise<object> {
    const id = this.#nextId;
    this.#nextId -= 1;
    const answered = Promise.withResolvers<Answer>();
    this.#waiting.set(id, answered.resolve);
    this.#send(JSON.stringify({ id, method, params, sessionId }));
    const answer = await withinTime(answered.promise, ANSWER_TIMEOUT_MS);
    if (answer === undefined) throw new CommandRefusal(SERVER_ERROR, "The browser does not answer");
    if (answer.error !== undefined) throw new CommandRefusal(answer.error.code, answer.error.message);
    return answer.result ?? {};
  }

  /** Takes a frame of the browser's that answers such a command. @returns whether it does. */
  take(frame: string): boolean {
    if (this.#waiting.size === 0 || !frame.startsWith(ANSWER_START)) return false;
    const answer = answerSchema.parse(JSON.parse(frame));
    const resolve = this.#waiting.get(answer.id);
    this.#waiting.delete(answer.id);
    resolve?.(answer);
    return resolve !== undefined;
  }
}

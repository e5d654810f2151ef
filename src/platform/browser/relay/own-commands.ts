import { z } from "zod";
import { resolveWithin } from "../../../lib/common/concurrency.ts";
import { CommandError, SERVER_ERROR } from "./client-command.ts";

/** Ids count down from here. Clients count up from 1, so they do not collide. */
const FIRST_ID = 2_147_483_646;

const ANSWER_START = '{"id":21474';

const ANSWER_TIMEOUT_MS = 15_000;

const answerSchema = z.object({
  id: z.number(),
  result: z.record(z.string(), z.unknown()).optional(),
  error: z.object({ code: z.number(), message: z.string() }).optional(),
});

type Answer = z.infer<typeof answerSchema>;

export class RelayCommands {
  readonly #send: (frame: string) => void;
  readonly #waiting = new Map<number, (answer: Answer) => void>();
  #nextId = FIRST_ID;

  constructor(send: (frame: string) => void) {
    this.#send = send;
  }

  /** @throws CommandError when the browser refuses or does not answer. */
  async ask(method: string, params: object, sessionId: string | undefined): Promise<object> {
    const id = this.#nextId;
    this.#nextId -= 1;
    const answered = Promise.withResolvers<Answer>();
    this.#waiting.set(id, answered.resolve);
    this.#send(JSON.stringify({ id, method, params, sessionId }));
    const answer = await resolveWithin(answered.promise, ANSWER_TIMEOUT_MS);
    if (answer === undefined) throw new CommandError(SERVER_ERROR, "The browser does not answer");
    if (answer.error !== undefined) throw new CommandError(answer.error.code, answer.error.message);
    return answer.result ?? {};
  }

  take(frame: string): boolean {
    if (this.#waiting.size === 0 || !frame.startsWith(ANSWER_START)) return false;
    const answer = answerSchema.parse(JSON.parse(frame));
    const resolve = this.#waiting.get(answer.id);
    this.#waiting.delete(answer.id);
    resolve?.(answer);
    return resolve !== undefined;
  }
}

import { z } from "zod";
import { resolveWithin } from "../common/concurrency.ts";

const ANSWER_TIMEOUT_MS = 5000;

const answerSchema = z.object({
  id: z.number().optional(),
  result: z.record(z.string(), z.unknown()).default({}),
  error: z.object({ message: z.string() }).optional(),
});

/** The result of a command, with the browser's refusal in its own words. */
export interface Answer {
  result: Record<string, unknown>;
  refusal?: string;
}

let lastId = 0;

/** Sends a command as it is, whether Puppeteer knows it or not. */
export async function ask(
  socket: WebSocket,
  method: string,
  params = {},
  sessionId?: string,
): Promise<Answer> {
  lastId += 1;
  const id = lastId;
  const answered = Promise.withResolvers<Answer>();
  const listener = ({ data }: MessageEvent) => {
    const answer = answerSchema.parse(JSON.parse(String(data)));
    if (answer.id === id) answered.resolve({ result: answer.result, refusal: answer.error?.message });
  };
  socket.addEventListener("message", listener);
  socket.send(JSON.stringify({ id, method, params, sessionId }));
  const answer = await resolveWithin(answered.promise, ANSWER_TIMEOUT_MS);
  socket.removeEventListener("message", listener);
  return answer ?? { result: {}, refusal: "no answer" };
}

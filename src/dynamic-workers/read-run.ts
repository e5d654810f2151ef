import { LINE_BYTES, type RunLimits } from "./run-limits.ts";
import { type LogLine, type RunMessage, type RunResult, runMessageSchema } from "./run-messages.ts";

/** JSON in JSON: a quote or a backslash of the output takes up to four bytes on the line, a control character seven. */
const LONGEST_ESCAPE = 7;

/** The runner itself ends what logs too much; this is for code that has got hold of the runner. */
const LOG_LENIENCY = 2;

/** Thrown for a run that says nothing sensible: it has ended half-way, or its code meddles with what reports it. */
export class RunBrokenError extends Error {
  override readonly name = "RunBrokenError";
}

/**
 * Follows a run to its end.
 *
 * @param onLine called for each line that it logs, in order; the next is read when it is done with this one.
 * @throws RunBrokenError, and whatever the stream fails with, such as the reason of an abort.
 */
export async function readRun(
  body: ReadableStream<Uint8Array>,
  limits: RunLimits,
  onLine: (line: LogLine) => void | Promise<void>,
): Promise<RunResult> {
  let logBytes = 0;
  for await (const text of readLines(body, limits.outputBytes * LONGEST_ESCAPE)) {
    const message = parseMessage(text);
    if ("done" in message) {
      if (message.done.ok && message.done.json.length > limits.outputBytes) break;
      return message.done;
    }
    logBytes += message.line.text.length + LINE_BYTES;
    if (logBytes > limits.logBytes * LOG_LENIENCY) break;
    await onLine(message.line);
  }
  throw new RunBrokenError("The code ended without a result");
}

function parseMessage(text: string): RunMessage {
  try {
    const message = runMessageSchema.parse(JSON.parse(text));
    if ("done" in message && message.done.ok) JSON.parse(message.done.json);
    return message;
  } catch (cause) {
    throw new RunBrokenError("The code broke the report of its own run", { cause });
  }
}

async function* readLines(body: ReadableStream<Uint8Array>, longest: number): AsyncGenerator<string> {
  let pieces: string[] = [];
  let length = 0;
  for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
    const [first = "", ...others] = chunk.split("\n");
    pieces.push(first);
    length += first.length;
    if (length > longest) throw new RunBrokenError("The code broke the report of its own run");
    for (const next of others) {
      yield pieces.join("");
      pieces = [next];
      length = next.length;
    }
  }
}

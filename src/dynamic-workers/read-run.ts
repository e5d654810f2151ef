import { LINE_BYTES, type RunLimits } from "./run-limits.ts";
import { type LogLine, type RunMessage, type RunResult, runMessageSchema } from "./run-messages.ts";

/** A control character of a text takes six bytes of JSON, as in `\u0000`. */
const LONGEST_ESCAPE = 6;

/** Of a message beside the text in it. */
const LONGEST_FRAME = 1024;

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
  // The runner keeps to the limits by itself; these are for code that has got hold of it.
  const longest = Math.max(limits.outputBytes, limits.logBytes) * LONGEST_ESCAPE + LONGEST_FRAME;
  let logBytes = 0;
  for await (const text of readLines(body, longest)) {
    const message = parseMessage(text);
    if ("done" in message) {
      if (message.done.ok && message.done.json.length > limits.outputBytes) throw newBrokenReport();
      return message.done;
    }
    logBytes += message.line.text.length + LINE_BYTES;
    if (logBytes > limits.logBytes) throw newBrokenReport();
    await onLine(message.line);
  }
  throw new RunBrokenError("The code ended without a result");
}

function newBrokenReport(cause?: unknown): RunBrokenError {
  return new RunBrokenError("The code broke the report of its own run", { cause });
}

function parseMessage(text: string): RunMessage {
  try {
    const message = runMessageSchema.parse(JSON.parse(text));
    if ("done" in message && message.done.ok) JSON.parse(message.done.json);
    return message;
  } catch (cause) {
    throw newBrokenReport(cause);
  }
}

async function* readLines(body: ReadableStream<Uint8Array>, longest: number): AsyncGenerator<string> {
  let pieces: string[] = [];
  let length = 0;
  for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
    const [first = "", ...others] = chunk.split("\n");
    pieces.push(first);
    length += first.length;
    if (length > longest) throw newBrokenReport();
    for (const next of others) {
      yield pieces.join("");
      pieces = [next];
      length = next.length;
    }
  }
}

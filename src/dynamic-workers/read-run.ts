import {
  LINE_BYTES,
  MAX_LINE_LENGTH,
  MAX_MESSAGE_LENGTH,
  MAX_STACK_LENGTH,
  type RunLimits,
} from "./run-limits.ts";
import { type LogLine, type RunMessage, type RunResult, runMessageSchema } from "./run-messages.ts";

/** Characters of JSON that one of a text takes at most, as in `\u0000`. */
const MAX_ESCAPE_LENGTH = 6;

/** JSON has no other characters that JSON escapes than quotes and backslashes. */
const MAX_ESCAPE_OF_JSON_LENGTH = 2;

/** Characters of a message beside the texts in it; of each of those, the sign that it was cut. */
const MAX_FRAME_LENGTH = 1024;

const MAX_LINE_MESSAGE_LENGTH = MAX_LINE_LENGTH * MAX_ESCAPE_LENGTH + MAX_FRAME_LENGTH;
const MAX_FAILURE_LENGTH = (2 * MAX_MESSAGE_LENGTH + MAX_STACK_LENGTH) * MAX_ESCAPE_LENGTH + MAX_FRAME_LENGTH;

/** How a message begins that tells of a line, as the runner writes it. */
const LINE_BEGINNING = '{"line":';

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
  let logBytes = 0;
  for await (const text of readLines(body, (beginning) => longestMessage(beginning, limits))) {
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

/** How many characters a message may have that begins so. */
function longestMessage(beginning: string, { outputBytes }: RunLimits): number {
  if (beginning.startsWith(LINE_BEGINNING)) return MAX_LINE_MESSAGE_LENGTH;
  return Math.max(outputBytes * MAX_ESCAPE_OF_JSON_LENGTH + MAX_FRAME_LENGTH, MAX_FAILURE_LENGTH);
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

async function* readLines(
  body: ReadableStream<Uint8Array>,
  longest: (beginning: string) => number,
): AsyncGenerator<string> {
  let pieces: string[] = [];
  let beginning = "";
  let length = 0;
  for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
    for (const [index, piece] of chunk.split("\n").entries()) {
      if (index > 0) {
        yield pieces.join("");
        pieces = [];
        beginning = "";
        length = 0;
      }
      pieces.push(piece);
      beginning += piece.slice(0, LINE_BEGINNING.length - beginning.length);
      length += piece.length;
      if (length > longest(beginning)) throw newBrokenReport();
    }
  }
}

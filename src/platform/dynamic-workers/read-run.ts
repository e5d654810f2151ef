import {
  LINE_BYTES,
  MAX_LINE_LENGTH,
  MAX_MESSAGE_LENGTH,
  MAX_STACK_LENGTH,
  type RunLimits,
} from "./run-limits.ts";
import { type LogLine, type RunMessage, type RunResult, runMessageSchema } from "./run-messages.ts";

/** For one character, such as `\u0000`. */
const MAX_ESCAPE_LENGTH = 6;

/** For one character of JSON, in which only quotes and backslashes need another escape. */
const MAX_NESTED_ESCAPE_LENGTH = 2;

/** Covers the JSON around the texts, and their ellipses. */
const MAX_ENVELOPE_LENGTH = 1024;

const MAX_LINE_MESSAGE_LENGTH = MAX_LINE_LENGTH * MAX_ESCAPE_LENGTH + MAX_ENVELOPE_LENGTH;
const MAX_FAILURE_LENGTH =
  (2 * MAX_MESSAGE_LENGTH + MAX_STACK_LENGTH) * MAX_ESCAPE_LENGTH + MAX_ENVELOPE_LENGTH;

const LINE_PREFIX = '{"line":';

export class RunReportError extends Error {
  override readonly name = "RunReportError";
}

/**
 * Reads the report of a run to its end.
 * @param onLine called in order; the next line is read after it resolves.
 * @throws RunReportError, and any error of the stream, such as the reason of an abort.
 * @example
 * const result = await readRun(body, limits, ({ stream, text }) => console.log(stream, text));
 * if (result.ok) console.log(JSON.parse(result.json));
 */
export async function readRun(
  body: ReadableStream<Uint8Array>,
  limits: RunLimits,
  onLine: (line: LogLine) => void | Promise<void>,
): Promise<RunResult> {
  // The runner enforces the limits as well, but the code may have tampered with it.
  let logBytes = 0;
  for await (const text of readLines(body, (prefix) => maxMessageLength(prefix, limits))) {
    const message = parseMessage(text);
    if ("done" in message) {
      if (message.done.ok && message.done.json.length > limits.outputBytes) throw newBrokenReport();
      return message.done;
    }
    logBytes += message.line.text.length + LINE_BYTES;
    if (logBytes > limits.logBytes) throw newBrokenReport();
    await onLine(message.line);
  }
  throw new RunReportError("The code ended without a result");
}

function maxMessageLength(prefix: string, { outputBytes }: RunLimits): number {
  if (prefix.startsWith(LINE_PREFIX)) return MAX_LINE_MESSAGE_LENGTH;
  return Math.max(outputBytes * MAX_NESTED_ESCAPE_LENGTH + MAX_ENVELOPE_LENGTH, MAX_FAILURE_LENGTH);
}

function newBrokenReport(cause?: unknown): RunReportError {
  return new RunReportError("The code corrupted the report of its own run", { cause });
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
  maxLength: (prefix: string) => number,
): AsyncGenerator<string> {
  let pieces: string[] = [];
  let prefix = "";
  let length = 0;
  for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
    for (const [index, piece] of chunk.split("\n").entries()) {
      if (index > 0) {
        yield pieces.join("");
        pieces = [];
        prefix = "";
        length = 0;
      }
      pieces.push(piece);
      prefix += piece.slice(0, LINE_PREFIX.length - prefix.length);
      length += piece.length;
      if (length > maxLength(prefix)) throw newBrokenReport();
    }
  }
}

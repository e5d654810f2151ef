import { TimeSlice } from "durable-machine/time-slice";
import { streamText } from "../../http/text-stream.ts";
import type { ExecResult } from "../../machine/index.ts";

/** What is encoded at a time. A multiple of three, so that base64 needs no padding before its end. */
const PIECE_BYTES = 48 * 1024;

/** A piece costs a good part of a millisecond, also where the clock stands still meanwhile. */
const STEPS_A_PIECE = 25;

/**
 * How a command ended as JSON, made while it is read: a command may write megabytes, and everything else of the
 * isolate would wait for the whole of it.
 */
export function streamExecAnswer(result: ExecResult): ReadableStream<Uint8Array> {
  return streamText(answerText(result));
}

async function* answerText(result: ExecResult): AsyncGenerator<string, void, undefined> {
  const slice = new TimeSlice();
  yield `{"exit_code":${result.exitCode},"stdout_b64":"`;
  yield* base64Text(result.stdout, slice);
  yield `","stderr_b64":"`;
  yield* base64Text(result.stderr, slice);
  yield `","duration_ms":${result.durationMs}}`;
}

async function* base64Text(bytes: Uint8Array, slice: TimeSlice): AsyncGenerator<string, void, undefined> {
  for (let start = 0; start < bytes.length; start += PIECE_BYTES) {
    yield bytes.subarray(start, start + PIECE_BYTES).toBase64();
    await slice.step(STEPS_A_PIECE);
  }
}

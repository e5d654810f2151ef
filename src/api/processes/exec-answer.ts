import { TimeSlice } from "durable-machine/time-slice";
import type { ExecResult } from "../../features/machine/index.ts";
import { streamText } from "../../lib/http/text-stream.ts";

/** A multiple of three, so that base64 needs no padding between chunks. */
const CHUNK_BYTES = 48 * 1024;

/** Encoding takes a good part of a millisecond, which the clock may not show. */
const STEPS_PER_CHUNK = 25;

/** Encodes the result while it is sent: megabytes of output would block the isolate. */
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
  for (let start = 0; start < bytes.length; start += CHUNK_BYTES) {
    yield bytes.subarray(start, start + CHUNK_BYTES).toBase64();
    await slice.step(STEPS_PER_CHUNK);
  }
}

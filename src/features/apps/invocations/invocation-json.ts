import type { InvocationRow } from "../../../lib/database/schema/apps.ts";
import { streamText } from "../../../lib/http/text-stream.ts";
import { type InvocationBody, presentInvocation } from "./schema.ts";
import { readLargeValue, readValue, VALUE_KINDS } from "./value-storage.ts";

export async function readInvocation(env: Env, row: InvocationRow): Promise<InvocationBody> {
  const [payload, output] = await Promise.all([
    readValue(env, row, "payload"),
    readValue(env, row, "output"),
  ]);
  return presentInvocation(row, { payload, output });
}

/** A page can exceed a Worker's memory. An error breaks the stream, so no client takes a part for all. */
export function streamInvocations(env: Env, rows: readonly InvocationRow[]): ReadableStream<Uint8Array> {
  return streamText(arrayText(env, rows));
}

async function* arrayText(env: Env, rows: readonly InvocationRow[]): AsyncGenerator<string, void, undefined> {
  yield "[";
  for (const [index, row] of rows.entries()) {
    if (index > 0) yield ",";
    yield* invocationText(env, row);
  }
  yield "]";
}

/** {@link readInvocation} as JSON, streamed because two values take much of a Worker's memory. */
export async function* invocationText(env: Env, row: InvocationRow): AsyncGenerator<string, void, undefined> {
  yield JSON.stringify(presentInvocation(row, row)).slice(0, -1);
  for (const kind of VALUE_KINDS) {
    if (!row[`${kind}InFiles`]) continue;
    yield `,"${kind}":"`;
    for await (const text of readLargeValue(env, row, kind)) yield JSON.stringify(text).slice(1, -1);
    yield '"';
  }
  yield "}";
}

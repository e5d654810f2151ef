import type { InvocationRow } from "../../database/schema/apps.ts";
import { streamText } from "../../http/text-stream.ts";
import { type InvocationBody, presentInvocation } from "./schema.ts";
import { readLargeValue, readValue, VALUE_KINDS } from "./values.ts";

/** An invocation as callers see it, with its payload and its output. */
export async function readInvocation(env: Env, row: InvocationRow): Promise<InvocationBody> {
  const [payload, output] = await Promise.all([
    readValue(env, row, "payload"),
    readValue(env, row, "output"),
  ]);
  return presentInvocation(row, { payload, output });
}

/**
 * Invocations as a JSON array, made while it is read: what a page of them holds can be more than a Worker may. What
 * cannot be read breaks the stream, so that no client takes half a list for a whole one.
 */
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

/**
 * As {@link readInvocation} would have it, in JSON. Large values are read while they are taken: a payload and an output
 * together are a good part of what a Worker may hold.
 */
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

import type { InvocationRow } from "../../database/schema/apps.ts";
import { type InvocationBody, presentInvocation } from "./schema.ts";
import { readValue } from "./values.ts";

/** An invocation as callers see it, with its payload and its output. */
export async function readInvocation(env: Env, row: InvocationRow): Promise<InvocationBody> {
  const [payload, output] = await Promise.all([
    readValue(env, row, "payload"),
    readValue(env, row, "output"),
  ]);
  return presentInvocation(row, { payload, output });
}

/**
 * Invocations as a JSON array, made while it is read: all at once they could be more than a Worker may hold. What
 * cannot be read breaks the stream, so that no client takes half a list for a whole one.
 */
export function streamInvocations(env: Env, rows: readonly InvocationRow[]): ReadableStream<Uint8Array> {
  const pieces = arrayPieces(env, rows);
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const next = await pieces.next();
        if (next.done) controller.close();
        else controller.enqueue(next.value);
      },
      async cancel() {
        await pieces.return();
      },
    },
    // Nothing is made before it is asked for.
    { highWaterMark: 0 },
  );
}

async function* arrayPieces(
  env: Env,
  rows: readonly InvocationRow[],
): AsyncGenerator<Uint8Array, void, void> {
  const encoder = new TextEncoder();
  let before = "[";
  for (const row of rows) {
    yield encoder.encode(before + JSON.stringify(await readInvocation(env, row)));
    before = ",";
  }
  yield encoder.encode(rows.length === 0 ? "[]" : "]");
}

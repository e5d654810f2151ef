/** A line of output has at most 64 KiB in base64. */
const MAX_LINE_BYTES = 1024 * 1024;

/** The lines of a body, without empty ones, which only keep it open. @throws Error if one of them is longer than `maxBytes`. */
export async function* readLines(
  body: ReadableStream<Uint8Array> | null,
  maxBytes = MAX_LINE_BYTES,
): AsyncGenerator<string> {
  if (body === null) return;
  let rest = "";
  const decoder = new TextDecoder();
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      const lines = (rest + decoder.decode(value, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      if (rest.length > maxBytes) throw new Error("A line is too long");
      yield* lines.filter((line) => line !== "");
    }
    if (rest !== "") yield rest;
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

import { type ByteSource, readFully } from "./byte-source.ts";
import type { Invocation } from "./invocation.ts";

const ROWS_PER_STEP = 256;

/** The bytes of a source in rows, of which the last one may be shorter. @param rows.limit of bytes in all. */
export async function* byteRows(
  invocation: Invocation,
  source: Pick<ByteSource, "read">,
  { rowBytes, limit = Number.POSITIVE_INFINITY }: { rowBytes: number; limit?: number | undefined },
): AsyncGenerator<Uint8Array> {
  for (let left = limit; left > 0; ) {
    const block = await readFully(source, Math.min(left, rowBytes * ROWS_PER_STEP));
    if (block.length === 0) return;
    left -= block.length;
    for (let start = 0; start < block.length; start += rowBytes)
      yield block.subarray(start, start + rowBytes);
    await invocation.step(ROWS_PER_STEP / 10);
  }
}

/** Each printable byte as its character, others as a dot. */
export function printableText(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += isPrintable(byte) ? String.fromCharCode(byte) : ".";
  return text;
}

export function isPrintable(byte: number): boolean {
  return byte >= 0x20 && byte < 0x7f;
}

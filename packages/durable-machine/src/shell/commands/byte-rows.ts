import { type ByteSource, readFully } from "./byte-source.ts";
import type { Invocation } from "./invocation.ts";

const ROWS_PER_STEP = 256;

/** The bytes of a source in rows, many at a time; the very last one may be shorter. @param rows.limit of bytes in all. */
export async function* byteRows(
  invocation: Invocation,
  source: Pick<ByteSource, "read">,
  { rowBytes, limit = Number.POSITIVE_INFINITY }: { rowBytes: number; limit?: number | undefined },
): AsyncGenerator<Uint8Array[]> {
  for (let left = limit; left > 0; ) {
    const block = await readFully(source, Math.min(left, rowBytes * ROWS_PER_STEP));
    if (block.length === 0) return;
    left -= block.length;
    const count = Math.ceil(block.length / rowBytes);
    yield Array.from({ length: count }, (_, row) => block.subarray(row * rowBytes, (row + 1) * rowBytes));
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

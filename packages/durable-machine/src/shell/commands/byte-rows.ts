import { type ByteSource, readFully } from "./byte-source.ts";
import type { Invocation } from "./invocation.ts";

const ROWS_PER_STEP = 256;

/** Longer rows would take too much memory. */
const MAX_ROW_BYTES = 16 * 1024;

/** The bytes of a source in groups of rows. The very last row may be shorter. @param options.limit bytes in all. */
export async function* byteRows(
  invocation: Invocation,
  source: ByteSource,
  { rowBytes, limit = Number.POSITIVE_INFINITY }: { rowBytes: number; limit?: number | undefined },
): AsyncGenerator<Uint8Array[]> {
  if (rowBytes > MAX_ROW_BYTES) invocation.fail(`rows may have at most ${MAX_ROW_BYTES} bytes`);
  for (let left = limit; left > 0; ) {
    const block = await readFully(source, Math.min(left, rowBytes * ROWS_PER_STEP));
    if (block.length === 0) return;
    left -= block.length;
    const count = Math.ceil(block.length / rowBytes);
    yield Array.from({ length: count }, (_, row) => block.subarray(row * rowBytes, (row + 1) * rowBytes));
    await invocation.step(ROWS_PER_STEP / 10);
  }
}

/** The printable bytes as characters, and a dot for each other byte. */
export function printableText(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes).replace(/[^ -~]/g, ".");
}

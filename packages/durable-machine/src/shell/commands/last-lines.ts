import { openPath, PIECE_LENGTH, readFully } from "./byte-source.ts";
import { newlinesFromEnd } from "./held-bytes.ts";
import type { Invocation } from "./invocation.ts";

/** Where the last `count` lines of a file begin, found from its end: of a large file only that is read. */
export async function findLastLines(
  invocation: Invocation,
  { operand, size, count }: { operand: string; size: number; count: number },
): Promise<number> {
  if (count === 0) return size;
  let left = count;
  // The file's last byte begins no line, whether it is a newline or not.
  for (let end = size - 1; end > 0; ) {
    const start = Math.max(0, end - PIECE_LENGTH);
    const source = await openPath(invocation, operand);
    await source.skip(start);
    for (const newline of newlinesFromEnd(await readFully(source, end - start))) {
      if (--left === 0) return start + newline + 1;
    }
    end = start;
  }
  return 0;
}

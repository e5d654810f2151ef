const NEWLINE = 0x0a;

export function countNewlines(bytes: Uint8Array): number {
  let count = 0;
  for (let index = bytes.indexOf(NEWLINE); index !== -1; index = bytes.indexOf(NEWLINE, index + 1)) count++;
  return count;
}

/** The offset after the first `lines` lines; undefined if there are fewer newlines. */
export function endOfLines(bytes: Uint8Array, lines: number): number | undefined {
  let end = 0;
  for (let line = 0; line < lines; line++) {
    const newline = bytes.indexOf(NEWLINE, end);
    if (newline === -1) return undefined;
    end = newline + 1;
  }
  return end;
}

/** The very last line may have no newline. */
export function startOfLastLines(bytes: Uint8Array, lines: number): number {
  if (lines === 0) return bytes.length;
  // A newline at the end starts no line.
  const inner = bytes.subarray(0, -1);
  const before = countNewlines(inner) - lines + 1;
  return before <= 0 ? 0 : (endOfLines(inner, before) ?? 0);
}

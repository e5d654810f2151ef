import { type ByteSource, forEachSource, pieces } from "./byte-source.ts";
import type { MachineCommand } from "./invocation.ts";
import { countNewlines } from "./newlines.ts";

const LETTERS = ["l", "w", "m", "c", "L"] as const;

type Counts = Record<(typeof LETTERS)[number], number>;

/** The width of numbers if there is input without a size. */
const STREAM_WIDTH = 7;
const TAB_WIDTH = 8;

const NO_COUNTS: Readonly<Counts> = { l: 0, w: 0, m: 0, c: 0, L: 0 };

/** Counts words, characters and the longest line. */
function newTextCounter(counts: Counts): (bytes: Uint8Array) => void {
  let inWord = false;
  let column = 0;
  return (bytes) => {
    for (const byte of bytes) {
      if ((byte & 0xc0) === 0x80) continue;
      counts.m++;
      const isSpace = byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);
      // Control characters neither start nor end a word.
      const isPrinted = byte > 0x20 && byte !== 0x7f;
      if (isPrinted && !inWord) counts.w++;
      if (isPrinted || isSpace) inWord = isPrinted;
      if (byte === 0x0a || byte === 0x0d || byte === 0x0c) column = 0;
      else if (byte === 0x09) column += TAB_WIDTH - (column % TAB_WIDTH);
      else if (isPrinted || byte === 0x20) column++;
      if (column > counts.L) counts.L = column;
    }
  };
}

export const wc: MachineCommand = {
  name: "wc",
  usage: "wc [OPTION]... [FILE]...",
  async run(invocation) {
    const options = invocation.options("c,bytes m,chars l,lines w,words L,max-line-length ,input-is-file");
    const wanted = LETTERS.filter((letter) => options.has(letter));
    const letters = wanted.length > 0 ? wanted : (["l", "w", "c"] as const);
    const countsText = letters.some((letter) => letter !== "l" && letter !== "c");
    const total = { ...NO_COUNTS };
    const rows: { counts: Counts; name: string }[] = [];
    let width = 1;
    const count = async (source: ByteSource, operand: string) => {
      const counts = { ...NO_COUNTS };
      const countText = newTextCounter(counts);
      const hasSize = source.size !== undefined || options.has("input-is-file");
      if (!hasSize || operand.startsWith("/dev/")) width = STREAM_WIDTH;
      for await (const piece of pieces(source)) {
        counts.l += countNewlines(piece);
        counts.c += piece.length;
        if (!countsText) continue;
        countText(piece);
        await invocation.stepBytes(2 * piece.length);
      }
      rows.push({ counts, name: options.operands.length === 0 ? "" : ` ${operand}` });
      for (const letter of ["l", "w", "m", "c"] as const) total[letter] += counts[letter];
      total.L = Math.max(total.L, counts.L);
    };
    await forEachSource(invocation, options.operands, count, (operand) => operand);
    width = Math.max(width, String(total.c).length);
    if (options.operands.length > 1) rows.push({ counts: total, name: " total" });
    else if (letters.length === 1) width = 1;
    for (const { counts, name } of rows) {
      const numbers = letters.map((letter) => String(counts[letter]).padStart(width));
      await invocation.print(`${numbers.join(" ")}${name}\n`);
    }
  },
};

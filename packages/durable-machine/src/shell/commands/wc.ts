import { openOperand, pieces } from "./byte-source.ts";
import { errorText, unlessRefused } from "./error-text.ts";
import { countNewlines } from "./held-bytes.ts";
import type { Invocation, MachineCommand } from "./invocation.ts";

/** The letters of what `wc` counts, in the order in which it shows them. */
const LETTERS = ["l", "w", "m", "c", "L"] as const;

type Counts = Record<(typeof LETTERS)[number], number>;

/** Streams have no size from which a width could be known. */
const STREAM_WIDTH = 7;

const TAB_WIDTH = 8;

/** Counts words, characters and the longest line, which takes several times longer than lines and bytes. */
function newTextCounter(counts: Counts): (bytes: Uint8Array) => void {
  let inWord = false;
  let column = 0;
  return (bytes) => {
    for (const byte of bytes) {
      // The further bytes of a UTF-8 character belong to its first.
      if ((byte & 0xc0) === 0x80) continue;
      counts.m++;
      const isSpace = byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);
      // What cannot be seen is neither a word nor its end.
      const isSeen = byte > 0x20 && byte !== 0x7f;
      if (isSeen && !inWord) counts.w++;
      if (isSeen || isSpace) inWord = isSeen;
      if (byte === 0x0a || byte === 0x0d || byte === 0x0c) column = 0;
      else if (byte === 0x09) column += TAB_WIDTH - (column % TAB_WIDTH);
      else if (isSeen || byte === 0x20) column++;
      if (column > counts.L) counts.L = column;
    }
  };
}

/** The width of all numbers: that of the sum of the files' sizes. */
function chooseWidth(invocation: Invocation, operands: readonly string[]): number {
  let total = 0;
  let least = 1;
  for (const operand of operands) {
    const isStream = operand === "-" || operand.startsWith("/dev/");
    const status = isStream
      ? { type: "stream", size: 0 }
      : unlessRefused(["ENOENT", "EACCES", "ENOTDIR", "ELOOP", "ENAMETOOLONG"], () =>
          invocation.files.status(invocation.path(operand), invocation.credentials),
        );
    if (status?.type === "file") total += status.size;
    else if (status !== undefined) least = STREAM_WIDTH;
  }
  return Math.max(least, String(total).length);
}

export const wc: MachineCommand = {
  name: "wc",
  usage: "wc [OPTION]... [FILE]...",
  async run(invocation) {
    const options = invocation.options(["c,bytes", "m,chars", "l,lines", "w,words", "L,max-line-length"]);
    const wanted = LETTERS.filter((letter) => options.has(letter));
    const letters = wanted.length > 0 ? wanted : (["l", "w", "c"] as const);
    const isSimple = letters.every((letter) => letter === "l" || letter === "c");
    const operands = options.operands.length === 0 ? ["-"] : options.operands;
    const width = operands.length === 1 && letters.length === 1 ? 1 : chooseWidth(invocation, operands);
    const total: Counts = { l: 0, w: 0, m: 0, c: 0, L: 0 };
    const print = async (counts: Counts, name: string) => {
      const numbers = letters.map((letter) => String(counts[letter]).padStart(width));
      await invocation.print(`${numbers.join(" ")}${name}\n`);
    };
    for (const operand of operands) {
      const counts: Counts = { l: 0, w: 0, m: 0, c: 0, L: 0 };
      const countText = newTextCounter(counts);
      try {
        for await (const piece of pieces(await openOperand(invocation, operand))) {
          counts.l += countNewlines(piece);
          counts.c += piece.length;
          if (isSimple) continue;
          countText(piece);
          await invocation.stepBytes(2 * piece.length);
        }
      } catch (error) {
        invocation.complain(`${operand}: ${errorText(error)}`);
        // A directory can be opened; it is only that nothing can be read from it.
        if (errorText(error) !== "Is a directory") continue;
      }
      await print(counts, options.operands.length === 0 ? "" : ` ${operand}`);
      for (const letter of ["l", "w", "m", "c"] as const) total[letter] += counts[letter];
      total.L = Math.max(total.L, counts.L);
    }
    if (operands.length > 1) await print(total, " total");
  },
};

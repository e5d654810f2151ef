import { FileError } from "../../file-system/file-error.ts";
import { openOperand, pieces } from "./byte-source.ts";
import { errorText, unlessRefused } from "./error-text.ts";
import type { Invocation, MachineCommand } from "./invocation.ts";
import type { ParsedOptions } from "./options.ts";

/** What `wc` counts, in the order in which it shows them. */
const COUNTS = ["lines", "words", "characters", "bytes", "longest"] as const;

type Count = (typeof COUNTS)[number];

export type Counts = Record<Count, number>;

const OPTION_OF: Record<Count, string> = {
  lines: "l",
  words: "w",
  characters: "m",
  bytes: "c",
  longest: "L",
};

/** Streams have no size from which a width could be known. */
const STREAM_WIDTH = 7;

const TAB_WIDTH = 8;

/** Counts while bytes come by. */
export class Counter {
  readonly counts: Counts = { lines: 0, words: 0, characters: 0, bytes: 0, longest: 0 };
  #inWord = false;
  #column = 0;

  /** Lines and bytes alone, which is several times faster. */
  addSimply(bytes: Uint8Array): void {
    this.counts.bytes += bytes.length;
    for (let index = bytes.indexOf(0x0a); index !== -1; index = bytes.indexOf(0x0a, index + 1)) {
      this.counts.lines++;
    }
  }

  add(bytes: Uint8Array): void {
    this.addSimply(bytes);
    for (const byte of bytes) this.#addByte(byte);
  }

  #addByte(byte: number): void {
    // The further bytes of a UTF-8 character belong to its first.
    if ((byte & 0xc0) === 0x80) return;
    this.counts.characters++;
    const isSpace = byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);
    // What cannot be seen is neither a word nor its end.
    const isSeen = byte > 0x20 && byte !== 0x7f;
    if (isSeen && !this.#inWord) this.counts.words++;
    if (isSeen || isSpace) this.#inWord = isSeen;
    this.#advance(byte);
  }

  #advance(byte: number): void {
    if (byte === 0x0a || byte === 0x0d || byte === 0x0c) this.#column = 0;
    else if (byte === 0x09) this.#column += TAB_WIDTH - (this.#column % TAB_WIDTH);
    else if (byte >= 0x20 && byte !== 0x7f) this.#column++;
    this.counts.longest = Math.max(this.counts.longest, this.#column);
  }
}

function chooseCounts(options: ParsedOptions): readonly Count[] {
  const chosen = COUNTS.filter((count) => options.has(OPTION_OF[count]));
  return chosen.length > 0 ? chosen : ["lines", "words", "bytes"];
}

/** The width of all numbers: that of the sum of the files' sizes. */
function chooseWidth(invocation: Invocation, operands: readonly string[], counts: readonly Count[]): number {
  if (operands.length === 1 && counts.length === 1) return 1;
  let total = 0;
  let least = 1;
  for (const operand of operands) {
    const status =
      operand === "-" || operand.startsWith("/dev/")
        ? { type: "stream", size: 0 }
        : unlessRefused(["ENOENT", "EACCES", "ENOTDIR", "ELOOP", "ENAMETOOLONG"], () =>
            invocation.files.status(invocation.path(operand), invocation.credentials),
          );
    if (status?.type === "file") total += status.size;
    else if (status !== undefined) least = STREAM_WIDTH;
  }
  return Math.max(least, String(total).length);
}

async function countOperand(
  invocation: Invocation,
  operand: string,
  simply: boolean,
): Promise<Counts | undefined> {
  const counter = new Counter();
  try {
    const source = await openOperand(invocation, operand);
    for await (const piece of pieces(source)) {
      if (simply) counter.addSimply(piece);
      else counter.add(piece);
      if (!simply) await invocation.stepBytes(2 * piece.length);
    }
  } catch (error) {
    invocation.complain(`${operand}: ${errorText(error)}`);
    // A directory can be opened; it is only that nothing can be read from it.
    if (!(error instanceof FileError && error.code === "EISDIR")) return undefined;
  }
  return counter.counts;
}

export const wc: MachineCommand = {
  name: "wc",
  usage: "wc [OPTION]... [FILE]...",
  async run(invocation) {
    const options = invocation.options(["c,bytes", "m,chars", "l,lines", "w,words", "L,max-line-length"]);
    const counts = chooseCounts(options);
    const operands = options.operands.length === 0 ? ["-"] : options.operands;
    const width = chooseWidth(invocation, operands, counts);
    const simply = counts.every((count) => count === "lines" || count === "bytes");
    const total = new Counter().counts;
    const print = async (found: Counts, name: string | undefined) => {
      const numbers = counts.map((count) => String(found[count]).padStart(width)).join(" ");
      await invocation.print(`${numbers}${name === undefined ? "" : ` ${name}`}\n`);
    };
    for (const operand of operands) {
      const found = await countOperand(invocation, operand, simply);
      if (found === undefined) continue;
      await print(found, options.operands.length === 0 ? undefined : operand);
      for (const count of COUNTS) {
        total[count] =
          count === "longest" ? Math.max(total[count], found[count]) : total[count] + found[count];
      }
    }
    if (operands.length > 1) await print(total, "total");
  },
};

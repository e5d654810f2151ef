import { byteRows, isPrintable, printableText } from "./byte-rows.ts";
import { type ByteSource, openOperand, skipByReading } from "./byte-source.ts";
import { errorText } from "./error-text.ts";
import type { Invocation, MachineCommand } from "./invocation.ts";
import { type ParsedOptions, UsageError } from "./options.ts";
import { quoteWord } from "./quoting.ts";
import { parseSize } from "./sizes.ts";

const ESCAPED_CHARACTERS = "\0\x07\b\t\n\v\f\r";
const ESCAPE_LETTERS = "0abtnvfr";

const RADIXES: Record<string, number> = { d: 10, o: 8, u: 10, x: 16 };

/** Options that stand for a type. */
const SHORT_TYPES = new Map(["b:o1", "c:c", "d:u2", "i:d4", "l:d8", "o:o2", "s:d2", "x:x2"].map(splitPair));

function splitPair(pair: string): [string, string] {
  return [pair.charAt(0), pair.slice(2)];
}

interface OdType {
  letter: string;
  /** Bytes of one number. */
  size: number;
  /** Columns of the longest number. */
  width: number;
  /** Whether the text of the row follows. */
  showsText: boolean;
}

function columnsOf(letter: string, size: number): number {
  if (letter === "c") return 3;
  const longest = letter === "d" ? -(2n ** BigInt(8 * size - 1)) : 2n ** BigInt(8 * size) - 1n;
  return longest.toString(RADIXES[letter]).length;
}

/** Reads the value of -t, such as "x1z" or "o2c". @throws UsageError */
function parseTypes(types: string): OdType[] {
  if (!/^((c|[doux][1248]?)z?)+$/.test(types)) {
    throw new UsageError(`invalid type string ${quoteWord(types)}`, { hint: false });
  }
  return [...types.matchAll(/([cdoux])(\d?)(z?)/g)].map(([, letter = "", digit, mark]) => {
    const size = letter === "c" ? 1 : Number(digit || 4);
    return { letter, size, width: columnsOf(letter, size), showsText: mark === "z" };
  });
}

/** One number, or one character. Missing bytes of the last number count as zeros. */
function formatCell({ letter, size, width }: OdType, bytes: Uint8Array): string {
  const [first = 0] = bytes;
  if (letter === "c") {
    const character = String.fromCharCode(first);
    const index = ESCAPED_CHARACTERS.indexOf(character);
    if (index !== -1) return `\\${ESCAPE_LETTERS.charAt(index)}`;
    return isPrintable(first) ? character : first.toString(8).padStart(3, "0");
  }
  const unsigned = bytes.reduceRight((value, byte) => value * 256n + BigInt(byte), 0n);
  const number = letter === "d" ? BigInt.asIntN(8 * size, unsigned) : unsigned;
  const digits = number.toString(RADIXES[letter]);
  return letter === "o" || letter === "x" ? digits.padStart(width, "0") : digits;
}

/** The rows of a dump without their addresses, a line for each type. */
class RowFormat {
  readonly #types: OdType[];
  readonly #rowBytes: number;
  readonly #columnsPerByte: number;

  constructor(types: OdType[], rowBytes: number) {
    this.#types = types;
    this.#rowBytes = rowBytes;
    // All types take the room of the widest one, so that numbers of the same bytes are below each other.
    this.#columnsPerByte = Math.max(...types.map(({ size, width }) => (width + 1) / size));
  }

  lines(bytes: Uint8Array): string[] {
    return this.#types.map((type) => {
      let line = "";
      for (let end = type.size; end < bytes.length + type.size; end += type.size) {
        const cell = formatCell(type, bytes.subarray(end - type.size, end));
        line += cell.padStart(Math.round(end * this.#columnsPerByte) - line.length);
      }
      if (!type.showsText) return line;
      return `${line.padEnd(this.#rowBytes * this.#columnsPerByte)}  >${printableText(bytes)}<`;
    });
  }
}

/** The files one after another. What cannot be opened is complained of. */
function joinedSource(invocation: Invocation, operands: readonly string[]): Pick<ByteSource, "read"> {
  const waiting = operands.length === 0 ? ["-"] : [...operands];
  let current: ByteSource | undefined;
  const read = async (length: number): Promise<Uint8Array> => {
    const piece = (await current?.read(length)) ?? new Uint8Array(0);
    const name = piece.length === 0 ? waiting.shift() : undefined;
    if (name === undefined) return piece;
    current = undefined;
    try {
      current = await openOperand(invocation, name);
    } catch (error) {
      invocation.complain(`${name}: ${errorText(error)}`);
    }
    return await read(length);
  };
  return { read };
}

/** @throws UsageError */
function readNumber(options: ParsedOptions, key: string): number | undefined {
  const text = options.value(key);
  if (text === undefined) return undefined;
  const number = /^0x[\da-f]+$/i.test(text) ? Number(text) : parseSize(text);
  if (number === undefined)
    throw new UsageError(`invalid -${key} argument ${quoteWord(text)}`, { hint: false });
  return number;
}

export const od: MachineCommand = {
  name: "od",
  usage: "od [OPTION]... [FILE]...",
  async run(invocation) {
    const options = invocation.options([
      "A,address-radix=",
      "N,read-bytes=",
      "j,skip-bytes=",
      "t,format=",
      "v,output-duplicates",
      "w,width=?",
      ...SHORT_TYPES.keys(),
    ]);
    const radix = options.value("A") ?? "o";
    if (!/^[doxn]$/.test(radix)) {
      throw new UsageError(`invalid output address radix '${radix}'; it must be one character from [doxn]`);
    }
    const names = options.given.flatMap(
      ({ key, value }) => (key === "t" ? value : SHORT_TYPES.get(key)) ?? [],
    );
    const types = (names.length === 0 ? ["o2"] : names).flatMap(parseTypes);
    const rowBytes = options.has("w") ? (readNumber(options, "w") ?? 32) : 16;
    if (rowBytes === 0 || types.some(({ size }) => rowBytes % size !== 0)) {
      throw new UsageError(`invalid -w argument '${rowBytes}'`, { hint: false });
    }
    const source = joinedSource(invocation, options.operands);
    const start = readNumber(options, "j") ?? 0;
    let position = await skipByReading(source.read, start);
    if (position < start) invocation.fail("cannot skip past end of combined input");
    const format = new RowFormat(types, rowBytes);
    const address = () =>
      radix === "n" ? "" : position.toString(RADIXES[radix]).padStart(radix === "x" ? 6 : 7, "0");
    let previous = "";
    let isRepeating = false;
    const showRow = (row: Uint8Array): string => {
      const lines = format.lines(row);
      const text = lines.join("\n");
      const isSame = text === previous && row.length === rowBytes && !options.has("v");
      const star = isRepeating ? "" : "*\n";
      const [first, margin] = [address(), " ".repeat(address().length)];
      isRepeating = isSame;
      previous = text;
      position += row.length;
      return isSame ? star : lines.map((line, index) => `${index === 0 ? first : margin}${line}\n`).join("");
    };
    for await (const rows of byteRows(invocation, source, { rowBytes, limit: readNumber(options, "N") })) {
      await invocation.print(rows.map(showRow).join(""));
    }
    if (radix !== "n") await invocation.print(`${address()}\n`);
  },
};

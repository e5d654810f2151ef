import { byteRows, printableText } from "./byte-rows.ts";
import { openOnly } from "./byte-source.ts";
import type { MachineCommand } from "./invocation.ts";
import { type ParsedOptions, UsageError } from "./options.ts";
import { quoteWord } from "./quoting.ts";
import { parseSize } from "./sizes.ts";

const ESCAPES: Record<string, string> = {
  "\0": "\\0",
  "\x07": "\\a",
  "\b": "\\b",
  "\t": "\\t",
  "\n": "\\n",
  "\v": "\\v",
  "\f": "\\f",
  "\r": "\\r",
};

const RADIXES: Record<string, number> = { d: 10, o: 8, u: 10, x: 16 };

const OPTIONS = "A,address-radix= N,read-bytes= j,skip-bytes= t,format= v,output-duplicates w,width=?";

/** The options that stand for a type. */
const SHORT_TYPES: Record<string, string> = {
  b: "o1",
  c: "c",
  d: "u2",
  i: "d4",
  l: "d8",
  o: "o2",
  s: "d2",
  x: "x2",
};

interface OdType {
  letter: string;
  /** Bytes of one number. */
  size: number;
  /** Characters of the longest number. */
  width: number;
  /** Whether the text of the row follows. */
  showsText: boolean;
}

function widthOf(letter: string, size: number): number {
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
    return { letter, size, width: widthOf(letter, size), showsText: mark === "z" };
  });
}

/** One number or character. The last number may lack bytes, which count as zeros. */
function formatCell({ letter, size, width }: OdType, bytes: Uint8Array): string {
  if (letter === "c") {
    const character = String.fromCharCode(...bytes);
    const octal = () => bytes[0]?.toString(8).padStart(3, "0");
    return ESCAPES[character] ?? (/[ -~]/.test(character) ? character : (octal() ?? ""));
  }
  const unsigned = bytes.reduceRight((value, byte) => value * 256n + BigInt(byte), 0n);
  const number = letter === "d" ? BigInt.asIntN(8 * size, unsigned) : unsigned;
  const digits = number.toString(RADIXES[letter]);
  return letter === "o" || letter === "x" ? digits.padStart(width, "0") : digits;
}

/** The function formats a row, a line for each type. */
function newRowFormatter(types: OdType[], rowBytes: number): (row: Uint8Array) => string[] {
  // Numbers of the same bytes are aligned, so all types have the width of the widest.
  const columnsPerByte = Math.max(...types.map(({ size, width }) => (width + 1) / size));
  return (row) =>
    types.map((type) => {
      let line = "";
      for (let end = type.size; end < row.length + type.size; end += type.size) {
        const cell = formatCell(type, row.subarray(end - type.size, end));
        line += cell.padStart(Math.round(end * columnsPerByte) - line.length);
      }
      return type.showsText ? `${line.padEnd(rowBytes * columnsPerByte)}  >${printableText(row)}<` : line;
    });
}

/** @throws UsageError */
function readNumber(options: ParsedOptions, key: string): number | undefined {
  const text = options.value(key);
  if (text === undefined) return undefined;
  const number = /^0x[\da-f]+$/i.test(text) ? Number(text) : parseSize(text);
  if (number !== undefined) return number;
  throw new UsageError(`invalid -${key} argument ${quoteWord(text)}`, { hint: false });
}

export const od: MachineCommand = {
  name: "od",
  usage: "od [OPTION]... [FILE]",
  async run(invocation) {
    const options = invocation.options(`${OPTIONS} ${Object.keys(SHORT_TYPES).join(" ")}`);
    const [operand, extra] = options.operands;
    if (extra !== undefined) throw new UsageError(`extra operand ${quoteWord(extra)}`);
    const radix = options.value("A") ?? "o";
    if (!/^[doxn]$/.test(radix)) {
      throw new UsageError(`invalid output address radix '${radix}'; it must be one character from [doxn]`);
    }
    const names = options.given.flatMap(({ key, value }) => (key === "t" ? value : SHORT_TYPES[key]) ?? []);
    const types = (names.length === 0 ? ["o2"] : names).flatMap(parseTypes);
    const rowBytes = options.has("w") ? (readNumber(options, "w") ?? 32) : 16;
    if (rowBytes === 0 || types.some(({ size }) => rowBytes % size !== 0)) {
      throw new UsageError(`invalid -w argument '${rowBytes}'`, { hint: false });
    }
    const source = await openOnly(invocation, operand);
    const start = readNumber(options, "j") ?? 0;
    let position = await source.skip(start);
    if (position < start) invocation.fail("cannot skip past end of combined input");
    const addressWidth = radix === "x" ? 6 : 7;
    const address = () =>
      radix === "n" ? "" : position.toString(RADIXES[radix]).padStart(addressWidth, "0");
    const formatRow = newRowFormatter(types, rowBytes);
    let previous = "";
    let isRepeating = false;
    const showRow = (row: Uint8Array): string => {
      const text = formatRow(row).join(`\n${" ".repeat(address().length)}`);
      const shown = `${address()}${text}\n`;
      position += row.length;
      const isSame = text === previous && row.length === rowBytes && !options.has("v");
      const star = isRepeating ? "" : "*\n";
      isRepeating = isSame;
      previous = text;
      return isSame ? star : shown;
    };
    for await (const rows of byteRows(invocation, source, { rowBytes, limit: readNumber(options, "N") })) {
      await invocation.print(rows.map(showRow).join(""));
    }
    if (radix !== "n") await invocation.print(`${address()}\n`);
  },
};

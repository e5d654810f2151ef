import { Buffer } from "node:buffer";
import { lineGroups } from "./byte-lines.ts";
import { type ByteSink, openOutput } from "./byte-sink.ts";
import { type ByteSource, openOnly, readFully } from "./byte-source.ts";
import type { Invocation, MachineCommand } from "./invocation.ts";
import { type ParsedOptions, UsageError } from "./options.ts";
import { quoteWord } from "./quoting.ts";
import { parseSize } from "./sizes.ts";

const ROWS_PER_STEP = 256;
const MAX_ROW_BYTES = 16 * 1024;

/** The very last row may be shorter. @param options.limit bytes in total. */
async function* byteRows(
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

function printableText(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes).replace(/[^ -~]/g, ".");
}

const ESCAPED_CHARACTERS = "\0\x07\b\t\n\v\f\r";
const ESCAPE_LETTERS = "0abtnvfr";

const RADIXES: Record<string, number> = { d: 10, o: 8, u: 10, x: 16 };

const OD_OPTIONS = "A,address-radix= N,read-bytes= j,skip-bytes= t,format= v,output-duplicates w,width=?";

const SHORT_TYPES: Record<string, string> = { b: "o1", c: "c", d: "u2", i: "d4", o: "o2", s: "d2", x: "x2" };

type OdType = ReturnType<typeof parseTypes>[number];

function widthOf(letter: string, size: number): number {
  if (letter === "c") return 3;
  const longest = letter === "d" ? -(2n ** BigInt(8 * size - 1)) : 2n ** BigInt(8 * size) - 1n;
  return longest.toString(RADIXES[letter]).length;
}

/** @param types such as "x1z" or "o2c". @throws UsageError */
function parseTypes(types: string) {
  if (!/^((c|[doux][1248]?)z?)+$/.test(types)) {
    throw new UsageError(`invalid type string ${quoteWord(types)}`, { hint: false });
  }
  return [...types.matchAll(/([cdoux])(\d?)(z?)/g)].map(([, letter = "", digit, mark]) => {
    const size = letter === "c" ? 1 : Number(digit || 4);
    return { letter, size, width: widthOf(letter, size), showsText: mark === "z" };
  });
}

function formatCell({ letter, size, width }: OdType, bytes: Uint8Array): string {
  const unsigned = bytes.reduceRight((value, byte) => value * 256n + BigInt(byte), 0n);
  if (letter === "c") {
    const character = String.fromCharCode(Number(unsigned));
    const index = ESCAPED_CHARACTERS.indexOf(character);
    if (index !== -1) return `\\${ESCAPE_LETTERS[index]}`;
    return /[ -~]/.test(character) ? character : unsigned.toString(8).padStart(3, "0");
  }
  const number = letter === "d" ? BigInt.asIntN(8 * size, unsigned) : unsigned;
  const digits = number.toString(RADIXES[letter]);
  return letter === "o" || letter === "x" ? digits.padStart(width, "0") : digits;
}

function newOdFormatter(types: OdType[], rowBytes: number): (row: Uint8Array) => string[] {
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

function readOdNumber(options: ParsedOptions, key: string): number | undefined {
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
    const options = invocation.options(`${OD_OPTIONS} ${Object.keys(SHORT_TYPES).join(" ")}`);
    const [operand, extra] = options.operands;
    if (extra !== undefined) throw new UsageError(`extra operand ${quoteWord(extra)}`);
    const radix = options.value("A") ?? "o";
    if (!/^[doxn]$/.test(radix)) {
      throw new UsageError(`invalid output address radix '${radix}'; it must be one character from [doxn]`);
    }
    const names = options.given.flatMap(({ key, value }) => (key === "t" ? value : SHORT_TYPES[key]) ?? []);
    const types = (names.length === 0 ? ["o2"] : names).flatMap(parseTypes);
    const rowBytes = options.has("w") ? (readOdNumber(options, "w") ?? 32) : 16;
    if (rowBytes === 0 || types.some(({ size }) => rowBytes % size !== 0)) {
      throw new UsageError(`invalid -w argument '${rowBytes}'`, { hint: false });
    }
    const source = await openOnly(invocation, operand);
    const start = readOdNumber(options, "j") ?? 0;
    let position = await source.skip(start);
    if (position < start) invocation.fail("cannot skip past end of combined input");
    const addressWidth = radix === "x" ? 6 : 7;
    const address = () =>
      radix === "n" ? "" : position.toString(RADIXES[radix]).padStart(addressWidth, "0");
    const formatRow = newOdFormatter(types, rowBytes);
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
    for await (const rows of byteRows(invocation, source, { rowBytes, limit: readOdNumber(options, "N") })) {
      await invocation.print(rows.map(showRow).join(""));
    }
    if (radix !== "n") await invocation.print(`${address()}\n`);
  },
};

/** The text of a line follows after two spaces, and may look like digits. */
const DUMP_LINE = /^\s*[\da-f]+:?\s((?: ?[\da-f]{2})*)/i;

const NO_INPUT = 2;
const NO_OUTPUT = 3;

const XXD_OPTIONS = "b,bits c,cols= g,groupsize= i,include l,len= p,plain r,revert s,seek= u,uppercase";

function readNumber(options: ParsedOptions, key: string): number | undefined {
  const text = options.value(key);
  return text === undefined ? undefined : Number(text) || 0;
}

async function revert(
  invocation: Invocation,
  source: ByteSource,
  { sink, isPlain }: { sink: ByteSink; isPlain: boolean },
): Promise<void> {
  let digits = "";
  for await (const lines of lineGroups(invocation, source)) {
    const parts = isPlain ? lines : lines.map((line) => DUMP_LINE.exec(line)?.[1] ?? "");
    digits += parts.join("").replace(/[^\da-f]/gi, "");
    // Only pairs of digits are converted. The next line may complete the last pair.
    await sink.write(Buffer.from(digits, "hex"));
    digits = digits.slice(digits.length & ~1);
  }
}

type Form = "bits" | "dump" | "include" | "plain";

const DEFAULT_COLUMNS: Record<Form, number> = { bits: 6, dump: 16, include: 12, plain: 30 };

function newXxdFormatter(options: ParsedOptions, form: Form, columns: number) {
  const [radix, digits] = form === "bits" ? [2, 8] : [16, 2];
  const texts = Array.from({ length: 256 }, (_, byte) => {
    const text = byte.toString(radix).padStart(digits, "0");
    return (options.has("u") ? text.toUpperCase() : text).padStart(form === "include" ? 4 : 0, "0x");
  });
  const group = Math.min(readNumber(options, "g") ?? (form === "bits" ? 1 : 2), columns) || columns;
  const width = columns * digits + Math.ceil(columns / group) - 1;
  return (row: Uint8Array, position: number): string => {
    const bytes = Array.from(row, (byte) => texts[byte]);
    if (form === "plain") return `${bytes.join("")}\n`;
    if (form === "include") return `  ${bytes.join(", ")}`;
    const cells = bytes.map((text, index) => (index > 0 && index % group === 0 ? ` ${text}` : text)).join("");
    return `${position.toString(16).padStart(8, "0")}: ${cells.padEnd(width)}  ${printableText(row)}\n`;
  };
}

async function dump(
  invocation: Invocation,
  options: ParsedOptions,
  { source, sink, name }: { source: ByteSource; sink: ByteSink; name: string },
): Promise<void> {
  const form = options.has("p") ? "plain" : options.has("i") ? "include" : options.has("b") ? "bits" : "dump";
  const columns = readNumber(options, "c") || DEFAULT_COLUMNS[form];
  const format = newXxdFormatter(options, form, columns);
  const seek = readNumber(options, "s") ?? 0;
  const start = Math.max(0, seek < 0 ? (source.size ?? 0) + seek : seek);
  await source.skip(start);
  const write = (text: string) => sink.write(Buffer.from(text));
  const isArray = form === "include" && name !== "-";
  const array = name.replace(/\W/g, "_").replace(/^(?=\d)/, "__");
  if (isArray) await write(`unsigned char ${array}[] = {\n`);
  let position = start;
  const limit = readNumber(options, "l");
  const separator = form === "include" ? ",\n" : "";
  let before = "";
  for await (const rows of byteRows(invocation, source, { rowBytes: columns, limit })) {
    const texts = rows.map((row, index) => format(row, position + index * columns));
    await write(before + texts.join(separator));
    for (const { length } of rows) position += length;
    before = separator;
  }
  if (before !== "") await write("\n");
  if (isArray) await write(`};\nunsigned int ${array}_len = ${position - start};\n`);
}

export const xxd: MachineCommand = {
  name: "xxd",
  usage: "xxd [options] [infile [outfile]]\n    or xxd -r [-ps] [infile [outfile]]",
  async run(invocation) {
    const args = invocation.args.map((arg) => arg.replace(/^-(ps|plain)$/, "-p"));
    const options = invocation.options(XXD_OPTIONS, { args });
    const [input = "-", output] = options.operands;
    const source = await openOnly(invocation, input, NO_INPUT);
    const sink = openOutput(invocation, output, NO_OUTPUT);
    if (options.has("r")) await revert(invocation, source, { sink, isPlain: options.has("p") });
    else await dump(invocation, options, { source, sink, name: input });
    await sink.flush();
  },
};

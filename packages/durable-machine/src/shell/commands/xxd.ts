import { byteRows, printableText } from "./byte-rows.ts";
import { type ByteSink, openSink, outputSink } from "./byte-sink.ts";
import { type ByteSource, openOperand, PIECE_LENGTH, pieces } from "./byte-source.ts";
import { errorText } from "./error-text.ts";
import type { Invocation, MachineCommand } from "./invocation.ts";
import { type ParsedOptions, UsageError } from "./options.ts";

const MAX_COLUMNS = 256;

/** Exit codes of files that cannot be opened. */
const NO_INPUT = 2;
const NO_OUTPUT = 3;

const LONG_NAMES = /^--?(ps|postscript|plain|bits|cols|groupsize|include|len|revert|seek|uppercase)$/;

const encoder = new TextEncoder();

/** The value of an option: decimal, or hexadecimal behind 0x. */
function readNumber(options: ParsedOptions, key: string): number | undefined {
  const text = options.value(key);
  return text === undefined ? undefined : Number(text) || 0;
}

function fromHex(digits: string): Uint8Array {
  return Uint8Array.from(digits.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

/** Writes the bytes of a dump where its lines say, of a plain one one after another. */
async function revert(
  invocation: Invocation,
  source: ByteSource,
  { sink, isPlain }: { sink: ByteSink; isPlain: boolean },
) {
  const decoder = new TextDecoder("latin1");
  let position = 0;
  let rest = "";
  const takeLine = async (line: string) => {
    // Two spaces stand before the text, which may look like digits.
    const [, address, digits = ""] = /^\s*([\da-f]+):?\s((?: ?[\da-f]{2})*)/i.exec(line) ?? [];
    if (address === undefined) return;
    const start = Number.parseInt(address, 16);
    if (start < position) invocation.fail("sorry, cannot seek backwards.", 5);
    for (; position < start; position = Math.min(start, position + PIECE_LENGTH)) {
      await sink.write(new Uint8Array(Math.min(start - position, PIECE_LENGTH)));
    }
    const bytes = fromHex(digits.replaceAll(" ", ""));
    await sink.write(bytes);
    position += bytes.length;
    await invocation.step();
  };
  for await (const piece of pieces(source)) {
    rest += decoder.decode(piece);
    if (isPlain) {
      const digits = rest.replace(/[^\da-f]/gi, "");
      rest = digits.slice(digits.length & ~1);
      await sink.write(fromHex(digits));
    } else {
      const lines = rest.split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) await takeLine(line);
    }
  }
  if (!isPlain) await takeLine(rest);
}

type Form = "bits" | "dump" | "include" | "plain";

const DEFAULT_COLUMNS: Record<Form, number> = { bits: 6, dump: 16, include: 12, plain: 30 };

/** How a row of bytes is written. @throws UsageError */
function newRowFormat(options: ParsedOptions, form: Form, columns: number) {
  if (columns < 0 || (columns > MAX_COLUMNS && (form === "bits" || form === "dump"))) {
    throw new UsageError(`invalid number of columns (max. ${MAX_COLUMNS}).`, { hint: false });
  }
  const [radix, digits] = form === "bits" ? [2, 8] : [16, 2];
  const texts = Array.from({ length: 256 }, (_, byte) => {
    const text = byte.toString(radix).padStart(digits, "0");
    return (options.has("u") ? text.toUpperCase() : text).padStart(form === "include" ? 4 : 0, "0x");
  });
  const group = Math.min(readNumber(options, "g") ?? (form === "bits" ? 1 : 2), columns) || columns;
  const width = columns * digits + Math.ceil(columns / group) - 1;
  return (row: Uint8Array, position: number): string => {
    if (form === "plain") return `${Array.from(row, (byte) => texts[byte]).join("")}\n`;
    if (form === "include") return `  ${Array.from(row, (byte) => texts[byte]).join(", ")}`;
    let cells = "";
    for (const [index, byte] of row.entries()) {
      cells += (index > 0 && index % group === 0 ? " " : "") + texts[byte];
    }
    return `${position.toString(16).padStart(8, "0")}: ${cells.padEnd(width)}  ${printableText(row)}\n`;
  };
}

async function dump(
  invocation: Invocation,
  options: ParsedOptions,
  { source, sink, name }: { source: ByteSource; sink: ByteSink; name: string },
) {
  const form = options.has("p") ? "plain" : options.has("i") ? "include" : options.has("b") ? "bits" : "dump";
  const columns = readNumber(options, "c") || DEFAULT_COLUMNS[form];
  const format = newRowFormat(options, form, columns);
  const seek = readNumber(options, "s") ?? 0;
  const start = Math.max(0, seek < 0 ? (source.size ?? 0) + seek : seek);
  await source.skip(start);
  const write = (text: string) => sink.write(encoder.encode(text));
  // What comes from standard input has no name.
  const array =
    form === "include" && name !== "-" ? name.replace(/\W/g, "_").replace(/^(?=\d)/, "__") : undefined;
  if (array !== undefined) await write(`unsigned char ${array}[] = {\n`);
  let position = start;
  for await (const rows of byteRows(invocation, source, {
    rowBytes: columns,
    limit: readNumber(options, "l"),
  })) {
    if (form === "include" && position > start) await write(",\n");
    const texts = rows.map((row, index) => format(row, position + index * columns));
    await write(texts.join(form === "include" ? ",\n" : ""));
    for (const { length } of rows) position += length;
  }
  if (form === "include" && position > start) await write("\n");
  if (array !== undefined) await write(`};\nunsigned int ${array}_len = ${position - start};\n`);
}

export const xxd: MachineCommand = {
  name: "xxd",
  usage: "xxd [options] [infile [outfile]]\n    or xxd -r [-ps] [infile [outfile]]",
  async run(invocation) {
    const args = invocation.args.map((arg) =>
      arg.replace(LONG_NAMES, (_, name: string) => `-${name.charAt(0)}`),
    );
    const options = invocation.options(["b", "c=", "g=", "i", "l=", "p", "r", "s=", "u"], { args });
    const [input = "-", output = "-"] = options.operands;
    const refuse = (name: string, exitCode: number) => (error: unknown) =>
      invocation.fail(`${name}: ${errorText(error)}`, exitCode);
    const source = await openOperand(invocation, input).catch(refuse(input, NO_INPUT));
    const open = async () => (output === "-" ? outputSink(invocation) : openSink(invocation, output));
    const sink = await open().catch(refuse(output, NO_OUTPUT));
    if (options.has("r")) await revert(invocation, source, { sink, isPlain: options.has("p") });
    else await dump(invocation, options, { source, sink, name: input });
    await sink.flush();
  },
};

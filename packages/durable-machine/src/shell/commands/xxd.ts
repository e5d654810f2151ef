import { Buffer } from "node:buffer";
import { byteRows, printableText } from "./byte-rows.ts";
import { type ByteSink, openOutput } from "./byte-sink.ts";
import { type ByteSource, openOnly, pieces } from "./byte-source.ts";
import type { Invocation, MachineCommand } from "./invocation.ts";
import { type ParsedOptions, UsageError } from "./options.ts";

const MAX_COLUMNS = 256;

const NO_INPUT = 2;

const LONG_NAMES = /^--?(ps|postscript|plain|bits|cols|groupsize|include|len|revert|seek|uppercase)$/;

/** A decimal value, or a hexadecimal one after 0x. */
function readNumber(options: ParsedOptions, key: string): number | undefined {
  const text = options.value(key);
  return text === undefined ? undefined : Number(text) || 0;
}

/** Writes the bytes of a dump one after another. */
async function revert(
  invocation: Invocation,
  source: ByteSource,
  { sink, isPlain }: { sink: ByteSink; isPlain: boolean },
): Promise<void> {
  const decoder = new TextDecoder("latin1");
  let rest = "";
  const writeHex = (digits: string) => sink.write(Buffer.from(digits.replaceAll(" ", ""), "hex"));
  const writeLine = async (line: string) => {
    // The text follows after two spaces, and may look like digits.
    const [, digits = ""] = /^\s*[\da-f]+:?\s((?: ?[\da-f]{2})*)/i.exec(line) ?? [];
    await writeHex(digits);
    await invocation.step();
  };
  for await (const piece of pieces(source)) {
    rest += decoder.decode(piece);
    if (isPlain) {
      const digits = rest.replace(/[^\da-f]/gi, "");
      rest = digits.slice(digits.length & ~1);
      await writeHex(digits);
    } else {
      const lines = rest.split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) await writeLine(line);
    }
  }
  if (!isPlain) await writeLine(rest);
}

type Form = "bits" | "dump" | "include" | "plain";

const DEFAULT_COLUMNS: Record<Form, number> = { bits: 6, dump: 16, include: 12, plain: 30 };

/** The function formats a row of bytes. @throws UsageError */
function newRowFormatter(options: ParsedOptions, form: Form, columns: number) {
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
  const format = newRowFormatter(options, form, columns);
  const seek = readNumber(options, "s") ?? 0;
  const start = Math.max(0, seek < 0 ? (source.size ?? 0) + seek : seek);
  await source.skip(start);
  const write = (text: string) => sink.write(Buffer.from(text));
  const isArray = form === "include" && name !== "-";
  const array = name.replace(/\W/g, "_").replace(/^(?=\d)/, "__");
  if (isArray) await write(`unsigned char ${array}[] = {\n`);
  let position = start;
  const limit = readNumber(options, "l");
  for await (const rows of byteRows(invocation, source, { rowBytes: columns, limit })) {
    if (form === "include" && position > start) await write(",\n");
    const texts = rows.map((row, index) => format(row, position + index * columns));
    await write(texts.join(form === "include" ? ",\n" : ""));
    for (const { length } of rows) position += length;
  }
  if (form === "include" && position > start) await write("\n");
  if (isArray) await write(`};\nunsigned int ${array}_len = ${position - start};\n`);
}

export const xxd: MachineCommand = {
  name: "xxd",
  usage: "xxd [options] [infile [outfile]]\n    or xxd -r [-ps] [infile [outfile]]",
  async run(invocation) {
    const args = invocation.args.map((arg) =>
      arg.replace(LONG_NAMES, (_, name: string) => `-${name.charAt(0)}`),
    );
    const options = invocation.options("b c= g= i l= p r s= u", { args });
    const [input = "-", output] = options.operands;
    const source = await openOnly(invocation, input, NO_INPUT);
    const sink = openOutput(invocation, output);
    if (options.has("r")) await revert(invocation, source, { sink, isPlain: options.has("p") });
    else await dump(invocation, options, { source, sink, name: input });
    await sink.flush();
  },
};

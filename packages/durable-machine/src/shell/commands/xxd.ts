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

async function dump(
  invocation: Invocation,
  options: ParsedOptions,
  { source, sink, name }: { source: ByteSource; sink: ByteSink; name: string },
) {
  const isPlain = options.has("p");
  const isInclude = options.has("i") && !isPlain;
  const isBits = options.has("b") && !isPlain && !isInclude;
  const columns = readNumber(options, "c") || (isPlain ? 30 : isInclude ? 12 : isBits ? 6 : 16);
  if (columns < 0 || (columns > MAX_COLUMNS && !isPlain && !isInclude)) {
    throw new UsageError(`invalid number of columns (max. ${MAX_COLUMNS}).`, { hint: false });
  }
  const group = Math.min(readNumber(options, "g") ?? (isBits ? 1 : 2), columns) || columns;
  const texts = Array.from({ length: 256 }, (_, byte) => {
    const digits = isBits ? byte.toString(2).padStart(8, "0") : byte.toString(16).padStart(2, "0");
    return options.has("u") ? digits.toUpperCase() : digits;
  });
  const cells = (bytes: Uint8Array) => {
    let line = "";
    for (let index = 0; index < columns; index++) {
      const byte = bytes[index];
      line +=
        (index > 0 && index % group === 0 ? " " : "") +
        (byte === undefined ? " ".repeat(isBits ? 8 : 2) : texts[byte]);
    }
    return line;
  };
  const start = readNumber(options, "s") ?? 0;
  let position = Math.max(0, start < 0 ? (source.size ?? 0) + start : start);
  await source.skip(position);
  const write = (text: string) => sink.write(encoder.encode(text));
  const array = name === "-" ? undefined : name.replace(/\W/g, "_").replace(/^(?=\d)/, "__");
  if (isInclude && array !== undefined) await write(`unsigned char ${array}[] = {\n`);
  let length = 0;
  for await (const row of byteRows(invocation, source, {
    rowBytes: columns,
    limit: readNumber(options, "l"),
  })) {
    if (isPlain) await write(`${Array.from(row, (byte) => texts[byte]).join("")}\n`);
    else if (isInclude)
      await write(`${length > 0 ? ",\n" : ""}  ${Array.from(row, (byte) => `0x${texts[byte]}`).join(", ")}`);
    else await write(`${position.toString(16).padStart(8, "0")}: ${cells(row)}  ${printableText(row)}\n`);
    position += row.length;
    length += row.length;
  }
  if (isInclude && length > 0) await write("\n");
  if (isInclude && array !== undefined) await write(`};\nunsigned int ${array}_len = ${length};\n`);
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

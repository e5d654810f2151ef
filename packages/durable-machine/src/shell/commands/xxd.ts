import { type ByteSink, openSink, outputSink } from "./byte-sink.ts";
import { type ByteSource, openOperand, PIECE_LENGTH, pieces, readFully } from "./byte-source.ts";
import { errorText } from "./error-text.ts";
import {
  type ArrayNames,
  DumpFormat,
  type HexDumpStyle,
  IncludeFormat,
  type LineFormat,
  PlainFormat,
  parseDumpLine,
  ZeroSkippingFormat,
} from "./hex-dump.ts";
import type { Invocation, MachineCommand } from "./invocation.ts";
import { type ParsedOptions, UsageError } from "./options.ts";

const MOST_COLUMNS = 256;

/** Exit codes of files that cannot be opened. */
const NO_INPUT = 2;
const NO_OUTPUT = 3;

/** Lines of a dump that are formatted between two turns of others. */
const LINES_PER_STEP = 512;

const encoder = new TextEncoder();

type Form = "dump" | "plain" | "include";

/** Its options are words, some with a value of their own: `-ps`, `-c16`, `-len 3`. */
function translate(args: readonly string[]): string[] {
  const words: Record<string, string> = {
    "-ps": "-p",
    "-postscript": "-p",
    "-plain": "-p",
    "-bits": "-b",
    "-include": "-i",
    "-cols": "-c",
    "-groupsize": "-g",
    "-len": "-l",
    "-seek": "-s",
    "-revert": "-r",
    "-uppercase": "-u",
    "-autoskip": "-a",
    "-capitalize": "-C",
    "-name": "-n",
  };
  return args.map((arg) => words[arg.replace(/^--/, "-")] ?? arg);
}

function readNumber(options: ParsedOptions, key: string): number | undefined {
  const text = options.value(key);
  if (text === undefined) return undefined;
  const number = Number(/^[-+]?0[0-7]+$/.test(text) ? text.replace("0", "0o") : text.replace(/^\+/, ""));
  return Number.isNaN(number) ? 0 : number;
}

function defaultColumns(form: Form, bits: boolean): number {
  if (form === "plain") return 30;
  if (form === "include") return 12;
  return bits ? 6 : 16;
}

function readStyle(options: ParsedOptions, form: Form): HexDumpStyle {
  const bits = options.has("b");
  const littleEndian = options.has("e");
  const columns = readNumber(options, "c") || defaultColumns(form, bits);
  if (columns < 0 || (form === "dump" && columns > MOST_COLUMNS)) {
    throw new UsageError(`invalid number of columns (max. ${MOST_COLUMNS}).`, { hint: false });
  }
  const group = readNumber(options, "g") ?? (bits ? 1 : littleEndian ? 4 : 2);
  return {
    columns,
    group: Math.min(group, columns),
    upperCase: options.has("u"),
    bits,
    littleEndian,
    decimalOffset: options.has("d"),
  };
}

/** What is to be read: from where on, and how much. */
async function seek(source: ByteSource, start: number): Promise<number> {
  const offset =
    start < 0 && source.size !== undefined ? Math.max(0, source.size + start) : Math.max(0, start);
  await source.skip(offset);
  return offset;
}

/** What a file's array is called in C, and the number of its elements. */
function arrayNames(options: ParsedOptions, file: string): ArrayNames {
  const given = options.value("n") ?? (file === "-" ? undefined : file);
  const name = given?.replace(/[^A-Za-z0-9_]/g, "_").replace(/^(?=\d)/, "__");
  if (name === undefined || !options.has("C")) return { array: name, length: `${name}_len` };
  return { array: name.toUpperCase(), length: `${name.toUpperCase()}_LEN` };
}

/** Digits without offsets. A pair of them may be on two lines. */
async function revertPlain(source: ByteSource, sink: ByteSink): Promise<void> {
  const decoder = new TextDecoder("latin1");
  let digits = "";
  for await (const piece of pieces(source)) {
    digits += decoder.decode(piece).replace(/[^0-9a-fA-F]/g, "");
    const paired = digits.length - (digits.length % 2);
    await sink.write(Uint8Array.fromHex(digits.slice(0, paired)));
    digits = digits.slice(paired);
  }
}

async function revertDump(invocation: Invocation, source: ByteSource, sink: ByteSink): Promise<void> {
  const decoder = new TextDecoder("latin1");
  let rest = "";
  let position = 0;
  const take = async (line: string) => {
    const parsed = parseDumpLine(line, MOST_COLUMNS);
    if (parsed === undefined) return;
    if (parsed.offset < position) invocation.fail("sorry, cannot seek backwards.", 5);
    for (let gap = parsed.offset - position; gap > 0; gap -= PIECE_LENGTH) {
      await sink.write(new Uint8Array(Math.min(gap, PIECE_LENGTH)));
    }
    await sink.write(parsed.bytes);
    position = parsed.offset + parsed.bytes.length;
  };
  for await (const piece of pieces(source)) {
    const found = (rest + decoder.decode(piece)).split("\n");
    rest = found.pop() ?? "";
    for (const line of found) {
      await take(line);
      await invocation.step();
    }
  }
  await take(rest);
}

function chooseFormat(
  options: ParsedOptions,
  style: HexDumpStyle,
  { form, offset, name }: { form: Form; offset: number; name: string },
): LineFormat {
  if (form === "plain") return new PlainFormat(style.upperCase);
  if (form === "include") return new IncludeFormat(arrayNames(options, name), style.upperCase);
  const dump = new DumpFormat(style, offset + (readNumber(options, "o") ?? 0));
  return options.has("a") ? new ZeroSkippingFormat(dump, style.columns) : dump;
}

async function show(
  invocation: Invocation,
  options: ParsedOptions,
  { source, sink, name }: { source: ByteSource; sink: ByteSink; name: string },
): Promise<void> {
  const form: Form = options.has("p") ? "plain" : options.has("i") ? "include" : "dump";
  const style = readStyle(options, form);
  const offset = await seek(source, readNumber(options, "s") ?? 0);
  const format = chooseFormat(options, style, { form, offset, name });
  const { columns } = style;
  await sink.write(encoder.encode(format.begin()));
  for (let left = readNumber(options, "l") ?? Number.POSITIVE_INFINITY; left > 0; ) {
    const block = await readFully(source, Math.min(left, columns * LINES_PER_STEP));
    if (block.length === 0) break;
    left -= block.length;
    let text = "";
    for (let start = 0; start < block.length; start += columns) {
      text += format.line(block.subarray(start, start + columns));
    }
    await sink.write(encoder.encode(text));
    await invocation.step(LINES_PER_STEP / 10);
  }
  await sink.write(encoder.encode(format.end()));
}

async function openOutput(invocation: Invocation, output: string): Promise<ByteSink> {
  return output === "-" ? outputSink(invocation) : openSink(invocation, output);
}

export const xxd: MachineCommand = {
  name: "xxd",
  usage: "xxd [options] [infile [outfile]]\n    or xxd -r [-ps] [infile [outfile]]",
  async run(invocation) {
    const options = invocation.options(
      ["a", "b", "C", "c=", "d", "e", "g=", "i", "l=", "n=", "o=", "p", "r", "s=", "u"],
      { args: translate(invocation.args) },
    );
    const [input = "-", output = "-"] = options.operands;
    const refuse = (name: string, exitCode: number) => (error: unknown) =>
      invocation.fail(`${name}: ${errorText(error)}`, exitCode);
    const source = await openOperand(invocation, input).catch(refuse(input, NO_INPUT));
    const sink = await openOutput(invocation, output).catch(refuse(output, NO_OUTPUT));
    if (!options.has("r")) await show(invocation, options, { source, sink, name: input });
    else if (options.has("p")) await revertPlain(source, sink);
    else await revertDump(invocation, source, sink);
    await sink.flush();
  },
};

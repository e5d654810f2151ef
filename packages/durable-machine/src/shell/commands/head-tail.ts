import { Buffer } from "node:buffer";
import { FileError } from "../../file-system/file-error.ts";
import {
  type ByteSource,
  forEachSource,
  openOperand,
  openPath,
  PIECE_LENGTH,
  pieces,
} from "./byte-source.ts";
import type { Invocation, MachineCommand } from "./invocation.ts";
import { countNewlines, endOfLines, startOfLastLines } from "./newlines.ts";
import type { ParsedOptions } from "./options.ts";
import { quoteName, quoteWord } from "./quoting.ts";
import { parseSize } from "./sizes.ts";

const OPTIONS = "c,bytes= n,lines= q,quiet ,silent v,verbose";

type Amount = ReturnType<typeof readAmount>;

type Part = Amount & { source: ByteSource; operand: string };

function readAmount(invocation: Invocation, options: ParsedOptions) {
  const unit = options.last("c", "n") === "c" ? "bytes" : "lines";
  const text = options.value(unit === "bytes" ? "c" : "n") ?? "10";
  const count = parseSize(text.replace(/^[-+]/, ""));
  if (count === undefined) return invocation.fail(`invalid number of ${unit}: ${quoteWord(text)}`);
  return { unit, count, sign: /^[-+]/.exec(text)?.[0] ?? "" };
}

/** Translates the old form, in which the number is an option of its own: `head -5`, `tail +3`. */
function withoutOldForm(args: readonly string[]): string[] {
  const modern = (_: string, sign: string, count: string, letters: string) => {
    const unit = letters.includes("c") ? "c" : "n";
    return `-${letters.replace(/[cl]/g, "")}${unit}${sign === "+" ? "+" : ""}${count}`;
  };
  return args.map((arg, index) => (index > 0 ? arg : arg.replace(/^([-+])(\d+)([cflqv]*)$/, modern)));
}

function newHeaderPrinter(invocation: Invocation, options: ParsedOptions) {
  const wanted = options.last("q", "silent", "v");
  const isShown = wanted === undefined ? options.operands.length > 1 : wanted === "v";
  let separator = "";
  return async (operand: string) => {
    if (!isShown) return;
    await invocation.print(`${separator}==> ${operand === "-" ? "standard input" : operand} <==\n`);
    separator = "\n";
  };
}

function cannotOpen(operand: string): string {
  return `cannot open ${quoteName(operand)} for reading`;
}

/** Passes what is before the last lines or bytes of a source to `writeBefore`, and returns these. */
async function splitBeforeLast(
  invocation: Invocation,
  { source, unit, count }: Part,
  writeBefore?: (bytes: Uint8Array) => Promise<void>,
): Promise<Uint8Array> {
  const limit = invocation.environment.limits.pipeBytes;
  let held: Uint8Array = new Uint8Array(0);
  let added: Uint8Array[] = [];
  let addedLength = 0;
  const joinAndSplit = async () => {
    const bytes = Buffer.concat([held, ...added]);
    const start = unit === "bytes" ? Math.max(0, bytes.length - count) : startOfLastLines(bytes, count);
    await writeBefore?.(bytes.subarray(0, start));
    held = bytes.subarray(start);
    added = [];
    addedLength = 0;
  };
  for await (const piece of pieces(source)) {
    added.push(piece);
    addedLength += piece.length;
    // Joining waits until as much has arrived as is held, so that the work stays proportional to the input.
    if (addedLength < held.length + PIECE_LENGTH && held.length + addedLength <= limit) continue;
    await joinAndSplit();
    if (held.length > limit) invocation.fail("memory exhausted");
  }
  await joinAndSplit();
  return held;
}

async function writeHead(invocation: Invocation, part: Part): Promise<void> {
  const { source, unit, sign, count } = part;
  const isSizeKnown = unit === "bytes" && source.size !== undefined;
  if (sign === "-" && !isSizeKnown) {
    await splitBeforeLast(invocation, part, (bytes) => invocation.write(bytes));
    return;
  }
  let left = sign === "-" ? Math.max(0, (source.size ?? 0) - count) : count;
  // Standard input is read line by line, so that the rest stays for the next command.
  const byLine = unit === "lines" && part.operand === "-";
  while (left > 0) {
    const wanted = unit === "lines" ? PIECE_LENGTH : left;
    const piece = byLine ? await invocation.input.readLine() : await source.read(wanted);
    if (piece === undefined || piece.length === 0) break;
    const shown = unit === "lines" ? piece.subarray(0, endOfLines(piece, left)) : piece;
    await invocation.write(shown);
    left -= unit === "lines" ? countNewlines(shown) : shown.length;
    if (byLine) await invocation.step();
  }
}

export const head: MachineCommand = {
  name: "head",
  usage: "head [OPTION]... [FILE]...",
  async run(invocation) {
    const options = invocation.options(OPTIONS, { args: withoutOldForm(invocation.args) });
    const amount = readAmount(invocation, options);
    const printHeader = newHeaderPrinter(invocation, options);
    const write = async (source: ByteSource, operand: string) => {
      await printHeader(operand);
      await writeHead(invocation, { ...amount, source, operand });
    };
    await forEachSource(invocation, options.operands, write, cannotOpen);
  },
};

async function writeAfterBytes(invocation: Invocation, source: ByteSource, bytes: number): Promise<void> {
  await source.skip(Math.max(0, bytes));
  for await (const piece of pieces(source)) await invocation.write(piece);
}

async function writeAfterLines(invocation: Invocation, source: ByteSource, lines: number): Promise<void> {
  let left = lines;
  for await (const piece of pieces(source)) {
    const start = endOfLines(piece, left) ?? piece.length;
    left -= countNewlines(piece.subarray(0, start));
    await invocation.write(piece.subarray(start));
  }
}

async function writeTail(invocation: Invocation, part: Part): Promise<void> {
  const { source, operand, unit, count, sign } = part;
  const { size } = source;
  if (sign === "+") {
    const write = unit === "lines" ? writeAfterLines : writeAfterBytes;
    return await write(invocation, source, Math.max(0, count - 1));
  }
  if (unit === "bytes" && size !== undefined) return await writeAfterBytes(invocation, source, size - count);
  // The end of a large file usually has enough lines.
  const skipped = size === undefined ? 0 : await source.skip(size - PIECE_LENGTH);
  let last = await splitBeforeLast(invocation, part);
  if (skipped > 0 && last.length === PIECE_LENGTH) {
    last = await splitBeforeLast(invocation, { ...part, source: await openOperand(invocation, operand) });
  }
  await invocation.write(last);
}

type FollowedFile = { operand: string; offset: number };

async function follow(
  invocation: Invocation,
  files: FollowedFile[],
  printHeader: (operand: string) => Promise<void>,
): Promise<never> {
  const writeAppended = async (file: FollowedFile) => {
    const source = await openPath(invocation, file.operand);
    const size = source.size ?? 0;
    if (size === file.offset) return;
    if (size < file.offset) {
      invocation.complain(`${file.operand}: file truncated`);
      file.offset = 0;
    }
    await printHeader(file.operand);
    await writeAfterBytes(invocation, source, file.offset);
    file.offset = size;
    await invocation.flush();
  };
  let change = Promise.withResolvers<void>();
  const noteChange = () => change.resolve();
  const stopWatching = invocation.files.watch(noteChange);
  const signals = [invocation.environment.signal, invocation.context.signal];
  for (const signal of signals) signal?.addEventListener("abort", noteChange, { once: true });
  try {
    await invocation.flush();
    for (;;) {
      await invocation.step();
      for (const file of files) {
        // A missing file may come back, as a rotated log does.
        await writeAppended(file).catch((error: unknown) => {
          if (!(error instanceof FileError)) throw error;
        });
      }
      await change.promise;
      change = Promise.withResolvers();
    }
  } finally {
    stopWatching();
    for (const signal of signals) signal?.removeEventListener("abort", noteChange);
  }
}

export const tail: MachineCommand = {
  name: "tail",
  usage: "tail [OPTION]... [FILE]...",
  async run(invocation) {
    const patterns = `${OPTIONS} f,follow=? F ,retry ,pid= s,sleep-interval=`;
    const options = invocation.options(patterns, { args: withoutOldForm(invocation.args) });
    const amount = readAmount(invocation, options);
    const printHeader = newHeaderPrinter(invocation, options);
    const followed: FollowedFile[] = [];
    const write = async (source: ByteSource, operand: string) => {
      await printHeader(operand);
      await writeTail(invocation, { ...amount, source, operand });
      if (operand !== "-") followed.push({ operand, offset: source.size ?? 0 });
    };
    await forEachSource(invocation, options.operands, write, cannotOpen);
    if (!options.has("f", "F")) return;
    if (followed.length > 0) await follow(invocation, followed, printHeader);
    else if (options.operands.some((operand) => operand !== "-")) invocation.complain("no files remaining");
  },
};

import { FileError } from "../../file-system/file-error.ts";
import { type ByteSource, openPath, PIECE_LENGTH, pieces, readFully } from "./byte-source.ts";
import {
  type Amount,
  HeadedFiles,
  PART_OPTIONS,
  parseAmount,
  splitBeforeLast,
  withoutOldForm,
} from "./file-parts.ts";
import { countNewlines, endOfLines } from "./held-bytes.ts";
import type { Invocation, MachineCommand } from "./invocation.ts";

/** Writes what a source holds behind so many lines or bytes. */
async function writeBehind(
  invocation: Invocation,
  source: ByteSource,
  { unit, count }: Pick<Amount, "unit" | "count">,
): Promise<void> {
  if (unit === "bytes") await source.skip(count);
  let left = unit === "bytes" ? 0 : count;
  for await (const piece of pieces(source)) {
    const start = endOfLines(piece, left) ?? piece.length;
    left -= countNewlines(piece.subarray(0, start));
    await invocation.write(piece.subarray(start));
  }
}

/** Where the last `count` lines of a file begin, found from its end: of a large file only that is read. */
async function findLastLines(
  invocation: Invocation,
  { operand, size, count }: { operand: string; size: number; count: number },
): Promise<number> {
  if (count === 0) return size;
  let left = count;
  // The file's last byte begins no line, whether it is a newline or not.
  for (let end = size - 1; end > 0; ) {
    const start = Math.max(0, end - PIECE_LENGTH);
    const source = await openPath(invocation, operand);
    await source.skip(start);
    const piece = await readFully(source, end - start);
    const newlines = countNewlines(piece);
    if (newlines >= left) return start + (endOfLines(piece, newlines - left + 1) ?? 0);
    left -= newlines;
    end = start;
  }
  return 0;
}

async function writeTail(
  invocation: Invocation,
  { operand, source, amount }: { operand: string; source: ByteSource; amount: Amount },
): Promise<void> {
  const { unit, count, sign } = amount;
  const { size } = source;
  if (sign === "+") return await writeBehind(invocation, source, { unit, count: Math.max(0, count - 1) });
  if (size === undefined) {
    const last = await splitBeforeLast(invocation, { ...amount, source }, async () => {});
    return await invocation.write(last);
  }
  const start = unit === "bytes" ? size - count : await findLastLines(invocation, { operand, size, count });
  await writeBehind(invocation, source, { unit: "bytes", count: Math.max(0, start) });
}

interface FollowedFile {
  operand: string;
  /** How much of it is written. */
  offset: number;
}

async function writeNews(invocation: Invocation, file: FollowedFile, headed: HeadedFiles): Promise<void> {
  try {
    const source = await openPath(invocation, file.operand);
    const size = source.size ?? 0;
    if (size === file.offset) return;
    if (size < file.offset) {
      invocation.complain(`${file.operand}: file truncated`);
      file.offset = 0;
    }
    await headed.printHeader(file.operand);
    file.offset += await source.skip(file.offset);
    for await (const piece of pieces(source)) {
      file.offset += piece.length;
      await invocation.write(piece);
    }
    await invocation.flush();
  } catch (error) {
    // It may come back, as a log that is rotated does.
    if (!(error instanceof FileError)) throw error;
  }
}

/**
 * Writes what is appended to files.
 *
 * @throws the reason of the abort: it goes on until the process dies or the command's time is up.
 */
async function follow(invocation: Invocation, files: FollowedFile[], headed: HeadedFiles): Promise<never> {
  let change = Promise.withResolvers<void>();
  // A change that comes while nobody waits does not let the next one wait.
  const noteChange = () => change.resolve();
  const stopWatching = invocation.files.watch(noteChange);
  const signals = [invocation.environment.signal, invocation.context.signal];
  for (const signal of signals) signal?.addEventListener("abort", noteChange, { once: true });
  try {
    await invocation.flush();
    for (;;) {
      await invocation.step();
      for (const file of files) await writeNews(invocation, file, headed);
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
    const patterns = [...PART_OPTIONS, "f,follow=?", "F", ",retry", ",pid=", "s,sleep-interval="];
    const options = invocation.options(patterns, { args: withoutOldForm(invocation.args) });
    const amount = parseAmount(invocation, options);
    const operands = options.operands.length === 0 ? ["-"] : options.operands;
    const headed = new HeadedFiles(invocation, options);
    const followed: FollowedFile[] = [];
    for (const operand of operands) {
      const source = await headed.open(operand);
      if (source === undefined) continue;
      await writeTail(invocation, { operand, source, amount });
      if (operand !== "-") followed.push({ operand, offset: source.size ?? 0 });
    }
    if (!options.has("f", "F")) return;
    if (followed.length > 0) await follow(invocation, followed, headed);
    else if (operands.some((operand) => operand !== "-")) invocation.complain("no files remaining");
  },
};

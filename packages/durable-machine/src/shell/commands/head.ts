import { type ByteSource, pieces } from "./byte-source.ts";
import { Headers, openWithHeader, showsHeaders } from "./file-headers.ts";
import { countNewlines, endOfLines, HeldBytes, startOfLastLines } from "./held-bytes.ts";
import type { Invocation, MachineCommand } from "./invocation.ts";
import { findLastLines } from "./last-lines.ts";
import { quoteWord } from "./quoting.ts";
import { parseSize } from "./sizes.ts";

interface Amount {
  unit: "lines" | "bytes";
  count: number;
  /** All but the last `count`, not the first. */
  fromEnd: boolean;
}

function parseAmount(invocation: Invocation, unit: Amount["unit"], text: string): Amount {
  const count = parseSize(text.replace(/^[-+]/, ""));
  if (count === undefined) return invocation.fail(`invalid number of ${unit}: ${quoteWord(text)}`);
  return { unit, count, fromEnd: text.startsWith("-") };
}

async function writeFirstBytes(invocation: Invocation, source: ByteSource, count: number): Promise<void> {
  for (let left = count; left > 0; ) {
    const piece = await source.read(left);
    if (piece.length === 0) return;
    await invocation.write(piece);
    left -= piece.length;
  }
}

async function writeFirstLines(invocation: Invocation, source: ByteSource, count: number): Promise<void> {
  let left = count;
  if (left === 0) return;
  for await (const piece of pieces(source)) {
    const end = endOfLines(piece, left);
    if (end !== undefined) return await invocation.write(piece.subarray(0, end));
    await invocation.write(piece);
    left -= countNewlines(piece);
  }
}

/** Line by line, so that what stays unread is there for the next command. */
async function writeFirstInputLines(invocation: Invocation, count: number): Promise<void> {
  for (let left = count; left > 0; left--) {
    const line = await invocation.input.readLine();
    if (line === undefined) return;
    await invocation.write(line);
    await invocation.step();
  }
}

/** All but the last lines or bytes of a file, whose end is known. */
async function writeFileButLast(
  invocation: Invocation,
  { operand, source, size }: { operand: string; source: ByteSource; size: number },
  { unit, count }: Amount,
): Promise<void> {
  const end = unit === "bytes" ? size - count : await findLastLines(invocation, { operand, size, count });
  await writeFirstBytes(invocation, source, end);
}

async function writeStreamButLast(
  invocation: Invocation,
  source: ByteSource,
  { unit, count }: Amount,
): Promise<void> {
  const held = new HeldBytes(count, unit);
  for await (const piece of pieces(source)) {
    for (const bytes of held.push(piece)) await invocation.write(bytes);
    if (held.length > invocation.environment.limits.pipeBytes) invocation.fail("memory exhausted");
  }
  const rest = held.join();
  const end = unit === "bytes" ? rest.length - count : startOfLastLines(rest, count);
  await invocation.write(rest.subarray(0, Math.max(0, end)));
}

/** Old command lines have the number as an option of its own: `head -5`. */
function withoutOldForm(args: readonly string[]): string[] {
  const [, count, letters = ""] = /^-(\d+)([cqv]*)$/.exec(args[0] ?? "") ?? [];
  if (count === undefined) return [...args];
  const others = letters.replaceAll("c", "");
  const amount = `-${letters.includes("c") ? "c" : "n"}${count}`;
  return [amount, ...(others === "" ? [] : [`-${others}`]), ...args.slice(1)];
}

async function writeHead(
  invocation: Invocation,
  { operand, source }: { operand: string; source: ByteSource },
  amount: Amount,
): Promise<void> {
  const { size } = source;
  if (amount.fromEnd && size !== undefined) {
    await writeFileButLast(invocation, { operand, source, size }, amount);
  } else if (amount.fromEnd) {
    await writeStreamButLast(invocation, source, amount);
  } else if (amount.unit === "bytes") {
    await writeFirstBytes(invocation, source, amount.count);
  } else {
    await writeFirstLines(invocation, source, amount.count);
  }
}

export const head: MachineCommand = {
  name: "head",
  usage: "head [OPTION]... [FILE]...",
  async run(invocation) {
    const options = invocation.options(["c,bytes=", "n,lines=", "q,quiet", ",silent", "v,verbose"], {
      args: withoutOldForm(invocation.args),
    });
    const unit = options.last("c", "n") === "c" ? "bytes" : "lines";
    const amount = parseAmount(invocation, unit, options.value(unit === "bytes" ? "c" : "n") ?? "10");
    const operands = options.operands.length === 0 ? ["-"] : options.operands;
    const headers = new Headers(invocation, showsHeaders(options));
    for (const operand of operands) {
      const source = await openWithHeader(invocation, operand, headers);
      if (source === undefined) continue;
      const byLine = operand === "-" && amount.unit === "lines" && !amount.fromEnd;
      if (byLine) await writeFirstInputLines(invocation, amount.count);
      else await writeHead(invocation, { operand, source }, amount);
    }
  },
};

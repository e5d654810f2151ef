import { type ByteSource, pieces } from "./byte-source.ts";
import { Headers, openWithHeader, showsHeaders } from "./file-headers.ts";
import { type FollowedFile, follow } from "./follow-files.ts";
import { countNewlines, endOfLines, HeldBytes, startOfLastLines } from "./held-bytes.ts";
import type { Invocation, MachineCommand } from "./invocation.ts";
import { findLastLines } from "./last-lines.ts";
import type { ParsedOptions } from "./options.ts";
import { quoteWord } from "./quoting.ts";
import { parseSize } from "./sizes.ts";

interface Amount {
  unit: "lines" | "bytes";
  count: number;
  /** From the `count`th on, not the last `count`. */
  fromStart: boolean;
}

function parseAmount(invocation: Invocation, options: ParsedOptions): Amount {
  const unit = options.last("c", "n") === "c" ? "bytes" : "lines";
  const text = options.value(unit === "bytes" ? "c" : "n") ?? "10";
  const count = parseSize(text.replace(/^[-+]/, ""));
  if (count === undefined) return invocation.fail(`invalid number of ${unit}: ${quoteWord(text)}`);
  return { unit, count, fromStart: text.startsWith("+") };
}

async function writeAll(invocation: Invocation, source: ByteSource): Promise<void> {
  for await (const piece of pieces(source)) await invocation.write(piece);
}

async function writeFrom(invocation: Invocation, source: ByteSource, { unit, count }: Amount): Promise<void> {
  const before = Math.max(0, count - 1);
  if (unit === "bytes") {
    await source.skip(before);
    return await writeAll(invocation, source);
  }
  let left = before;
  for await (const piece of pieces(source)) {
    const end = endOfLines(piece, left);
    if (end !== undefined) {
      await invocation.write(piece.subarray(end));
      return await writeAll(invocation, source);
    }
    left -= countNewlines(piece);
  }
}

async function writeLast(invocation: Invocation, source: ByteSource, { unit, count }: Amount): Promise<void> {
  const held = new HeldBytes(count, unit);
  for await (const piece of pieces(source)) {
    held.push(piece);
    if (held.length > invocation.environment.limits.pipeBytes) invocation.fail("memory exhausted");
  }
  const rest = held.join();
  const start = unit === "bytes" ? rest.length - count : startOfLastLines(rest, count);
  await invocation.write(rest.subarray(Math.max(0, start)));
}

async function writeTail(
  invocation: Invocation,
  { operand, source, amount }: { operand: string; source: ByteSource; amount: Amount },
): Promise<void> {
  if (amount.fromStart) return await writeFrom(invocation, source, amount);
  if (source.size === undefined) return await writeLast(invocation, source, amount);
  const start =
    amount.unit === "bytes"
      ? source.size - amount.count
      : await findLastLines(invocation, { operand, size: source.size, count: amount.count });
  await source.skip(Math.max(0, start));
  await writeAll(invocation, source);
}

/** Old command lines have the number as an option of its own: `tail -5`, `tail +3`. */
function withoutOldForm(args: readonly string[]): string[] {
  const [, sign, count, unit = "", follow = ""] = /^([-+])(\d+)([cl]?)(f?)$/.exec(args[0] ?? "") ?? [];
  if (count === undefined || args.length > 2) return [...args];
  const amount = `-${unit === "c" ? "c" : "n"}${sign === "+" ? "+" : ""}${count}`;
  return [amount, ...(follow === "" ? [] : ["-f"]), ...args.slice(1)];
}

export const tail: MachineCommand = {
  name: "tail",
  usage: "tail [OPTION]... [FILE]...",
  async run(invocation) {
    const options = invocation.options(
      [
        "c,bytes=",
        "n,lines=",
        "f,follow=?",
        "F",
        ",retry",
        ",pid=",
        "s,sleep-interval=",
        "q,quiet",
        ",silent",
        "v,verbose",
      ],
      { args: withoutOldForm(invocation.args) },
    );
    const amount = parseAmount(invocation, options);
    const operands = options.operands.length === 0 ? ["-"] : options.operands;
    const headers = new Headers(invocation, showsHeaders(options));
    const followed: FollowedFile[] = [];
    for (const operand of operands) {
      const source = await openWithHeader(invocation, operand, headers);
      if (source === undefined) continue;
      await writeTail(invocation, { operand, source, amount });
      if (operand !== "-") followed.push({ operand, offset: source.size ?? 0 });
    }
    if (!options.has("f", "F")) return;
    if (followed.length > 0) await follow(invocation, followed, headers);
    else if (operands.some((operand) => operand !== "-")) invocation.complain("no files remaining");
  },
};

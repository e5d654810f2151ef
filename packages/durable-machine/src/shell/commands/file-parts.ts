import { FileError } from "../../file-system/file-error.ts";
import { type ByteSource, openOperand, pieces } from "./byte-source.ts";
import { errorText } from "./error-text.ts";
import { HeldBytes, startOfLastLines } from "./held-bytes.ts";
import type { Invocation } from "./invocation.ts";
import type { OptionPattern, ParsedOptions } from "./options.ts";
import { quoteName, quoteWord } from "./quoting.ts";
import { parseSize } from "./sizes.ts";

/** The options that `head` and `tail` share. */
export const PART_OPTIONS: readonly OptionPattern[] = [
  "c,bytes=",
  "n,lines=",
  "q,quiet",
  ",silent",
  "v,verbose",
];

/** How much `head` or `tail` shows. */
export interface Amount {
  unit: "lines" | "bytes";
  count: number;
  sign: "-" | "+" | "";
}

export function parseAmount(invocation: Invocation, options: ParsedOptions): Amount {
  const unit = options.last("c", "n") === "c" ? "bytes" : "lines";
  const text = options.value(unit === "bytes" ? "c" : "n") ?? "10";
  const count = parseSize(text.replace(/^[-+]/, ""));
  if (count === undefined) return invocation.fail(`invalid number of ${unit}: ${quoteWord(text)}`);
  return { unit, count, sign: text.startsWith("-") ? "-" : text.startsWith("+") ? "+" : "" };
}

/** Old command lines have the number as an option of its own: `head -5`, `tail +3`. */
export function withoutOldForm(args: readonly string[]): string[] {
  const [, sign, count, letters = ""] = /^([-+])(\d+)([cflqv]*)$/.exec(args[0] ?? "") ?? [];
  if (count === undefined) return [...args];
  const amount = `-${letters.includes("c") ? "c" : "n"}${sign === "+" ? "+" : ""}${count}`;
  const others = letters.replace(/[cl]/g, "");
  return [amount, ...(others === "" ? [] : [`-${others}`]), ...args.slice(1)];
}

/** Opens files, with a line above each that names it: where there are several, unless the options say otherwise. */
export class HeadedFiles {
  readonly #invocation: Invocation;
  readonly #isShown: boolean;
  #isFirst = true;

  constructor(invocation: Invocation, options: ParsedOptions) {
    this.#invocation = invocation;
    const wish = options.last("q", "silent", "v");
    this.#isShown = wish === undefined ? options.operands.length > 1 : wish === "v";
  }

  async printHeader(operand: string): Promise<void> {
    if (!this.#isShown) return;
    const name = operand === "-" ? "standard input" : operand;
    await this.#invocation.print(`${this.#isFirst ? "" : "\n"}==> ${name} <==\n`);
    this.#isFirst = false;
  }

  /** @returns undefined: it cannot be read, which is complained of. */
  async open(operand: string): Promise<ByteSource | undefined> {
    try {
      const source = await openOperand(this.#invocation, operand);
      await this.printHeader(operand);
      return source;
    } catch (error) {
      const reason = errorText(error);
      // Only the reading of a directory fails, not its opening.
      const isDirectory = error instanceof FileError && error.code === "EISDIR";
      if (isDirectory) await this.printHeader(operand);
      const name = quoteName(operand);
      this.#invocation.complain(
        isDirectory ? `error reading ${name}: ${reason}` : `cannot open ${name} for reading: ${reason}`,
      );
      return undefined;
    }
  }
}

/** Splits what a source holds: before its last lines or bytes, of which `writeBefore` gets a piece at a time, and these. */
export async function splitBeforeLast(
  invocation: Invocation,
  { source, unit, count }: Amount & { source: ByteSource },
  writeBefore: (bytes: Uint8Array) => Promise<void>,
): Promise<Uint8Array> {
  const held = new HeldBytes(count, unit);
  for await (const piece of pieces(source)) {
    for (const bytes of held.push(piece)) await writeBefore(bytes);
    if (held.length > invocation.environment.limits.pipeBytes) invocation.fail("memory exhausted");
  }
  const rest = held.join();
  const start = unit === "bytes" ? Math.max(0, rest.length - count) : startOfLastLines(rest, count);
  await writeBefore(rest.subarray(0, start));
  return rest.subarray(start);
}

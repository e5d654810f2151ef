import { type ByteSource, openOperand, PIECE_LENGTH, readFully } from "./byte-source.ts";
import { errorText } from "./error-text.ts";
import { countNewlines } from "./held-bytes.ts";
import { CommandExit, type Invocation, type MachineCommand } from "./invocation.ts";
import { type ParsedOptions, UsageError } from "./options.ts";
import { parseSize } from "./sizes.ts";

const TROUBLE = 2;

/** A byte as `cmp -b` shows it. */
function visible(byte: number): string {
  if (byte >= 0x80) return `M-${visible(byte - 0x80)}`;
  if (byte === 0x7f) return "^?";
  return byte < 0x20 ? `^${String.fromCharCode(byte + 0x40)}` : String.fromCharCode(byte);
}

function octal(byte: number): string {
  return byte.toString(8).padStart(3);
}

interface Side {
  name: string;
  source: ByteSource;
}

/** Compares two sources piece by piece. */
class Comparison {
  readonly #invocation: Invocation;
  readonly #options: ParsedOptions;
  readonly #sides: [Side, Side];
  #position = 0;
  #line = 1;
  #differs = false;
  #endsInLine = false;

  constructor(invocation: Invocation, options: ParsedOptions, sides: [Side, Side]) {
    this.#invocation = invocation;
    this.#options = options;
    this.#sides = sides;
  }

  /** @returns the exit code. */
  async run(limit: number): Promise<number> {
    const [left, right] = this.#sides;
    while (this.#position < limit) {
      const wanted = Math.min(PIECE_LENGTH, limit - this.#position);
      const a = await readFully(left.source, wanted);
      const b = await readFully(right.source, wanted);
      const common = Math.min(a.length, b.length);
      if (await this.#compare(a.subarray(0, common), b.subarray(0, common))) return 1;
      if (a.length !== b.length) {
        this.#tellEnd(a.length < b.length ? left.name : right.name);
        return 1;
      }
      if (common < wanted) break;
    }
    return this.#differs ? 1 : 0;
  }

  /** @returns whether all is told. */
  async #compare(a: Uint8Array, b: Uint8Array): Promise<boolean> {
    for (let index = a.findIndex((byte, at) => byte !== b[at]); index !== -1; ) {
      this.#differs = true;
      if (!this.#options.has("l")) {
        await this.#tellFirst(a, b, index);
        return true;
      }
      await this.#tellByte(a[index] ?? 0, b[index] ?? 0, this.#position + index + 1);
      do index++;
      while (index < a.length && a[index] === b[index]);
      if (index >= a.length) break;
    }
    this.#position += a.length;
    this.#line += countNewlines(a);
    if (a.length > 0) this.#endsInLine = a.at(-1) !== 0x0a;
    return false;
  }

  async #tellFirst(a: Uint8Array, b: Uint8Array, index: number): Promise<void> {
    if (this.#options.has("s")) return;
    const [left, right] = this.#sides;
    const line = this.#line + countNewlines(a.subarray(0, index));
    const [one, other] = [a[index] ?? 0, b[index] ?? 0];
    const bytes = this.#options.has("b")
      ? ` is ${octal(one)} ${visible(one)} ${octal(other)} ${visible(other)}`
      : "";
    // Without the bytes it is the standard's wording.
    const unit = this.#options.has("b") ? "byte" : "char";
    const where = `${unit} ${this.#position + index + 1}, line ${line}`;
    await this.#invocation.print(`${left.name} ${right.name} differ: ${where}${bytes}\n`);
  }

  async #tellByte(a: number, b: number, position: number): Promise<void> {
    const sizes = this.#sides.flatMap(({ source }) => (source.size === undefined ? [] : [source.size]));
    const width = sizes.length === 0 ? 19 : String(Math.min(...sizes)).length;
    const shown = this.#options.has("b")
      ? `${octal(a)} ${visible(a).padEnd(4)} ${octal(b)} ${visible(b)}`
      : `${octal(a)} ${octal(b)}`;
    await this.#invocation.print(`${String(position).padStart(width)} ${shown}\n`);
  }

  #tellEnd(name: string): void {
    if (this.#options.has("s")) return;
    if (this.#position === 0) {
      this.#invocation.complain(`EOF on ${name} which is empty`);
      return;
    }
    const line = this.#endsInLine ? `in line ${this.#line}` : `line ${this.#line - 1}`;
    const where = this.#options.has("l") ? "" : `, ${line}`;
    this.#invocation.complain(`EOF on ${name} after byte ${this.#position}${where}`);
  }
}

function readSize(options: ParsedOptions, key: string, long: string): number | undefined {
  const text = options.value(key);
  if (text === undefined) return undefined;
  const size = parseSize(text);
  if (size === undefined) throw new UsageError(`invalid --${long} value '${text}'`);
  return size;
}

async function openSide(
  invocation: Invocation,
  name: string,
  { skip, silent }: { skip: number; silent: boolean },
): Promise<Side> {
  try {
    const source = await openOperand(invocation, name);
    await source.skip(skip);
    return { name, source };
  } catch (error) {
    const text = errorText(error);
    if (silent) throw new CommandExit(TROUBLE);
    return invocation.fail(`${name}: ${text}`, TROUBLE);
  }
}

export const cmp: MachineCommand = {
  name: "cmp",
  usage: "cmp [OPTION]... FILE1 [FILE2 [SKIP1 [SKIP2]]]",
  usageHint: "cmp: Try 'cmp --help' for more information.",
  usageExitCode: TROUBLE,
  async run(invocation) {
    const options = invocation.options([
      "b,print-bytes",
      "i,ignore-initial=",
      "l,verbose",
      "n,bytes=",
      "s,quiet",
      ",silent",
    ]);
    const [left, right = "-", ...skips] = options.operands;
    if (left === undefined) throw new UsageError("missing operand after 'cmp'");
    const initial = (options.value("i") ?? "0").split(":");
    const [leftSkip = 0, rightSkip = leftSkip] = (skips.length > 0 ? skips : initial).map((text) => {
      const size = parseSize(text);
      if (size === undefined) throw new UsageError(`invalid --ignore-initial value '${text}'`);
      return size;
    });
    const limit = readSize(options, "n", "bytes") ?? Number.POSITIVE_INFINITY;
    const silent = options.has("s", "silent");
    const sides: [Side, Side] = [
      await openSide(invocation, left, { skip: leftSkip, silent }),
      await openSide(invocation, right, { skip: skips.length === 1 ? 0 : rightSkip, silent }),
    ];
    return await new Comparison(invocation, options, sides).run(limit);
  },
};

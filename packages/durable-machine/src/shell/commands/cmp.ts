import { type ByteSource, openOperand, PIECE_LENGTH, readFully } from "./byte-source.ts";
import { errorText } from "./error-text.ts";
import { countNewlines } from "./held-bytes.ts";
import { CommandExit, type MachineCommand } from "./invocation.ts";
import { UsageError } from "./options.ts";
import { parseSize } from "./sizes.ts";

const TROUBLE = 2;
const NEWLINE = 0x0a;

function octal(byte: number | undefined): string {
  return (byte ?? 0).toString(8).padStart(3);
}

/** Where the bytes differ from some place on; the length of the shorter ones where they do not. */
function findDifference(a: Uint8Array, b: Uint8Array, start: number): number {
  let index = start;
  while (index < a.length && index < b.length && a[index] === b[index]) index++;
  return index;
}

/** @throws UsageError */
function readSize(text: string, option: string): number {
  const size = parseSize(text);
  if (size === undefined) throw new UsageError(`invalid --${option} value '${text}'`);
  return size;
}

export const cmp: MachineCommand = {
  name: "cmp",
  usage: "cmp [OPTION]... FILE1 [FILE2 [SKIP1 [SKIP2]]]",
  usageHint: "cmp: Try 'cmp --help' for more information.",
  usageExitCode: TROUBLE,
  async run(invocation) {
    const options = invocation.options(["i,ignore-initial=", "l,verbose", "n,bytes=", "s,quiet", ",silent"]);
    const [left, right = "-", ...skips] = options.operands;
    if (left === undefined) throw new UsageError("missing operand after 'cmp'");
    const isSilent = options.has("s", "silent");
    const initial = options.value("i")?.split(":") ?? [skips[0] ?? "0", skips[1] ?? "0"];
    const [leftSkip = 0, rightSkip = leftSkip] = initial.map((text) => readSize(text, "ignore-initial"));
    const limit = readSize(options.value("n") ?? String(Number.MAX_SAFE_INTEGER), "bytes");
    const open = async (name: string, skip: number): Promise<ByteSource> => {
      try {
        const source = await openOperand(invocation, name);
        await source.skip(skip);
        return source;
      } catch (error) {
        const text = errorText(error);
        if (isSilent) throw new CommandExit(TROUBLE);
        return invocation.fail(`${name}: ${text}`, TROUBLE);
      }
    };
    const sources = [await open(left, leftSkip), await open(right, rightSkip)] as const;
    const sizes = sources.flatMap(({ size }) => size ?? []);
    const width = sizes.length === 0 ? 19 : String(Math.min(...sizes)).length;
    let position = 0;
    let line = 1;
    let lastByte: number | undefined;
    let exitCode = 0;
    for (;;) {
      const wanted = Math.min(PIECE_LENGTH, limit - position);
      const a = await readFully(sources[0], wanted);
      const b = await readFully(sources[1], wanted);
      const common = Math.min(a.length, b.length);
      for (let index = findDifference(a, b, 0); index < common; index = findDifference(a, b, index + 1)) {
        exitCode = 1;
        const place = position + index + 1;
        if (isSilent) return exitCode;
        if (!options.has("l")) {
          const where = `byte ${place}, line ${line + countNewlines(a.subarray(0, index))}`;
          await invocation.print(`${left} ${right} differ: ${where}\n`);
          return exitCode;
        }
        await invocation.print(`${String(place).padStart(width)} ${octal(a[index])} ${octal(b[index])}\n`);
      }
      const compared = a.subarray(0, common);
      position += common;
      line += countNewlines(compared);
      lastByte = compared.at(-1) ?? lastByte;
      if (a.length === b.length && common === PIECE_LENGTH) continue;
      if (a.length === b.length || isSilent) return a.length === b.length ? exitCode : 1;
      const where = lastByte === NEWLINE ? `line ${line - 1}` : `in line ${line}`;
      const place =
        position === 0 ? "which is empty" : `after byte ${position}${options.has("l") ? "" : `, ${where}`}`;
      invocation.complain(`EOF on ${a.length < b.length ? left : right} ${place}`);
      return 1;
    }
  },
};

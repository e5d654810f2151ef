import type { ExecResult, ResolvedCommandContext } from "just-bash/browser";
import { toByteString, writtenBytes } from "./byte-strings.ts";
import { joinPath } from "./paths.ts";
import type { Shell } from "./shell.ts";

export interface Piecewise {
  /** The arguments without files: each piece comes as standard input. */
  args: string[];
  /** The file that is its input; undefined: its standard input. */
  file: string | undefined;
  output: "text" | "count" | "numbered lines";
}

/** @returns undefined where pieces would give another result. */
export function piecewise(name: string, args: readonly string[]): Piecewise | undefined {
  if (name.endsWith("grep")) return grepPiecewise(args);
  return name === "sed" ? sedPiecewise(args) : undefined;
}

function grepPiecewise(args: readonly string[]): Piecewise | undefined {
  const end = args.lastIndexOf("--");
  const expression = args.indexOf("-e");
  const flags = args.slice(0, expression);
  if (expression === -1 || expression + 2 !== end || !flags.every((flag) => /^-[EFPivowxhcnq]$/.test(flag))) {
    return undefined;
  }
  const isCount = flags.includes("-c");
  const isNumbered = flags.includes("-n");
  if (isCount && isNumbered) return undefined;
  const output = isCount ? "count" : isNumbered ? "numbered lines" : "text";
  return withOneFile(args.slice(0, end), args.slice(end + 1), output);
}

/** Commands of sed that each concern one line, chosen by a regular expression or not. */
const SED_COMMANDS =
  /^(?:\s*(?:\/(?:[^/\\]|\\.)*\/I?\s*(?:!\s*)?)?(?:[dp]|([sy])([^\s\w\\])(?:(?!\2)[^\\\n]|\\.)*\2(?:(?!\2)[^\\\n]|\\.)*\2[gIp\d]*)[ \t]*(?:[;\n]|$))*\s*$/;

function sedPiecewise(args: readonly string[]): Piecewise | undefined {
  let index = args.findIndex((arg) => !/^-[nE]$/.test(arg));
  for (; args[index] === "-e"; index += 2) if (!SED_COMMANDS.test(args[index + 1] ?? "")) return undefined;
  return withOneFile(args.slice(0, index), args.slice(index), "text");
}

function withOneFile(
  args: string[],
  [file, ...others]: readonly string[],
  output: Piecewise["output"],
): Piecewise | undefined {
  if (others.length > 0 || /^-./.test(file ?? "")) return undefined;
  return { args, file: file === "-" ? undefined : file, output };
}

const NEWLINE = 0x0a;

/** @returns undefined where a line is longer than a piece may be. */
export function splitAtLines(bytes: Uint8Array, pieceBytes: number): Uint8Array[] | undefined {
  const pieces: Uint8Array[] = [];
  let start = 0;
  while (start < bytes.length) {
    const furthest = start + pieceBytes;
    const end = furthest >= bytes.length ? bytes.length : bytes.lastIndexOf(NEWLINE, furthest - 1) + 1;
    if (end <= start) return undefined;
    pieces.push(bytes.subarray(start, end));
    start = end;
  }
  return pieces;
}

export function renumber(text: string, linesBefore: number): string {
  return text.replace(/^(\d+)([:-])/gm, (_, number, mark) => `${Number(number) + linesBefore}${mark}`);
}

export async function runPiecewise(
  shell: Shell,
  name: string,
  plan: Piecewise,
  context: ResolvedCommandContext,
  pieceBytes: number,
): Promise<ExecResult | undefined> {
  const bytes =
    plan.file === undefined
      ? writtenBytes(String(context.stdin), "binary")
      : await shell.files.readFileBuffer(joinPath(context.cwd, plan.file));
  const pieces = splitAtLines(bytes, pieceBytes);
  if (!pieces || !context.exec) return undefined;
  const output = shell.outputOf(context);
  let exitCode = 1;
  let lines = 0;
  let count = 0;
  for (const piece of pieces) {
    const text = toByteString(piece);
    const result = await context.exec(name, {
      cwd: context.cwd,
      args: plan.args,
      stdin: text,
      stdinKind: "bytes",
      ...(context.signal ? { signal: context.signal } : {}),
    });
    if (result.stderr !== "") return { ...output.result(result.exitCode), stderr: result.stderr };
    exitCode = Math.min(exitCode, result.exitCode);
    if (plan.output === "count") count += Number(result.stdout);
    else {
      const stdout = plan.output === "numbered lines" ? renumber(result.stdout, lines) : result.stdout;
      const isBytes = result.stdoutKind === "bytes" || result.stdoutEncoding === "binary";
      await output.write(writtenBytes(stdout, isBytes ? "binary" : "utf8"));
    }
    lines += text.split("\n").length - 1;
    await shell.context.slice.rest();
  }
  if (plan.output === "count") await output.write(new TextEncoder().encode(`${count}\n`));
  return output.result(exitCode);
}

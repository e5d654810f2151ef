import type { ExecResult, ResolvedCommandContext } from "just-bash/browser";
import { toByteString, writtenBytes } from "./byte-strings.ts";
import { joinPath } from "./paths.ts";
import type { Shell } from "./shell.ts";

export interface Piecewise {
  /** The arguments without files: each piece comes as standard input. */
  args: string[];
  /** Those of one piece, where they depend on its place. */
  argsOf?: (place: Place) => string[];
  /** The file that is its input; undefined: its standard input. */
  file: string | undefined;
  output: "text" | "count" | "numbered lines";
}

interface Place {
  linesBefore: number;
  lines: number;
  isLast: boolean;
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

/** A command of sed that concerns one line, chosen by its number, by a regular expression or not. */
const SED_COMMAND =
  /\s*(?:(?<first>[1-9]\d*|\$)(?:,(?<second>\d+|\$))?\s*(?:(?<not>!)\s*)?|\/(?:[^/\\]|\\.)*\/I?\s*(?:!\s*)?)?(?<body>(?:[dp]|([sy])([^\s\w\\])(?:(?!\6)[^\\\n]|\\.)*\6(?:(?!\6)[^\\\n]|\\.)*\6[gIp\d]*)[ \t]*(?:[;\n]|$))|[;\s]+/y;

function sedPiecewise(args: readonly string[]): Piecewise | undefined {
  let index = args.findIndex((arg) => !/^-[nE]$/.test(arg));
  const scripts: { at: number; commands: RegExpExecArray[] }[] = [];
  for (; args[index] === "-e"; index += 2) {
    const commands = sedCommands(args[index + 1] ?? "");
    if (!commands) return undefined;
    scripts.push({ at: index + 1, commands });
  }
  const flags = args.slice(0, index);
  const plan = withOneFile(flags, args.slice(index), "text");
  const hasNumbers = scripts.some(({ commands }) => commands.some(({ groups }) => groups?.first));
  if (!plan || !hasNumbers) return plan;
  const argsOf = (place: Place) => {
    const placed = [...flags];
    for (const { at, commands } of scripts)
      placed[at] = commands.map((each) => atPlace(each, place)).join("");
    return placed;
  };
  return { ...plan, argsOf };
}

function sedCommands(script: string): RegExpExecArray[] | undefined {
  const commands: RegExpExecArray[] = [];
  SED_COMMAND.lastIndex = 0;
  while (SED_COMMAND.lastIndex < script.length) {
    const command = SED_COMMAND.exec(script);
    if (!command) return undefined;
    commands.push(command);
  }
  return commands;
}

/** The command with the numbers that its lines have in a piece; nothing if it chooses none of them. */
function atPlace({ 0: text, groups = {} }: RegExpExecArray, { linesBefore, lines, isLast }: Place): string {
  const { first, second, not = "", body = "" } = groups;
  if (first === undefined) return text;
  const end = isLast ? lines : Number.POSITIVE_INFINITY;
  const numberOf = (address: string) => (address === "$" ? end : Number(address) - linesBefore);
  const from = numberOf(first);
  const to = second === undefined ? from : Math.max(from, numberOf(second));
  if (to < 1 || from > lines) return not ? body : "";
  return `${Math.max(1, from)},${Math.min(to, lines)}${not}${body}`;
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
  for (const [index, piece] of pieces.entries()) {
    const text = toByteString(piece);
    const isLast = index === pieces.length - 1;
    const newlines = text.split("\n").length - 1;
    const place = { linesBefore: lines, lines: newlines + (text.endsWith("\n") ? 0 : 1), isLast };
    const result = await context.exec(name, {
      cwd: context.cwd,
      args: plan.argsOf?.(place) ?? plan.args,
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
    lines += newlines;
    await shell.context.slice.rest();
  }
  if (plan.output === "count") await output.write(new TextEncoder().encode(`${count}\n`));
  return output.result(exitCode);
}

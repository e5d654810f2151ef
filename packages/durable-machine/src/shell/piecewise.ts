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
}

interface Place {
  linesBefore: number;
  lines: number;
  isLast: boolean;
}

/** A command of sed that concerns one line, chosen by its number, by a regular expression or not. */
const SED_COMMAND =
  /\s*(?:(?<first>[1-9]\d*|\$)(?:,(?<second>\d+|\$))?\s*(?:(?<not>!)\s*)?|\/(?:[^/\\]|\\.)*\/I?\s*(?:!\s*)?)?(?<body>(?:[dp]|([sy])([^\s\w\\])(?:(?!\6)[^\\\n]|\\.)*\6(?:(?!\6)[^\\\n]|\\.)*\6[gIp\d]*)[ \t]*(?:[;\n]|$))|[;\s]+/y;

/** @returns undefined where pieces would give another result. */
export function sedPiecewise(args: readonly string[]): Piecewise | undefined {
  let index = args.findIndex((arg) => !/^-[nE]$/.test(arg));
  const scripts: { at: number; commands: RegExpExecArray[] }[] = [];
  for (; args[index] === "-e"; index += 2) {
    const commands = sedCommands(args[index + 1] ?? "");
    if (!commands) return undefined;
    scripts.push({ at: index + 1, commands });
  }
  const flags = args.slice(0, index);
  const plan = withOneFile(flags, args.slice(index));
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

function withOneFile(args: string[], [file, ...others]: readonly string[]): Piecewise | undefined {
  if (others.length > 0 || /^-./.test(file ?? "")) return undefined;
  return { args, file: file === "-" ? undefined : file };
}

const NEWLINE = 0x0a;

export const PIECES_PER_LIMIT = 8;

/** The longest pieces of whole lines, or single lines. @returns undefined if a line is longer than the limit. */
export function splitAtLines(
  bytes: Uint8Array,
  pieceBytes: number,
  limitBytes: number,
): Uint8Array[] | undefined {
  const pieces: Uint8Array[] = [];
  let start = 0;
  while (start < bytes.length) {
    const furthest = start + pieceBytes;
    let end = furthest >= bytes.length ? bytes.length : bytes.lastIndexOf(NEWLINE, furthest - 1) + 1;
    if (end <= start) end = bytes.indexOf(NEWLINE, furthest) + 1 || bytes.length;
    if (end - start > limitBytes) return undefined;
    pieces.push(bytes.subarray(start, end));
    start = end;
  }
  return pieces;
}

export async function runPiecewise(
  shell: Shell,
  name: string,
  plan: Piecewise,
  context: ResolvedCommandContext,
  limitBytes: number,
): Promise<ExecResult | undefined> {
  const bytes =
    plan.file === undefined
      ? writtenBytes(String(context.stdin), "binary")
      : await shell.files.readFileBuffer(joinPath(context.cwd, plan.file));
  const pieces = splitAtLines(bytes, limitBytes / PIECES_PER_LIMIT, limitBytes);
  if (!pieces || !context.exec) return undefined;
  const output = shell.outputOf(context);
  let exitCode = 1;
  let lines = 0;
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
    const isBytes = result.stdoutKind === "bytes" || result.stdoutEncoding === "binary";
    await output.write(writtenBytes(result.stdout, isBytes ? "binary" : "utf8"));
    lines += newlines;
    await shell.context.slice.rest();
  }
  return output.result(exitCode);
}

/** How a command can work through its input in pieces of whole lines, and what its results make together. */
export interface Piecewise {
  /** The arguments without files: each piece comes as standard input. */
  args: string[];
  /** The file that is its input; undefined: its standard input. */
  file: string | undefined;
  results: "output" | "count" | "line numbers";
}

/**
 * @param args as `bundledArguments` returns them.
 * @returns undefined: in pieces, the command would do something else.
 */
export function piecewise(name: string, args: readonly string[]): Piecewise | undefined {
  if (name.endsWith("grep")) return grepPiecewise(args);
  return name === "sed" ? sedPiecewise(args) : undefined;
}

function grepPiecewise(args: readonly string[]): Piecewise | undefined {
  const end = args.lastIndexOf("--");
  const [file, ...others] = args.slice(end + 1);
  const expression = args.indexOf("-e");
  const flags = args.slice(0, expression);
  // Options of which each concerns a line alone.
  if (expression === -1 || expression + 2 !== end || others.length > 0) return undefined;
  if (!flags.every((flag) => /^-[EFPivowxhcnq]$/.test(flag))) return undefined;
  const [isCount, isNumbered] = [flags.includes("-c"), flags.includes("-n")];
  if (isCount && isNumbered) return undefined;
  const results = isCount ? "count" : isNumbered ? "line numbers" : "output";
  return { args: args.slice(0, end), file: file === "-" ? undefined : file, results };
}

/** Commands of sed that concern each line alone, at lines that a regular expression chooses. */
const SED_COMMAND =
  /^\s*(?:\/(?:[^/\\]|\\.)*\/I?\s*!?\s*)?(?:[dp]|([sy])([^\s\w\\])(?:(?!\2)[^\\\n]|\\.)*\2(?:(?!\2)[^\\\n]|\\.)*\2[gIp\d]*)\s*(?:;|\n|$)/;

function sedPiecewise(args: readonly string[]): Piecewise | undefined {
  let index = 0;
  while (/^-[nE]$/.test(args[index] ?? "")) index++;
  for (; args[index] === "-e"; index += 2) if (!isStateless(args[index + 1] ?? "")) return undefined;
  const [file, ...others] = args.slice(index);
  if (others.length > 0 || /^-./.test(file ?? "")) return undefined;
  return { args: args.slice(0, index), file: file === "-" ? undefined : file, results: "output" };
}

function isStateless(script: string): boolean {
  let rest = script;
  while (rest.trim() !== "") {
    const [command] = SED_COMMAND.exec(rest) ?? [];
    if (command === undefined) return false;
    rest = rest.slice(command.length);
  }
  return true;
}

const NEWLINE = 0x0a;

/** Bytes in pieces of whole lines; undefined: a line is longer than a piece may be. */
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

export function countLines(bytes: Uint8Array): number {
  let lines = 0;
  for (const byte of bytes) if (byte === NEWLINE) lines++;
  return lines;
}

export function renumber(text: string, linesBefore: number): string {
  return text.replace(/^(\d+)([:-])/gm, (_, number, mark) => `${Number(number) + linesBefore}${mark}`);
}

/** How a command can work through its input in pieces of whole lines, and what its results make together. */
export interface Piecewise {
  /** The arguments without files: each piece comes as standard input. */
  args: string[];
  /** The file that is its input; undefined: its standard input. */
  file: string | undefined;
  results: "output" | "count" | "line numbers";
  /** Which exit code the whole has: that of the last piece, or 0 where any piece has it, as of what searches. */
  exitCode: "last" | "any";
}

/** @returns undefined: in pieces, the command would do something else. */
export function piecewise(name: string, args: readonly string[]): Piecewise | undefined {
  switch (name) {
    case "grep":
    case "egrep":
    case "fgrep":
      return grepPiecewise(args);
    case "sed":
      return sedPiecewise(args);
    case "tr":
      // Squeezing looks back over the end of a piece.
      return args.some((arg) => /^-\w*s|^--squeeze/.test(arg)) ? undefined : plain(args, undefined);
    default:
      return undefined;
  }
}

function plain(args: readonly string[], file: string | undefined): Piecewise {
  return { args: [...args], file: file === "-" ? undefined : file, results: "output", exitCode: "last" };
}

/** Options of grep that concern each line alone. */
const GREP_FLAGS = /^-[EFGPivowxhsacnq]+$/;

function grepPiecewise(args: readonly string[]): Piecewise | undefined {
  const flags: string[] = [];
  const operands: string[] = [];
  let hasPattern = false;
  for (let index = 0; index < args.length; index++) {
    const arg = args[index] ?? "";
    if (arg === "-e") {
      flags.push(arg, args[++index] ?? "");
      hasPattern = true;
    } else if (GREP_FLAGS.test(arg)) flags.push(arg);
    else if (arg.startsWith("-") && arg !== "-") return undefined;
    else operands.push(arg);
  }
  const pattern = hasPattern ? [] : operands.splice(0, 1);
  if (operands.length > 1) return undefined;
  const letters = flags.filter((flag) => GREP_FLAGS.test(flag)).join("");
  const isCount = letters.includes("c");
  const isNumbered = letters.includes("n");
  if (isCount && isNumbered) return undefined;
  return {
    ...plain([...flags, ...pattern.flatMap((text) => ["-e", text])], operands[0]),
    results: isCount ? "count" : isNumbered ? "line numbers" : "output",
    exitCode: "any",
  };
}

/** Commands of sed that concern each line alone, at lines that a regular expression chooses. */
const SED_COMMAND =
  /^\s*(?:\/(?:[^/\\]|\\.)*\/I?\s*!?\s*)?(?:[dp]|([sy])([^\s\w\\])(?:(?!\2)[^\\\n]|\\.)*\2(?:(?!\2)[^\\\n]|\\.)*\2[gIp\d]*)\s*(?:;|\n|$)/;

function sedPiecewise(args: readonly string[]): Piecewise | undefined {
  const flags: string[] = [];
  const operands: string[] = [];
  const scripts: string[] = [];
  for (let index = 0; index < args.length; index++) {
    const arg = args[index] ?? "";
    if (arg === "-e") scripts.push(args[++index] ?? "");
    else if (/^-[nEr]+$/.test(arg)) flags.push(arg);
    else if (arg.startsWith("-") && arg !== "-") return undefined;
    else operands.push(arg);
  }
  if (scripts.length === 0) scripts.push(...operands.splice(0, 1));
  if (operands.length > 1 || !scripts.every(isStateless)) return undefined;
  return plain([...flags, ...scripts.flatMap((script) => ["-e", script])], operands[0]);
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

/** What grep says of lines, with the numbers that they have in the whole. */
export function renumber(text: string, linesBefore: number): string {
  return text.replace(/^(\d+)([:-])/gm, (_, number, mark) => `${Number(number) + linesBefore}${mark}`);
}

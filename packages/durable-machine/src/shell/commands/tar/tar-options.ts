import type { Invocation } from "../invocation.ts";
import { type OptionPattern, type ParsedOptions, UsageError } from "../options.ts";

const FAILURE = 2;

export type TarMode = "create" | "extract" | "list" | "append";

const PATTERNS: readonly OptionPattern[] = [
  "A,catenate",
  "c,create",
  "d,diff",
  ",delete",
  "r,append",
  "t,list",
  "u,update",
  "x,extract",
  ",get",
  "a,auto-compress",
  "b,blocking-factor=",
  "C,directory=",
  ",exclude=",
  "X,exclude-from=",
  "f,file=",
  "T,files-from=",
  ",format=",
  ",full-time",
  ",group=",
  "h,dereference",
  "j,bzip2",
  "J,xz",
  "k,keep-old-files",
  "m,touch",
  ",mtime=",
  ",no-recursion",
  ",no-same-owner",
  ",no-same-permissions",
  ",numeric-owner",
  "o",
  "O,to-stdout",
  ",one-top-level=?",
  ",overwrite",
  ",owner=",
  "p,preserve-permissions",
  ",same-owner",
  ",same-permissions",
  ",skip-old-files",
  ",sort=",
  ",strip-components=",
  ",totals",
  "U,unlink-first",
  "v,verbose",
  ",wildcards",
  ",no-wildcards",
  "z,gzip",
  ",gunzip",
  "Z,compress",
  ",zstd",
  ",lzma",
];

const MODES: Record<string, TarMode> = { c: "create", x: "extract", get: "extract", t: "list", r: "append" };

/** Compressions that the machine has no program for. */
const MISSING_PROGRAMS: Record<string, string> = {
  j: "bzip2",
  J: "xz",
  Z: "compress",
  zstd: "zstd",
  lzma: "lzma",
};

/** A file to be archived, or a member that is asked for, and the directory in which it is. */
export interface TarOperand {
  name: string;
  /** Undefined: the working directory. */
  directory: string | undefined;
}

export interface TarRequest {
  mode: TarMode;
  /** The archive; `-` is standard input or output. */
  archive: string;
  gzip: boolean;
  operands: readonly TarOperand[];
  /** Where members go. */
  directory: string | undefined;
  options: ParsedOptions;
  verbosity: number;
  excluded: readonly string[];
  strippedParts: number;
}

/** The first word may be options without their dash, whose values follow in their order: `tar xzf FILE -C DIRECTORY`. */
export function withDash(args: readonly string[]): string[] {
  const [first, ...rest] = args;
  if (first === undefined || first.startsWith("-")) return [...args];
  const takesValue = new Set(
    PATTERNS.filter((pattern) => /^.,.*=$/.test(pattern)).map((pattern) => pattern.charAt(0)),
  );
  const words: string[] = [];
  for (const letter of first) {
    words.push(`-${letter}`);
    if (takesValue.has(letter)) words.push(...rest.splice(0, 1));
  }
  return [...words, ...rest];
}

/** Files are taken from the directory that was named last before them. */
function readOperands(options: ParsedOptions): { operands: TarOperand[]; directory: string | undefined } {
  const operands: TarOperand[] = [];
  let directory: string | undefined;
  for (const { key, value } of options.given) {
    if (key === "C" && value !== undefined) {
      directory = directory === undefined || value.startsWith("/") ? value : `${directory}/${value}`;
    }
    if (key === "" && value !== undefined) operands.push({ name: value, directory });
  }
  return { operands, directory };
}

/** Options that there are, used wrongly. */
function misuse(message: string): UsageError {
  return new UsageError(message, { exitCode: FAILURE });
}

function chooseMode(options: ParsedOptions): TarMode {
  const modes = ["c", "x", "get", "t", "r", "A", "d", "delete", "u"].filter((key) => options.has(key));
  const [key] = modes;
  if (key === undefined) {
    throw misuse("You must specify one of the '-Acdtrux', '--delete' or '--test-label' options");
  }
  const mode = MODES[key];
  if (mode === undefined) throw misuse("only -c, -r, -t and -x are supported on this machine");
  if (new Set(modes.map((each) => MODES[each])).size > 1) {
    throw new UsageError(
      "You may not specify more than one '-Acdtrux', '--delete' or  '--test-label' option",
    );
  }
  return mode;
}

/** @throws UsageError */
export function readTarRequest(invocation: Invocation): TarRequest {
  const options = invocation.options(PATTERNS, { args: withDash(invocation.args), keepsOrder: true });
  const mode = chooseMode(options);
  const archive = options.value("f") ?? "-";
  const missing = Object.keys(MISSING_PROGRAMS).find((key) => options.has(key));
  if (missing !== undefined) {
    throw new UsageError(`${MISSING_PROGRAMS[missing]}: not available on this machine`, {
      hint: false,
      exitCode: FAILURE,
    });
  }
  const strip = options.value("strip-components") ?? "0";
  if (!/^\d+$/.test(strip))
    throw new UsageError(`${strip}: Invalid number of elements`, { hint: false, exitCode: FAILURE });
  const writes = mode === "create";
  return {
    mode,
    archive,
    gzip: options.has("z", "gunzip") || (writes && options.has("a") && /\.t?gz$/.test(archive)),
    ...readOperands(options),
    options,
    verbosity: options.given.filter(({ key }) => key === "v").length,
    excluded: options.values("exclude"),
    strippedParts: Number(strip),
  };
}

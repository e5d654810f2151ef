import type { Invocation } from "../invocation.ts";
import { type ParsedOptions, UsageError } from "../options.ts";

const FAILURE = 2;

const UNSUPPORTED_MODES = ["A,catenate", "d,diff", ",delete", "r,append", "u,update"];

/** Options of compressions, by the programs that the machine does not have. */
const MISSING_PROGRAMS: Record<string, string> = {
  j: "bzip2",
  J: "xz",
  Z: "compress",
  zstd: "zstd",
};

const PATTERNS = [
  ...["c,create", "t,list", "x,extract", ",get", ...UNSUPPORTED_MODES],
  ...["a,auto-compress", "z,gzip", ",gunzip", "j,bzip2", "J,xz", "Z,compress", ",zstd"],
  ...["f,file=", "C,directory=", "T,files-from=", "X,exclude-from=", ",exclude=", "v,verbose"],
  ...["h,dereference", ",no-recursion", ",sort=", ",format=", ",owner=", ",group=", ",numeric-owner"],
  ...[
    "k,keep-old-files",
    ",skip-old-files",
    ",overwrite",
    "m,touch",
    "O,to-stdout",
    "p,preserve-permissions",
  ],
  ...["o", ",same-owner", ",no-same-owner", ",same-permissions", ",no-same-permissions"],
  ...[",strip-components=", ",wildcards", ",no-wildcards", ",warning="],
];

/** A file to be packed, or a member that is asked for, and the directory in which it is. */
export interface TarOperand {
  name: string;
  /** Undefined: the working directory. */
  directory: string | undefined;
}

export interface TarRequest {
  mode: "create" | "extract" | "list";
  /** The archive; `-` is standard input or output. */
  archive: string;
  gzip: boolean;
  operands: readonly TarOperand[];
  /** Where members go. */
  directory: string | undefined;
  options: ParsedOptions;
  verbosity: number;
  /** Patterns of names. */
  excluded: readonly string[];
  strippedParts: number;
  /** The number of the user whom packed files shall belong to. Undefined: their own. */
  owner: number | undefined;
  group: number | undefined;
}

/** The first word may be options without a dash, whose values follow in their order: `tar xzf FILE`. */
function withDash(args: readonly string[]): string[] {
  const [first, ...rest] = args;
  if (first === undefined || first.startsWith("-")) return [...args];
  const takesValue = (letter: string) =>
    PATTERNS.some((pattern) => pattern.startsWith(`${letter},`) && pattern.endsWith("="));
  const words = [...first].flatMap((letter) => [
    `-${letter}`,
    ...(takesValue(letter) ? rest.splice(0, 1) : []),
  ]);
  return [...words, ...rest];
}

/** Files are taken from the directory that was named last before them. */
function readOperands(options: ParsedOptions): Pick<TarRequest, "operands" | "directory"> {
  const operands: TarOperand[] = [];
  let directory: string | undefined;
  for (const { key, value = "" } of options.given) {
    if (key === "C")
      directory = directory === undefined || value.startsWith("/") ? value : `${directory}/${value}`;
    if (key === "") operands.push({ name: value, directory });
  }
  return { operands, directory };
}

function readMode(options: ParsedOptions): TarRequest["mode"] {
  const modes = { create: options.has("c"), extract: options.has("x", "get"), list: options.has("t") };
  const { create, extract, list } = modes;
  const fail = (message: string) => new UsageError(message, { exitCode: FAILURE });
  if (options.has("A", "d", "delete", "r", "u"))
    throw fail("only -c, -t and -x are supported on this machine");
  if (Number(create) + Number(extract) + Number(list) > 1) {
    throw fail("You may not specify more than one '-Acdtrux', '--delete' or  '--test-label' option");
  }
  if (create) return "create";
  if (extract) return "extract";
  if (list) return "list";
  throw fail("You must specify one of the '-Acdtrux', '--delete' or '--test-label' options");
}

/** The number of a user or a group. @throws UsageError */
function readId(
  text: string | undefined,
  kind: string,
  find: (name: string) => number | undefined,
): number | undefined {
  if (text === undefined) return undefined;
  const id = find(text) ?? (/^\d+$/.test(text) ? Number(text) : undefined);
  if (id === undefined) throw new UsageError(`${text}: Invalid ${kind}`, { hint: false, exitCode: FAILURE });
  return id;
}

/** @throws UsageError */
export function readTarRequest(invocation: Invocation): TarRequest {
  const options = invocation.options(PATTERNS, { args: withDash(invocation.args), keepsOrder: true });
  const mode = readMode(options);
  const archive = options.value("f") ?? "-";
  const missing = Object.keys(MISSING_PROGRAMS).find((key) => options.has(key));
  const strip = options.value("strip-components") ?? "0";
  const problem =
    missing !== undefined
      ? `${MISSING_PROGRAMS[missing]}: not available on this machine`
      : /^\d+$/.test(strip)
        ? undefined
        : `${strip}: Invalid number of elements`;
  if (problem !== undefined) throw new UsageError(problem, { hint: false, exitCode: FAILURE });
  const { users } = invocation.environment;
  return {
    mode,
    archive,
    gzip: options.has("z", "gunzip") || (mode === "create" && options.has("a") && /\.t?gz$/.test(archive)),
    ...readOperands(options),
    options,
    verbosity: options.given.filter(({ key }) => key === "v").length,
    excluded: options.values("exclude"),
    strippedParts: Number(strip),
    owner: readId(options.value("owner"), "owner", (name) => users.find(name)?.uid),
    group: readId(options.value("group"), "group", (name) => users.findGroup(name)),
  };
}

import type { CommandContext } from "just-bash/browser";
import { rewriteAwkNumbers } from "./awk-numbers.ts";
import { rewriteAwk } from "./awk-program.ts";
import { type ParsedOptions, parseOptions, UsageError } from "./commands/options.ts";
import { parseDate } from "./commands/parse-date.ts";
import { rewriteJq } from "./jq-program.ts";
import { joinPath } from "./paths.ts";
import { ProgramError } from "./program-error.ts";

export const MAX_PROGRAM_LENGTH = 16 * 1024;

type CallContext = Pick<CommandContext, "fs" | "cwd" | "env">;
type Translate = (args: readonly string[], context: CallContext) => Promise<string[]> | string[];

const TRANSLATIONS: Readonly<Record<string, Translate>> = {
  awk: awkArguments,
  date: dateArguments,
  jq: jqArguments,
  sed: sedArguments,
};

/** Translates a command line. @throws UsageError where the bundled command itself should report the error. */
export async function bundledArguments(
  name: string,
  args: readonly string[],
  context: CallContext,
): Promise<string[]> {
  return (await TRANSLATIONS[name]?.(args, context)) ?? [...args];
}

const SPECIAL = String.raw`[.|+*?^$()[\]{}]`;
const IS_SPECIAL = new RegExp(`^${SPECIAL}$`);

/** `FS="|"`, `FS=OFS="|"` or `OFS=FS="|"`. */
const SEPARATOR_ASSIGNMENT = new RegExp(
  String.raw`\b(OFS\s*=\s*)?\bFS\s*=\s*(OFS\s*=\s*)?"(${SPECIAL})"(?=\s*(?:[;}\n]|$))`,
  "g",
);

/** `split(text, parts, ", *")`, whose separator is a regular expression. */
const SPLIT_AT_PATTERN = /(\bsplit\s*\([^();{}\n"]*,\s*)"([^"\\/]{2,})"(?=\s*\))/g;

/** `split(text, parts)`, which splits at the separator of fields. */
const SPLIT_AT_FIELDS = /(\bsplit\s*\([^(),;{}\n"]*,\s*\w+\s*)(?=\))/g;

const OWN_RECORDS = "records that do not end with a line break are not supported";

const ASSIGNMENT = /^([A-Za-z_]\w*)=(.*)$/s;

/** A one-character separator stands for itself in awk. The bundled awk reads it as a regular expression. */
async function awkArguments(args: readonly string[], { fs, cwd }: CallContext): Promise<string[]> {
  const options = parseOptions(args, "F,field-separator= f,file= v,assign=", { operandsEndOptions: true });
  const operands = [...options.operands];
  const files = await Promise.all(options.values("f").map((path) => fs.readFile(joinPath(cwd, path))));
  const program = files.length > 0 ? files.join("\n") : operands.shift();
  if (program === undefined) return [...args];
  let separator = options.value("F");
  let prologue = "";
  const flags: string[] = [];
  const assign = (assigned: string) => {
    const [, name = "", value = ""] = ASSIGNMENT.exec(assigned) ?? [];
    if (name === "RS" && value !== "\\n") throw new ProgramError(OWN_RECORDS);
    if (name === "FS") separator = value;
    // The bundled awk ignores assignments to these on its command line.
    else if (/^(?:CONVFMT|NR|OFMT|OFS|ORS|SUBSEP)$/.test(name))
      prologue += `${name}=${stringLiteral(value)};`;
    else flags.push("-v", assigned);
  };
  options.values("v").forEach(assign);
  while (operands[0] !== undefined && ASSIGNMENT.test(operands[0])) assign(operands.shift() ?? "");
  if (/\bRS\s*=(?!=)(?!\s*"\\n")/.test(program)) throw new ProgramError(OWN_RECORDS);
  let text = program
    .replace(/>>?[ \t]*"\/dev\/stdout"/g, "")
    .replace(SEPARATOR_ASSIGNMENT, (_, before, between, character: string) =>
      before || between ? `FS="\\\\${character}";OFS="${character}"` : `FS="\\\\${character}"`,
    )
    .replace(SPLIT_AT_PATTERN, (_, before: string, pattern: string) => `${before}/${pattern}/`);
  if (separator !== undefined && IS_SPECIAL.test(separator)) {
    flags.push("-F", `\\${separator}`);
    text = text
      .replace(/\bOFS\s*=\s*FS\b(?!\s*=)/g, () => `OFS="${separator}"`)
      .replace(SPLIT_AT_FIELDS, (split) => `${split},"${separator}"`);
  } else if (separator !== undefined) flags.push("-F", separator);
  if (prologue !== "") text = `BEGIN{${prologue}}\n${text}`;
  text = rewriteProgram(text, (program) => rewriteAwkNumbers(rewriteAwk(program, separator !== undefined)));
  const inputs = operands.length === 1 && operands[0] === "-" ? [] : operands;
  return [...flags, text, ...inputs];
}

function stringLiteral(text: string): string {
  return `"${text.replace(/"/g, '\\"').replace(/\n/g, "\\n")}"`;
}

const DATE_OPTIONS = "d,date= r,reference= u,utc R,rfc-email ,rfc-3339= I,iso-8601=?";

const ISO_FORMATS: Readonly<Record<string, string>> = {
  date: "+%F",
  hours: "+%FT%H%:z",
  minutes: "+%FT%H:%M%:z",
  seconds: "+%FT%T%:z",
  ns: "+%FT%T,%N%:z",
};

async function dateArguments(args: readonly string[], { fs, cwd, env }: CallContext): Promise<string[]> {
  const options = parseOptions(args, DATE_OPTIONS);
  const isUtc = options.has("u") || /^(?:|UTC0?|Etc\/UTC|GMT)$/.test(env.get("TZ") ?? "");
  const flags = isUtc ? ["-u"] : [];
  if (options.has("R")) flags.push("-R");
  const date = options.value("d");
  const reference = options.value("r");
  if (date !== undefined) flags.push("-d", readableDate(date, isUtc));
  else if (reference !== undefined) {
    flags.push("-d", atSeconds((await fs.stat(joinPath(cwd, reference))).mtime.getTime()));
  }
  const formats = [...isoFormat(options), ...options.operands];
  return [...flags, ...formats.map((format) => (isUtc ? format.replaceAll("%:z", "+00:00") : format))];
}

/** Dates that do not depend on a time zone become seconds. */
function readableDate(text: string, isUtc: boolean): string {
  const isRelative = !/\d{4}|:|\//.test(text);
  const milliseconds = isUtc || isRelative ? parseDate(text, Date.now()) : undefined;
  return milliseconds === undefined ? text : atSeconds(milliseconds);
}

function atSeconds(milliseconds: number): string {
  return `@${Math.floor(milliseconds / 1000)}`;
}

function isoFormat(options: ParsedOptions): string[] {
  if (!options.has("I", "rfc-3339")) return [];
  const precision = options.value("rfc-3339") ?? options.value("I") ?? "date";
  const format = Object.entries(ISO_FORMATS).find(([name]) => name.startsWith(precision))?.[1];
  if (format === undefined) throw new UsageError(`invalid argument '${precision}'`);
  return [options.has("I") ? format : format.replace("T", " ").replace(",", ".")];
}

/** Each quote and slash may be compared with the rest of the program. @throws ProgramError */
export function rewriteProgram(program: string, rewrite: (program: string) => string): string {
  if (program.length > MAX_PROGRAM_LENGTH)
    throw new ProgramError(`the program has more than ${MAX_PROGRAM_LENGTH} characters`);
  try {
    return rewrite(program);
  } catch (error) {
    throw error instanceof RangeError ? new ProgramError("the program is nested too deeply") : error;
  }
}

function jqArguments(given: readonly string[]): string[] {
  const args = [...given];
  let index = 0;
  while (args[index]?.startsWith("-")) {
    index += /^--(?:arg|argjson|rawfile|slurpfile)$/.test(args[index] ?? "") ? 3 : 1;
  }
  const program = args[index];
  if (program !== undefined) args[index] = rewriteProgram(program, rewriteJq);
  // The bundled jq quotes text that it joins.
  const joins = given.some((arg) => arg === "--join-output" || /^-[a-zA-Z]*j/.test(arg));
  return joins ? ["-r", ...args] : args;
}

const SED_OPTIONS =
  "n,quiet ,silent E,regexp-extended r i,in-place=? e,expression= f,file= s,separate u,unbuffered ,posix";

/** Also makes the copies of `-i.bak`, which the bundled sed does not. */
async function sedArguments(args: readonly string[], { fs, cwd }: CallContext): Promise<string[]> {
  const options = parseOptions(args, SED_OPTIONS);
  const operands = [...options.operands];
  const scripts = options.given.flatMap(({ key, value = "" }) =>
    key === "e" || key === "f" ? [`-${key}`, value] : [],
  );
  if (scripts.length === 0) scripts.push(...operands.splice(0, 1).flatMap((script) => ["-e", script]));
  if (options.has("s") && !options.has("i") && operands.length > 1) {
    throw new UsageError("files cannot be separated");
  }
  const suffix = options.value("i");
  if (suffix !== undefined) {
    for (const file of operands) await fs.cp(joinPath(cwd, file), joinPath(cwd, file + suffix));
  }
  const flags = [
    ...(options.has("n", "silent") ? ["-n"] : []),
    ...(options.has("E", "r") ? ["-E"] : []),
    ...(options.has("i") ? ["-i"] : []),
  ];
  return [...flags, ...scripts, ...operands];
}

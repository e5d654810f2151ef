import { type ParsedOptions, parseOptions, UsageError } from "./commands/options.ts";
import { parseDate } from "./commands/parse-date.ts";

/** What the translation of a command line needs of the files. Paths are as they stand on the command line. */
export interface CallFiles {
  readText(path: string): Promise<string>;
  /** Keeps a file's contents under another name as well. @throws FileError */
  copy(path: string, to: string): Promise<void>;
  /** In milliseconds since the epoch. @throws FileError */
  modifiedAt(path: string): Promise<number>;
  /** The zone that times are given in, as TZ names it. */
  readonly zone: string;
}

type Translate = (args: readonly string[], files: CallFiles) => Promise<string[]> | string[];

const TRANSLATIONS: ReadonlyMap<string, Translate> = new Map<string, Translate>([
  ["awk", awkArguments],
  ["date", dateArguments],
  ["egrep", grepArguments],
  ["fgrep", grepArguments],
  ["grep", grepArguments],
  ["sed", sedArguments],
]);

/**
 * The command line with which a bundled command does what the usual program does with the given one: bundled
 * commands know fewer options, and take some of them otherwise.
 *
 * @throws UsageError where the bundled command reports itself what it does not know; FileError.
 */
export async function bundledArguments(
  name: string,
  args: readonly string[],
  files: CallFiles,
): Promise<string[]> {
  return (await TRANSLATIONS.get(name)?.(args, files)) ?? [...args];
}

const SPECIAL = String.raw`[.|+*?^$()[\]{}]`;

/** A string of one such character, at the end of a statement of awk. */
const LITERAL = String.raw`"(${SPECIAL})"(?=\s*(?:[;}\n]|$))`;

const FIELD_SEPARATOR = new RegExp(String.raw`(?<!=\s*)\bFS\s*=\s*${LITERAL}`, "g");
const BOTH_SEPARATORS = new RegExp(String.raw`\b(?:FS\s*=\s*OFS|OFS\s*=\s*FS)\s*=\s*${LITERAL}`, "g");

/** `split(text, parts, ", *")`: of a separator that is a regular expression. */
const SPLIT_AT_PATTERN = /(\bsplit\s*\([^();{}\n"]*,\s*)"([^"\\/]{2,})"(?=\s*\))/g;

const SPLIT_AT_FIELDS = /(\bsplit\s*\([^(),;{}\n"]*,\s*\w+\s*)(?=\))/g;

const ASSIGNMENT = /^([A-Za-z_]\w*)=(.*)$/s;

/** In awk a separator of one character stands for itself; the bundled one takes it for a regular expression. */
async function awkArguments(args: readonly string[], files: CallFiles): Promise<string[]> {
  const options = parseOptions(args, ["F,field-separator=", "f,file=", "v,assign="], {
    operandsEndOptions: true,
  });
  const operands = [...options.operands];
  const sources: string[] = [];
  for (const path of options.values("f")) sources.push(await files.readText(path));
  const program = sources.length > 0 ? sources.join("\n") : operands.shift();
  if (program === undefined) return [...args];
  let separator = options.value("F");
  // The standard's exception: the letter means a tab.
  if (separator === "t") separator = "\t";
  let prologue = "";
  const flags: string[] = [];
  const assign = (assigned: string) => {
    const [, name = "", value = ""] = ASSIGNMENT.exec(assigned) ?? [];
    if (name === "FS") separator = value;
    // The bundled awk keeps these beside the others, so that an assignment of the command line misses them.
    else if (/^(?:NR|OFMT|OFS|ORS|SUBSEP)$/.test(name)) prologue += `${name}=${stringLiteral(value)};`;
    else flags.push("-v", assigned);
  };
  for (const assigned of options.values("v")) assign(assigned);
  // Assignments in front of all files hold for all that is read.
  while (operands[0] !== undefined && ASSIGNMENT.test(operands[0])) assign(operands.shift() ?? "");
  const text = withSeparators(program, separator);
  const isSpecial = separator !== undefined && new RegExp(`^${SPECIAL}$`).test(separator);
  if (separator !== undefined) flags.push("-F", isSpecial ? `\\${separator}` : separator);
  const inputs = operands.length === 1 && operands[0] === "-" ? [] : operands;
  return [...flags, prologue === "" ? text : `BEGIN{${prologue}}\n${text}`, ...inputs];
}

/** Separators in a program's text as the bundled awk takes them. @param given of the command line. */
function withSeparators(program: string, given: string | undefined): string {
  const text = program
    .replace(BOTH_SEPARATORS, (_, character: string) => `FS="\\\\${character}";OFS="${character}"`)
    .replace(FIELD_SEPARATOR, (_, character: string) => `FS="\\\\${character}"`)
    .replace(SPLIT_AT_PATTERN, (_, before: string, pattern: string) => `${before}/${pattern}/`);
  // The program is not to see how its separator is written for the bundled awk.
  if (given === undefined || !new RegExp(`^${SPECIAL}$`).test(given)) return text;
  return text
    .replace(/\bOFS\s*=\s*FS\b(?!\s*=)/g, () => `OFS="${given}"`)
    .replace(SPLIT_AT_FIELDS, (split) => `${split},"${given}"`);
}

function stringLiteral(text: string): string {
  return `"${text.replace(/"/g, '\\"').replace(/\n/g, "\\n")}"`;
}

const TIMES_OF_DAY: Record<string, string> = {
  date: "",
  hours: "%H%:z",
  minutes: "%H:%M%:z",
  seconds: "%T%:z",
  ns: "%T,%N%:z",
};

const DATE_OPTIONS = [
  "d,date=",
  "r,reference=",
  "u,utc",
  ",universal",
  "R,rfc-email",
  ",rfc-3339=",
  "I=?",
  ",iso-8601=?",
];

/** The bundled date reads few dates, and has no zone with a colon. */
async function dateArguments(args: readonly string[], files: CallFiles): Promise<string[]> {
  const options = parseOptions(args, DATE_OPTIONS);
  const isUtc = options.has("u", "universal") || /^(?:|UTC0?|Etc\/UTC|GMT)$/.test(files.zone);
  const flags = isUtc ? ["-u"] : [];
  if (options.has("R")) flags.push("-R");
  const date = options.value("d");
  const reference = options.value("r");
  if (date !== undefined) flags.push("-d", knownDate(date, isUtc));
  else if (reference !== undefined) flags.push("-d", atSeconds(await files.modifiedAt(reference)));
  const formats = [...isoFormat(options), ...options.operands];
  return [...flags, ...formats.map((format) => (isUtc ? format.replaceAll("%:z", "+00:00") : format))];
}

/** A date in a form that the bundled date reads: as seconds, where they do not depend on a zone of its own. */
function knownDate(text: string, isUtc: boolean): string {
  const isRelative = !/\d{4}|:|\//.test(text);
  const milliseconds = isUtc || isRelative ? parseDate(text, Date.now()) : undefined;
  return milliseconds === undefined ? text : atSeconds(milliseconds);
}

function atSeconds(milliseconds: number): string {
  return `@${Math.floor(milliseconds / 1000)}`;
}

function isoFormat(options: ParsedOptions): string[] {
  const isIso = options.has("I", "iso-8601");
  const rfc3339 = options.value("rfc-3339");
  if (!isIso && rfc3339 === undefined) return [];
  const given = rfc3339 ?? options.value("I") ?? options.value("iso-8601") ?? "date";
  const [precision] = Object.keys(TIMES_OF_DAY).filter((name) => given !== "" && name.startsWith(given));
  if (precision === undefined) throw new UsageError(`invalid argument '${given}'`);
  const time = TIMES_OF_DAY[precision] ?? "";
  if (time === "") return ["+%F"];
  return [rfc3339 === undefined ? `+%FT${time}` : `+%F ${time.replace(",", ".")}`];
}

const GREP_OPTIONS =
  `A,after-context= B,before-context= C,context= E,extended-regexp F,fixed-strings L,files-without-match
  P,perl-regexp c,count f,file= h,no-filename i,ignore-case l,files-with-matches m,max-count= n,line-number
  o,only-matching q,quiet r,recursive v,invert-match w,word-regexp x,line-regexp`.split(/\s+/);

/** Those that are translated, and those without effect: all input is text, and none of it is coloured. */
const GREP_OTHERS =
  `H,with-filename R,dereference-recursive e,regexp= y ,silent ,exclude= ,exclude-dir= ,include=
  G,basic-regexp I U,binary a,text d,directories= D,devices= s,no-messages ,binary-files= ,color=? ,colour=?
  ,line-buffered ,no-ignore-case`.split(/\s+/);

const GREP_SYNONYMS: Record<string, string> = { R: "-r", silent: "-q", y: "-i" };

function grepArguments(given: readonly string[]): string[] {
  const isShortContext = (arg: string, index: number) =>
    /^-\d+$/.test(arg) && !/^-\w*[ABCefm]$/.test(given[index - 1] ?? "");
  const args = given.map((arg, index) => (isShortContext(arg, index) ? `-C${arg.slice(1)}` : arg));
  const options = parseOptions(args, [...GREP_OPTIONS, ...GREP_OTHERS]);
  const operands = [...options.operands];
  const expressions = options.values("e");
  if (expressions.length === 0 && !options.has("f")) expressions.push(...operands.splice(0, 1));
  const flags = options.given.flatMap(({ key, value }) => {
    if (/^(?:exclude|include)/.test(key)) return [`--${key}=${value}`];
    const isKnown = GREP_OPTIONS.some((pattern) => pattern.startsWith(`${key},`));
    const flag = GREP_SYNONYMS[key] ?? (isKnown ? `-${key}` : undefined);
    return flag === undefined ? [] : value === undefined ? [flag] : [flag, value];
  });
  // Several patterns are one of several lines.
  const text = expressions.map((each) => (options.has("F") ? each : withBoundaries(each))).join("\n");
  const patterns = expressions.length === 0 ? [] : ["-e", text];
  return [...flags, ...patterns, "--", ...grepFiles(operands, options)];
}

/** Word boundaries, as the bundled grep writes either. */
function withBoundaries(expression: string): string {
  return expression.replace(/\\(.)/gs, (sequence, character: string) =>
    /[<>]/.test(character) ? "\\b" : sequence,
  );
}

function grepFiles(operands: string[], options: ParsedOptions): string[] {
  const isRecursive = options.has("r", "R");
  if (operands.length === 0 && isRecursive) return ["."];
  // A file's name is shown where there are several.
  const isOneWithName = options.has("H") && operands.length <= 1 && !isRecursive;
  return isOneWithName && !options.has("h", "L", "c") ? [operands[0] ?? "-", "/dev/null"] : operands;
}

/** Whether grep is to keep silent of files that it cannot read. */
export function isGrepSilent(args: readonly string[]): boolean {
  return args.some((arg) => /^-[a-zA-Z]*s/.test(arg) || arg === "--no-messages");
}

const SED_PATTERNS =
  "n,quiet ,silent E,regexp-extended r i,in-place=? e,expression= f,file= s,separate u,unbuffered l,line-length= ,posix";

/** Makes the copies of `-i.bak` too, which the bundled sed does not. */
async function sedArguments(args: readonly string[], files: CallFiles): Promise<string[]> {
  const options = parseOptions(args, SED_PATTERNS.split(" "));
  const operands = [...options.operands];
  const isInPlace = options.has("i");
  if (options.has("s") && !isInPlace && operands.length > 2) {
    throw new UsageError("files cannot be separated");
  }
  const scripts = options.given.flatMap(({ key, value = "" }) =>
    key === "e" || key === "f" ? [`-${key}`, value] : [],
  );
  if (scripts.length === 0) scripts.push(...operands.splice(0, 1).flatMap((script) => ["-e", script]));
  const suffix = options.value("i");
  if (suffix !== undefined) for (const file of operands) await files.copy(file, backupName(file, suffix));
  const flags = [
    ...(options.has("n", "silent") ? ["-n"] : []),
    ...(options.has("E", "r") ? ["-E"] : []),
    ...(isInPlace ? ["-i"] : []),
  ];
  return [...flags, ...scripts, ...operands];
}

/** What a file's copy is called: the suffix follows the name, or the name takes the place of each star. */
function backupName(file: string, suffix: string): string {
  if (!suffix.includes("*")) return file + suffix;
  const slash = file.lastIndexOf("/") + 1;
  const name = suffix.replaceAll("*", () => file.slice(slash));
  return name.includes("/") ? name : file.slice(0, slash) + name;
}

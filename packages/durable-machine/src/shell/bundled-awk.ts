import type { CallFiles } from "./bundled-arguments.ts";
import { parseOptions } from "./commands/options.ts";

/** Single characters that mean something in a regular expression. */
const SPECIAL = /^[.|+*?^$()[\]{}]$/;

/** Variables that the bundled awk keeps beside the others, so that an assignment of the command line misses them. */
const OWN_VARIABLES: ReadonlySet<string> = new Set(["NR", "OFMT", "OFS", "ORS", "SUBSEP"]);

/** A string of one character that means something in a regular expression, at the end of a statement. */
const LITERAL = String.raw`"([.|+*?^$()[\]{}])"(?=\s*(?:[;}\n]|$))`;

/** `FS = "|"` alone. */
const SEPARATOR = new RegExp(String.raw`(?<!=\s*)\bFS\s*=\s*${LITERAL}`, "g");

/** `FS = OFS = "|"`, either way round. */
const BOTH_SEPARATORS = new RegExp(String.raw`\b(?:FS\s*=\s*OFS|OFS\s*=\s*FS)\s*=\s*${LITERAL}`, "g");

/** `split(text, parts, ", *")`: of a separator that is a regular expression. */
const SPLIT_AT_PATTERN = /(\bsplit\s*\([^();{}\n"]*,\s*)"([^"\\/]{2,})"(?=\s*\))/g;

/** `split(text, parts)`. */
const SPLIT_AT_FIELDS = /(\bsplit\s*\([^(),;{}\n"]*,\s*\w+\s*)(?=\))/g;

const ASSIGNMENT = /^([A-Za-z_]\w*)=(.*)$/s;

/** A separator of one character stands for itself; only longer ones are regular expressions. */
function separator(text: string): string {
  // The standard's exception: the letter means a tab.
  if (text === "t") return "\\t";
  return SPECIAL.test(text) ? `\\${text}` : text;
}

/** Separators in a program's text as the bundled awk takes them. @param given of the command line. */
function withSeparators(program: string, given: string | undefined): string {
  const text = program
    .replace(BOTH_SEPARATORS, (_, character: string) => `FS="\\\\${character}";OFS="${character}"`)
    .replace(SEPARATOR, (_, character: string) => `FS="\\\\${character}"`)
    .replace(SPLIT_AT_PATTERN, (_, before: string, pattern: string) => `${before}/${pattern}/`);
  // The program is not to see how its separator is written for the bundled awk.
  if (given === undefined || !SPECIAL.test(given)) return text;
  return text
    .replace(/\bOFS\s*=\s*FS\b(?!\s*=)/g, () => `OFS="${given}"`)
    .replace(SPLIT_AT_FIELDS, (split) => `${split},"${given}"`);
}

function stringLiteral(text: string): string {
  return `"${text.replace(/"/g, '\\"').replace(/\n/g, "\\n")}"`;
}

/** A command line of awk as its bundled form takes it. @throws UsageError, FileError of a program's file. */
export async function mendAwk(args: readonly string[], files: CallFiles): Promise<string[]> {
  const options = parseOptions(args, ["F,field-separator=", "f,file=", "v,assign="], {
    operandsEndOptions: true,
  });
  const operands = [...options.operands];
  const sources: string[] = [];
  for (const path of options.values("f")) sources.push(await files.readText(path));
  const program = sources.length > 0 ? sources.join("\n") : operands.shift();
  if (program === undefined) return [...args];
  let given = options.value("F");
  const flags = given === undefined ? [] : ["-F", separator(given)];
  let prologue = "";
  const assign = (assignment: string) => {
    const [, name = "", value = ""] = ASSIGNMENT.exec(assignment) ?? [];
    if (name === "FS") {
      given = value;
      flags.push("-F", value === "t" ? value : separator(value));
    } else if (OWN_VARIABLES.has(name)) prologue += `${name}=${stringLiteral(value)};`;
    else flags.push("-v", assignment);
  };
  for (const assignment of options.values("v")) assign(assignment);
  // Assignments in front of all files hold for all that is read.
  while (operands[0] !== undefined && ASSIGNMENT.test(operands[0])) assign(operands.shift() ?? "");
  const text = withSeparators(program, given);
  const inputs = operands.length === 1 && operands[0] === "-" ? [] : operands;
  return [...flags, prologue === "" ? text : `BEGIN{${prologue}}\n${text}`, ...inputs];
}

import { parseOptions } from "./commands/options.ts";

/** Options that are handed on; as the bundled grep knows them. */
const HANDED_ON = [
  "A=",
  "B=",
  "C=",
  "E",
  "F",
  "L",
  "P",
  "c",
  "f=",
  "h",
  "i",
  "l",
  "m=",
  "n",
  "o",
  "q",
  "r",
  "v",
  "w",
  "x",
];

const LONG_NAMES: Record<string, string> = {
  "A=": "after-context",
  "B=": "before-context",
  "C=": "context",
  E: "extended-regexp",
  F: "fixed-strings",
  L: "files-without-match",
  P: "perl-regexp",
  c: "count",
  "f=": "file",
  h: "no-filename",
  i: "ignore-case",
  l: "files-with-matches",
  "m=": "max-count",
  n: "line-number",
  o: "only-matching",
  q: "quiet",
  r: "recursive",
  v: "invert-match",
  w: "word-regexp",
  x: "line-regexp",
};

/** `"A="` with its long name: `"A,after-context="`. */
function pattern(letter: string): string {
  return letter.replace(/^./, (name) => `${name},${LONG_NAMES[letter] ?? ""}`);
}

/** What makes no difference here: all input is text, and none of it is coloured or held back. */
const WITHOUT_EFFECT = [
  "G,basic-regexp",
  "I",
  "U,binary",
  "a,text",
  "d,directories=",
  "D,devices=",
  "s,no-messages",
  ",binary-files=",
  ",color=?",
  ",colour=?",
  ",line-buffered",
  ",no-ignore-case",
];

const PATTERNS = [
  ...HANDED_ON.map(pattern),
  ...WITHOUT_EFFECT,
  "H,with-filename",
  "R,dereference-recursive",
  "e,regexp=",
  "y",
  ",silent",
  ",exclude=",
  ",exclude-dir=",
  ",include=",
];

/** Older forms of an option, and those that are written in full only. */
const SPELLINGS: Record<string, string> = { R: "-r", silent: "-q", y: "-i" };

const LETTERS: ReadonlySet<string> = new Set(HANDED_ON.map((letter) => letter.charAt(0)));
const FILTERS: ReadonlySet<string> = new Set(["exclude", "exclude-dir", "include"]);

/** Word boundaries, as the bundled grep writes either. */
function withBoundaries(expression: string): string {
  return expression.replace(/\\(.)/gs, (sequence, character: string) =>
    character === "<" || character === ">" ? "\\b" : sequence,
  );
}

/** A command line of grep as its bundled form takes it. @throws UsageError */
export function mendGrep(given: readonly string[]): string[] {
  const isShortContext = (arg: string, index: number) =>
    /^-\d+$/.test(arg) && !/^-\w*[ABCefm]$/.test(given[index - 1] ?? "");
  const args = given.map((arg, index) => (isShortContext(arg, index) ? `-C${arg.slice(1)}` : arg));
  const options = parseOptions(args, PATTERNS);
  const operands = [...options.operands];
  const expressions = options.values("e");
  if (expressions.length === 0 && !options.has("f")) expressions.push(...operands.splice(0, 1));
  const flags = options.given.flatMap(({ key, value }) => {
    if (FILTERS.has(key)) return [`--${key}=${value}`];
    const flag = SPELLINGS[key] ?? (LETTERS.has(key) ? `-${key}` : undefined);
    return flag === undefined ? [] : value === undefined ? [flag] : [flag, value];
  });
  // Several patterns are one of several lines.
  const text = expressions.map((text) => (options.has("F") ? text : withBoundaries(text))).join("\n");
  const patterns = expressions.length === 0 ? [] : ["-e", text];
  return [...flags, ...patterns, "--", ...filesOf(operands, options)];
}

function filesOf(operands: string[], options: { has(...keys: string[]): boolean }): string[] {
  const isRecursive = options.has("r", "R");
  if (operands.length === 0 && isRecursive) return ["."];
  // A file's name is shown where there are several.
  if (!options.has("H") || options.has("h") || operands.length > 1 || isRecursive) return operands;
  if (options.has("L", "c")) return operands;
  return [operands[0] ?? "-", "/dev/null"];
}

/** Whether the call is to keep silent of files that it cannot read. */
export function isGrepSilent(args: readonly string[]): boolean {
  return args.some((arg) => /^-[a-zA-Z]*s/.test(arg) || arg === "--no-messages");
}

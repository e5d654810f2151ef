import type { SeenStatus } from "./look-up.ts";
import { type ParsedOptions, UsageError } from "./options.ts";
import { quoteWord } from "./quoting.ts";

/** A file as `ls` lists it. */
export interface ListedFile {
  name: string;
  status: SeenStatus;
  /** The text of a symlink and the status of its target, if it has one. */
  target?: { text: string; status: SeenStatus | undefined };
}

export type Comparison = (a: ListedFile, b: ListedFile) => number;

/** Letters by the words that stand for them. */
const SORT_WORDS = { none: "U", time: "t", size: "S", extension: "X", version: "v", name: "name" };
const TIME_WORDS = {
  atime: "u",
  access: "u",
  use: "u",
  ctime: "c",
  status: "c",
  mtime: "m",
  modification: "m",
};

/** The value of a word. @throws UsageError */
export function chooseWord<Value>(option: string, word: string, values: Record<string, Value>): Value {
  const value = Object.hasOwn(values, word) ? values[word] : undefined;
  if (value !== undefined) return value;
  throw new UsageError(`invalid argument ${quoteWord(word)} for ${quoteWord(option)}`, { exitCode: 1 });
}

export function isLong(options: ParsedOptions): boolean {
  return options.has("l", "g", "n", "o", "full-time");
}

/** Which of a file's times is shown and sorted by. @throws UsageError */
export function timeKeyOf(options: ParsedOptions): "modifiedAt" | "accessedAt" | "changedAt" {
  const last = options.last("c", "u", "time");
  const letter = last === "time" ? chooseWord("--time", options.value("time") ?? "", TIME_WORDS) : last;
  return letter === "u" ? "accessedAt" : letter === "c" ? "changedAt" : "modifiedAt";
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The name with numbers of the same length, so that `a9` comes before `a10`. */
function versionKey(name: string): string {
  return name.replace(/\d+/g, (digits) => digits.padStart(20, "0"));
}

function extensionOf(name: string): string {
  const dot = name.lastIndexOf(".");
  return dot > 0 ? name.slice(dot) : "";
}

/** The order in which files are shown; undefined: that of the directory. @throws UsageError */
export function orderOf(options: ParsedOptions): Comparison | undefined {
  const time = timeKeyOf(options);
  const last = options.last("S", "t", "X", "v", "U", "f", "sort");
  // A time that is asked for and not shown can only be meant for the order.
  const usual = !isLong(options) && options.has("c", "u", "time") ? "t" : "name";
  const letter =
    last === "sort" ? chooseWord("--sort", options.value("sort") ?? "", SORT_WORDS) : (last ?? usual);
  if (letter === "U" || letter === "f") return undefined;
  const comparisons: Record<string, Comparison> = {
    S: (a, b) => b.status.size - a.status.size,
    t: (a, b) => b.status[time] - a.status[time],
    X: (a, b) => compareTexts(extensionOf(a.name), extensionOf(b.name)),
    v: (a, b) => compareTexts(versionKey(a.name), versionKey(b.name)),
  };
  const compare = comparisons[letter];
  const direction = options.has("r") ? -1 : 1;
  const directoriesFirst = options.has("group-directories-first");
  const rank = ({ status, target }: ListedFile) => ((target?.status ?? status).type === "directory" ? 0 : 1);
  return (a, b) =>
    (directoriesFirst ? rank(a) - rank(b) : 0) ||
    direction * (compare?.(a, b) || compareTexts(a.name, b.name));
}

import type { SeenStatus } from "./look-up.ts";
import { type ParsedOptions, UsageError } from "./options.ts";
import { quoteWord } from "./quoting.ts";
import { compareVersions } from "./version-order.ts";

/** A file as `ls` lists it. */
export interface ListedFile {
  name: string;
  status: SeenStatus;
  /** Where a symlink leads, in the long format. */
  target?: { text: string; status: SeenStatus | undefined };
}

export type Comparison = (a: ListedFile, b: ListedFile) => number;

/** The value of a word. @throws UsageError */
export function chooseWord<Value>(option: string, word: string, values: Record<string, Value>): Value {
  const value = Object.hasOwn(values, word) ? values[word] : undefined;
  if (value !== undefined) return value;
  throw new UsageError(`invalid argument ${quoteWord(word)} for ${quoteWord(option)}`, { exitCode: 1 });
}

export function isLong(options: ParsedOptions): boolean {
  return options.has("l", "g", "n", "o", "full-time");
}

/** The time that is shown and sorted by. */
export function timeKeyOf(options: ParsedOptions): "modifiedAt" | "accessedAt" | "changedAt" {
  const last = options.last("c", "u");
  return last === "u" ? "accessedAt" : last === "c" ? "changedAt" : "modifiedAt";
}

function compareNames(a: ListedFile, b: ListedFile): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}

/** The order in which files are shown; undefined: that of the directory. @throws UsageError */
export function orderOf(options: ParsedOptions): Comparison | undefined {
  const time = timeKeyOf(options);
  const bySize: Comparison = (a, b) => b.status.size - a.status.size;
  const byTime: Comparison = (a, b) => b.status[time] - a.status[time];
  const byVersion: Comparison = (a, b) => compareVersions(a.name, b.name);
  const words = { none: "U", size: "S", time: "t", version: "v", name: "" };
  const last = options.last("S", "t", "v", "U", "f", "sort");
  const letter = last === "sort" ? chooseWord("--sort", options.value("sort") ?? "", words) : last;
  if (letter === "U" || letter === "f") return undefined;
  // A time that is chosen but not shown can only be meant for the order.
  const usual = !isLong(options) && options.has("c", "u") ? byTime : compareNames;
  const compare = { S: bySize, t: byTime, v: byVersion }[letter ?? ""] ?? usual;
  const direction = options.has("r") ? -1 : 1;
  const rank = ({ status }: ListedFile) => (status.type === "directory" ? 0 : 1);
  return (a, b) =>
    (options.has("group-directories-first") ? rank(a) - rank(b) : 0) ||
    direction * (compare(a, b) || compareNames(a, b));
}

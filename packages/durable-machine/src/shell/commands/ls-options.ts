import type { Users } from "../../users.ts";
import { type ParsedOptions, UsageError } from "./options.ts";
import { quoteWord } from "./quoting.ts";
import { parseSize } from "./sizes.ts";

export type SortKey = "name" | "time" | "size" | "extension" | "version" | "none" | "width";
export type TimeKey = "modifiedAt" | "accessedAt" | "changedAt";

/** What `ls` is to show, and how. */
export interface LsRequest {
  users: Users;
  layout: "lines" | "long" | "columns" | "across" | "commas";
  hidden: "none" | "almost-all" | "all";
  directoriesThemselves: boolean;
  recursive: boolean;
  follows: "nothing" | "operands" | "operand-directories" | "all";
  sort: SortKey;
  time: TimeKey;
  reverse: boolean;
  directoriesFirst: boolean;
  inodes: boolean;
  blocks: boolean;
  /** How sizes are shown; without a unit they are for people. */
  sizes: { unit?: number; suffix?: string; base: 1000 | 1024 };
  numericOwners: boolean;
  owner: boolean;
  group: boolean;
  author: boolean;
  indicator: "none" | "slash" | "file-type" | "classify";
  timeStyle: { recent: string; old: string };
  quoting: "literal" | "double" | "escape" | "shell" | "shell-always";
  ignored: readonly string[];
  width: number;
  tabSize: number;
}

export const LS_OPTIONS = [
  "a,all",
  "A,almost-all",
  ",author",
  "b,escape",
  ",block-size=",
  "B,ignore-backups",
  "c",
  "C",
  ",color=?",
  "d,directory",
  "f",
  "F,classify=?",
  ",file-type",
  ",format=",
  ",full-time",
  "g",
  ",group-directories-first",
  "G,no-group",
  "h,human-readable",
  ",si",
  "H,dereference-command-line",
  ",dereference-command-line-symlink-to-dir",
  ",hide=",
  ",hyperlink=?",
  ",indicator-style=",
  "i,inode",
  "I,ignore=",
  "k,kibibytes",
  "l",
  "L,dereference",
  "m",
  "n,numeric-uid-gid",
  "N,literal",
  "o",
  "p",
  "q,hide-control-chars",
  ",show-control-chars",
  "Q,quote-name",
  ",quoting-style=",
  "r,reverse",
  "R,recursive",
  "s,size",
  "S",
  ",sort=",
  ",time=",
  ",time-style=",
  "t",
  "T,tabsize=",
  "u",
  "U",
  "v",
  "w,width=",
  "x",
  "X",
  "Z,context",
  "1",
];

const LOCALE_STYLE = { recent: "%b %e %H:%M", old: "%b %e  %Y" };

function choose<Value>(option: string, text: string, values: Record<string, Value>): Value {
  const exact = values[text];
  if (exact !== undefined) return exact;
  const valid = Object.keys(values).map((name) => `\n  - '${name}'`);
  throw new UsageError(
    `invalid argument ${quoteWord(text)} for ${quoteWord(option)}\nValid arguments are:${valid.join("")}`,
    { exitCode: 1 },
  );
}

function chooseLayout(options: ParsedOptions): LsRequest["layout"] {
  const formats = {
    verbose: "long",
    long: "long",
    commas: "commas",
    horizontal: "across",
    across: "across",
    vertical: "columns",
    "single-column": "lines",
  } as const;
  const last = options.last("l", "g", "n", "o", "full-time", "C", "x", "m", "format", "1");
  switch (last) {
    case "C":
      return "columns";
    case "x":
      return "across";
    case "m":
      return "commas";
    case "format":
      return choose("--format", options.value("format") ?? "", formats);
    case "1":
      // Of a long listing each file has a line of its own already.
      return options.has("l", "g", "n", "o", "full-time") ? "long" : "lines";
    default:
      return last === undefined ? "lines" : "long";
  }
}

function chooseSort(options: ParsedOptions, isLong: boolean): SortKey {
  const words = {
    none: "none",
    time: "time",
    size: "size",
    extension: "extension",
    version: "version",
    width: "width",
  } as const;
  switch (options.last("S", "t", "X", "v", "U", "f", "sort")) {
    case "S":
      return "size";
    case "t":
      return "time";
    case "X":
      return "extension";
    case "v":
      return "version";
    case "U":
    case "f":
      return "none";
    case "sort":
      return choose("--sort", options.value("sort") ?? "", words);
    default:
      // A time that is asked for and not shown can only be meant for the order.
      return !isLong && options.has("c", "u", "time") ? "time" : "name";
  }
}

function chooseTime(options: ParsedOptions): TimeKey {
  const words = {
    atime: "accessedAt",
    access: "accessedAt",
    use: "accessedAt",
    ctime: "changedAt",
    status: "changedAt",
    mtime: "modifiedAt",
    modification: "modifiedAt",
    birth: "changedAt",
    creation: "changedAt",
  } as const;
  const last = options.last("c", "u", "time");
  if (last === "time") return choose("--time", options.value("time") ?? "", words);
  if (last === "c") return "changedAt";
  return last === "u" ? "accessedAt" : "modifiedAt";
}

function chooseTimeStyle(options: ParsedOptions): LsRequest["timeStyle"] {
  const full = { recent: "%Y-%m-%d %H:%M:%S.%N %z", old: "%Y-%m-%d %H:%M:%S.%N %z" };
  const last = options.last("full-time", "time-style");
  if (last === "full-time") return full;
  const text = (options.value("time-style") ?? "locale").replace(/^posix-/, "");
  if (text.startsWith("+")) {
    const [old = "", recent = old] = text.slice(1).split("\n");
    return { recent, old };
  }
  return choose("--time-style", text, {
    "full-iso": full,
    "long-iso": { recent: "%Y-%m-%d %H:%M", old: "%Y-%m-%d %H:%M" },
    iso: { recent: "%m-%d %H:%M", old: "%Y-%m-%d " },
    locale: LOCALE_STYLE,
  });
}

function chooseIndicator(options: ParsedOptions): LsRequest["indicator"] {
  switch (options.last("F", "p", "file-type", "indicator-style")) {
    case "F":
      return ["never", "no", "none"].includes(options.value("F") ?? "") ? "none" : "classify";
    case "p":
      return "slash";
    case "file-type":
      return "file-type";
    case "indicator-style":
      return choose("--indicator-style", options.value("indicator-style") ?? "", {
        none: "none",
        slash: "slash",
        "file-type": "file-type",
        classify: "classify",
      } as const);
    default:
      return "none";
  }
}

function chooseFollowing(options: ParsedOptions, isLong: boolean): LsRequest["follows"] {
  switch (options.last("L", "H", "dereference-command-line-symlink-to-dir")) {
    case "L":
      return "all";
    case "H":
      return "operands";
    case "dereference-command-line-symlink-to-dir":
      return "operand-directories";
    default:
      return isLong || options.has("d", "F") ? "nothing" : "operand-directories";
  }
}

function chooseSizes(options: ParsedOptions): LsRequest["sizes"] {
  const last = options.last("h", "si", "block-size", "k");
  if (last === "h") return { base: 1024 };
  if (last === "si") return { base: 1000 };
  if (last !== "block-size") return { unit: 1, base: 1024 };
  const text = options.value("block-size") ?? "";
  const unit = parseSize(/^\d/.test(text) ? text : `1${text}`);
  if (!unit) throw new UsageError(`invalid --block-size argument ${quoteWord(text)}`, { hint: false });
  // A unit without a number is shown with each size.
  return { unit, suffix: /^\d/.test(text) ? "" : text, base: 1024 };
}

function chooseQuoting(options: ParsedOptions): LsRequest["quoting"] {
  const last = options.last("b", "N", "Q", "quoting-style");
  if (last === "b") return "escape";
  if (last === "Q") return "double";
  if (last !== "quoting-style") return "literal";
  return choose("--quoting-style", options.value("quoting-style") ?? "", {
    literal: "literal",
    shell: "shell",
    "shell-always": "shell-always",
    "shell-escape": "shell",
    "shell-escape-always": "shell-always",
    c: "double",
    escape: "escape",
  } as const);
}

function readNumber(options: ParsedOptions, key: string, message: string, fallback: number): number {
  const text = options.value(key);
  if (text === undefined) return fallback;
  if (!/^\d+$/.test(text)) throw new UsageError(`${message}: ${quoteWord(text)}`, { hint: false });
  return Number(text);
}

function ignoredPatterns(options: ParsedOptions, hidden: LsRequest["hidden"]): string[] {
  return [
    ...options.values("I"),
    ...(hidden === "none" ? options.values("hide") : []),
    ...(options.has("B") ? ["*~"] : []),
  ];
}

/** @throws UsageError */
export function readLsRequest(options: ParsedOptions, users: Users): LsRequest {
  const layout = chooseLayout(options);
  const isLong = layout === "long";
  const shown = options.last("a", "A", "f");
  const hidden = shown === undefined ? "none" : shown === "A" ? "almost-all" : "all";
  const width = readNumber(options, "w", "invalid line width", 80);
  return {
    users,
    layout,
    hidden,
    directoriesThemselves: options.has("d"),
    recursive: options.has("R") && !options.has("d"),
    follows: chooseFollowing(options, isLong),
    sort: chooseSort(options, isLong),
    time: chooseTime(options),
    reverse: options.has("r"),
    directoriesFirst: options.has("group-directories-first"),
    inodes: options.has("i"),
    blocks: options.has("s"),
    sizes: chooseSizes(options),
    numericOwners: options.has("n"),
    owner: !options.has("g"),
    group: !options.has("o", "G"),
    author: options.has("author"),
    indicator: chooseIndicator(options),
    timeStyle: chooseTimeStyle(options),
    quoting: chooseQuoting(options),
    ignored: ignoredPatterns(options, hidden),
    width: width === 0 ? Number.POSITIVE_INFINITY : width,
    tabSize: readNumber(options, "T", "invalid tab size", 8),
  };
}

import type { Users } from "../../users.ts";
import { formatTime } from "./format-time.ts";
import { occupiedBytes, type SeenStatus } from "./look-up.ts";
import { formatMode } from "./modes.ts";
import { type ParsedOptions, UsageError } from "./options.ts";
import { quoteWord } from "./quoting.ts";
import { humanSize } from "./sizes.ts";
import { formatTable } from "./tables.ts";

/** A file that was changed longer ago shows its year instead of its hour. */
const RECENT_MS = (31_556_952 / 2) * 1000;

const BLOCK_BYTES = 1024;

export const FULL_TIME = "%Y-%m-%d %H:%M:%S.%N %z";

const TIME_STYLES: Record<string, readonly [recent: string, old: string]> = {
  "full-iso": [FULL_TIME, FULL_TIME],
  "long-iso": ["%Y-%m-%d %H:%M", "%Y-%m-%d %H:%M"],
  iso: ["%m-%d %H:%M", "%Y-%m-%d "],
  locale: ["%b %e %H:%M", "%b %e  %Y"],
};

const INDICATORS: Record<SeenStatus["type"], string> = { file: "", directory: "/", symlink: "@", device: "" };

export interface ListedFile {
  name: string;
  status: SeenStatus;
  /** Where a symlink leads, in the long format. */
  target?: { text: string; status: SeenStatus | undefined };
}

export function chooseWord<Value>(option: string, word: string, values: Record<string, Value>): Value {
  const value = Object.hasOwn(values, word) ? values[word] : undefined;
  if (value !== undefined) return value;
  throw new UsageError(`invalid argument ${quoteWord(word)} for ${quoteWord(option)}`, { exitCode: 1 });
}

export function isLong(options: ParsedOptions): boolean {
  return options.has("l", "g", "n", "o", "full-time");
}

export function timeKeyOf(options: ParsedOptions): "modifiedAt" | "accessedAt" | "changedAt" {
  const last = options.last("c", "u");
  return last === "u" ? "accessedAt" : last === "c" ? "changedAt" : "modifiedAt";
}

/** The character that `-p`, `--file-type` or `-F` shows behind a name. */
function indicatorOf({ type, mode }: SeenStatus, options: ParsedOptions): string {
  const style = options.last("F", "p", "file-type");
  if (style === undefined || (style === "p" && type !== "directory")) return "";
  return style === "F" && type === "file" && (mode & 0o111) !== 0 ? "*" : INDICATORS[type];
}

function fullName({ name, status, target }: ListedFile, options: ParsedOptions): string {
  if (target === undefined) return name + indicatorOf(status, options);
  return `${name} -> ${target.text}${target.status ? indicatorOf(target.status, options) : ""}`;
}

function formatSize(bytes: number, options: ParsedOptions, unit: number): string {
  const last = options.last("h", "si", "k");
  if (last === "h" || last === "si") return humanSize(bytes, last === "h" ? 1024 : 1000);
  return String(Math.ceil(bytes / unit));
}

function timeStyleOf(options: ParsedOptions): readonly [recent: string, old: string] {
  const isFull = options.last("full-time", "time-style") === "full-time";
  const style = isFull ? "full-iso" : (options.value("time-style") ?? "locale");
  if (style.startsWith("+")) return [style.slice(1), style.slice(1)];
  return chooseWord("--time-style", style, TIME_STYLES);
}

export function formatTotal(files: readonly ListedFile[], options: ParsedOptions): string {
  const bytes = files.reduce((sum, { status }) => sum + occupiedBytes(status), 0);
  return `total ${formatSize(bytes, options, BLOCK_BYTES)}\n`;
}

interface Column {
  align: "<" | ">";
  text: (status: SeenStatus) => string;
}

function columnsOf(options: ParsedOptions, users: Users): Column[] {
  const columns: Column[] = [];
  const add = (align: Column["align"], text: Column["text"]) => columns.push({ align, text });
  if (options.has("i")) add(">", ({ inode }) => String(inode));
  if (options.has("s")) add(">", (status) => formatSize(occupiedBytes(status), options, BLOCK_BYTES));
  if (!isLong(options)) return columns;
  const isNumeric = options.has("n");
  add("<", formatMode);
  add(">", ({ links }) => String(links));
  if (!options.has("g")) add("<", ({ uid }) => (isNumeric ? String(uid) : users.userName(uid)));
  if (!options.has("o", "G")) add("<", ({ gid }) => (isNumeric ? String(gid) : users.groupName(gid)));
  add(">", ({ size }) => formatSize(size, options, 1));
  const now = Date.now();
  const [recent, old] = timeStyleOf(options);
  const key = timeKeyOf(options);
  add(">", ({ [key]: time }) => formatTime(time, time > now - RECENT_MS && time <= now ? recent : old));
  return columns;
}

/** One file per line, or with `-m` all on one line. */
export function formatList(files: readonly ListedFile[], options: ParsedOptions, users: Users): string {
  if (files.length === 0) return "";
  const columns = columnsOf(options, users);
  const rows = files.map((file) => [
    ...columns.map(({ text }) => text(file.status)),
    fullName(file, options),
  ]);
  if (options.has("m") && !isLong(options)) return `${rows.map((row) => row.join(" ")).join(", ")}\n`;
  return formatTable(rows, columns.map(({ align }) => align).join(""));
}

import { formatTime } from "./format-time.ts";
import { deviceNumbers, occupiedBytes, type SeenStatus } from "./look-up.ts";
import type { LsRequest } from "./ls-options.ts";
import { formatMode } from "./modes.ts";
import { quoteForShell, quoteName } from "./quoting.ts";
import { humanSize } from "./sizes.ts";

/** A file as `ls` lists it. */
export interface ListedFile {
  name: string;
  status: SeenStatus;
  /** Of a symlink: where it leads, and what is there. */
  target?: { text: string; status: SeenStatus | undefined };
}

/** What is shown of sizes of blocks is in these, unless a unit is asked for. */
const BLOCK_UNIT = 1024;

/** A file that was changed longer ago shows its year, not its hour. */
const RECENT_MS = (31_556_952 / 2) * 1000;

const INDICATORS: Record<SeenStatus["type"], string> = { file: "", directory: "/", symlink: "@", device: "" };

const ESCAPES: Record<string, string> = {
  "\n": "\\n",
  "\t": "\\t",
  "\r": "\\r",
  "\b": "\\b",
  "\f": "\\f",
  "\v": "\\v",
};

function escapeName(name: string, special: RegExp): string {
  return name.replace(special, "\\$&").replace(/[\p{Cc}]/gu, (character) => {
    const octal = (character.codePointAt(0) ?? 0).toString(8).padStart(3, "0");
    return ESCAPES[character] ?? `\\${octal}`;
  });
}

/** A name as `-b`, `-Q` or neither show it. */
export function formatName(name: string, quoting: LsRequest["quoting"]): string {
  if (quoting === "double") return `"${escapeName(name, /["\\]/g)}"`;
  if (quoting === "escape") return escapeName(name, /[\\ ]/g);
  if (quoting === "shell-always") return quoteName(name);
  return quoting === "shell" ? quoteForShell(name) : name;
}

function indicatorOf({ type, mode }: SeenStatus, style: LsRequest["indicator"]): string {
  if (style === "none") return "";
  if (style === "slash") return type === "directory" ? "/" : "";
  const isProgram = style === "classify" && type === "file" && (mode & 0o111) !== 0;
  return isProgram ? "*" : INDICATORS[type];
}

function formatBlocks(bytes: number, { sizes }: LsRequest): string {
  if (sizes.unit === undefined) return humanSize(bytes, sizes.base);
  return Math.ceil(bytes / (sizes.unit === 1 ? BLOCK_UNIT : sizes.unit)) + (sizes.suffix ?? "");
}

function formatSize({ name, status }: ListedFile, { sizes }: LsRequest): string {
  if (status.type === "device") return deviceNumbers(name).join(", ");
  if (sizes.unit === undefined) return humanSize(status.size, sizes.base);
  return Math.ceil(status.size / sizes.unit) + (sizes.suffix ?? "");
}

/** The line above a directory's files: the room that they take. */
export function formatTotal(files: readonly ListedFile[], request: LsRequest): string {
  const bytes = files.reduce((sum, { status }) => sum + occupiedBytes(status), 0);
  return `total ${formatBlocks(bytes, request)}\n`;
}

function fullName(file: ListedFile, request: LsRequest): string {
  const name = formatName(file.name, request.quoting);
  const { status, target } = file;
  if (request.layout !== "long" || target === undefined) return name + indicatorOf(status, request.indicator);
  const mark = target.status === undefined ? "" : indicatorOf(target.status, request.indicator);
  return `${name} -> ${formatName(target.text, request.quoting)}${mark}`;
}

/** Cells that stand before the name: right-aligned ones are numbers. */
function cellsOf(file: ListedFile, request: LsRequest, now: number): [text: string, right: boolean][] {
  const { status } = file;
  const cells: [string, boolean][] = [];
  if (request.inodes) cells.push([String(status.inode), true]);
  if (request.blocks) cells.push([formatBlocks(occupiedBytes(status), request), true]);
  if (request.layout !== "long") return cells;
  const user = request.numericOwners ? String(status.uid) : request.users.userName(status.uid);
  const group = request.numericOwners ? String(status.gid) : request.users.groupName(status.gid);
  const time = status[request.time];
  const isRecent = time > now - RECENT_MS && time <= now;
  cells.push([formatMode(status), false], [String(status.links), true]);
  if (request.owner) cells.push([user, false]);
  if (request.group) cells.push([group, false]);
  if (request.author) cells.push([user, false]);
  cells.push([formatSize(file, request), true]);
  cells.push([formatTime(time, isRecent ? request.timeStyle.recent : request.timeStyle.old), true]);
  return cells;
}

/** Each file as it is shown, with what stands before its name in columns. */
function formatFiles(
  files: readonly ListedFile[],
  request: LsRequest,
  { now, beside }: ListingContext,
): string[] {
  const rows = files.map((file) => cellsOf(file, request, now));
  const widths: number[] = [];
  for (const row of [...rows, ...beside.map((file) => cellsOf(file, request, now))]) {
    row.forEach(([text], column) => {
      widths[column] = Math.max(widths[column] ?? 0, text.length);
    });
  }
  // Only lines below each other are aligned: between commas nothing is.
  const aligns = request.layout !== "commas";
  return files.map((file, index) => {
    const cells = (rows[index] ?? []).map(([text, right], column) => {
      const width = aligns ? (widths[column] ?? 0) : 0;
      return right ? text.padStart(width) : text.padEnd(width);
    });
    return [...cells, fullName(file, request)].join(" ");
  });
}

/** Goes from one column to another by tabs, as far as they reach. */
function indent(from: number, to: number, tabSize: number): string {
  let text = "";
  for (let at = from; at < to; ) {
    const reachesTab = tabSize > 0 && Math.floor(to / tabSize) > Math.floor((at + 1) / tabSize);
    text += reachesTab ? "\t" : " ";
    at += reachesTab ? tabSize - (at % tabSize) : 1;
  }
  return text;
}

/** As many columns as fit. @param across whether the order goes by lines, and not by columns. */
export function formatColumns(
  names: readonly string[],
  { width, tabSize, across }: { width: number; tabSize: number; across: boolean },
): string {
  const columnOf = (index: number, columns: number) =>
    across ? index % columns : Math.floor(index / Math.ceil(names.length / columns));
  const widthsFor = (columns: number) => {
    const widths = new Array<number>(columns).fill(0);
    names.forEach((name, index) => {
      const column = columnOf(index, columns);
      const room = name.length + (column === columns - 1 ? 0 : 2);
      widths[column] = Math.max(widths[column] ?? 0, room);
    });
    return widths;
  };
  let columns = Math.min(names.length, Math.max(1, Math.floor(width / 3)));
  const total = (count: number) => widthsFor(count).reduce((sum, one) => sum + one, 0);
  while (columns > 1 && total(columns) >= width) columns--;
  const widths = widthsFor(columns);
  const lines = Math.ceil(names.length / columns);
  let text = "";
  for (let line = 0; line < lines; line++) {
    let position = 0;
    let start = 0;
    for (let column = 0; column < columns; column++) {
      const name = names[across ? line * columns + column : column * lines + line];
      if (name === undefined) break;
      text += indent(position, start, tabSize) + name;
      position = start + name.length;
      start += widths[column] ?? 0;
    }
    text += "\n";
  }
  return text;
}

function formatCommas(names: readonly string[], width: number): string {
  let text = "";
  let position = 0;
  names.forEach((name, index) => {
    const isLast = index === names.length - 1;
    const room = name.length + (isLast ? 0 : 2);
    if (index > 0 && position + room > width) {
      text = `${text.trimEnd()}\n`;
      position = 0;
    }
    text += isLast ? name : `${name}, `;
    position += room;
  });
  return `${text}\n`;
}

/** What a list depends on beside its files. */
interface ListingContext {
  /** Milliseconds since the epoch, from which a file is old or not. */
  now: number;
  /** Files that are shown elsewhere, but for which there is room too. */
  beside: readonly ListedFile[];
}

/** The files of one list. */
export function formatList(
  files: readonly ListedFile[],
  request: LsRequest,
  context: ListingContext,
): string {
  if (files.length === 0) return "";
  const lines = formatFiles(files, request, context);
  const { layout, width, tabSize } = request;
  if (layout === "columns" || layout === "across") {
    return formatColumns(lines, { width, tabSize, across: layout === "across" });
  }
  if (layout === "commas") return formatCommas(lines, width);
  return lines.map((line) => `${line}\n`).join("");
}

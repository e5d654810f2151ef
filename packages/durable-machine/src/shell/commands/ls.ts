import { unlessRefused } from "../../file-system/file-error.ts";
import type { DirectoryEntry } from "../../file-system/file-system.ts";
import type { Users } from "../../users.ts";
import { join, statusOf } from "./destinations.ts";
import { errorText } from "./error-text.ts";
import { FULL_TIME, formatTime } from "./format-time.ts";
import { matchesGlob } from "./glob.ts";
import type { Invocation, MachineCommand } from "./invocation.ts";
import { formatMode } from "./modes.ts";
import { type ParsedOptions, UsageError } from "./options.ts";
import { quoteName, quoteWord } from "./quoting.ts";
import { humanSize } from "./sizes.ts";
import { lookUp, occupiedBytes, type SeenStatus } from "./stat.ts";
import { formatTable } from "./tables.ts";

const TROUBLE = 2;

/** `-C`, `-x`, `-w`, `-N`, `-q` and `--color` only matter to terminals, to which no command writes here. */
const OPTIONS = `a,all A,almost-all f d,directory R,recursive I,ignore= L,dereference H,dereference-command-line
  1 C x m F,classify p ,file-type i,inode s,size N,literal q,hide-control-chars ,color=? w,width=
  l g o n,numeric-uid-gid G,no-group ,full-time ,time-style= h,human-readable ,si k,kibibytes
  S t v U c u ,sort= r,reverse ,group-directories-first`;

const SORT_WORDS = { none: "U", size: "S", time: "t", version: "v", name: "name" };

/** A file that was changed longer ago shows its year instead of its hour. */
const RECENT_MS = (31_556_952 / 2) * 1000;

const BLOCK_BYTES = 1024;

const TIME_STYLES: Record<string, readonly [recent: string, old: string]> = {
  "full-iso": [FULL_TIME, FULL_TIME],
  "long-iso": ["%Y-%m-%d %H:%M", "%Y-%m-%d %H:%M"],
  iso: ["%m-%d %H:%M", "%Y-%m-%d "],
  locale: ["%b %e %H:%M", "%b %e  %Y"],
};

const INDICATORS: Record<SeenStatus["type"], string> = { file: "", directory: "/", symlink: "@", device: "" };

interface ListedFile {
  name: string;
  status: SeenStatus;
  /** Where a symlink leads, in the long format. */
  target?: { text: string; status: SeenStatus | undefined };
}

function chooseWord<Value>(option: string, word: string, values: Record<string, Value>): Value {
  const value = Object.hasOwn(values, word) ? values[word] : undefined;
  if (value !== undefined) return value;
  throw new UsageError(`invalid argument ${quoteWord(word)} for ${quoteWord(option)}`, { exitCode: 1 });
}

function isLong(options: ParsedOptions): boolean {
  return options.has("l", "g", "n", "o", "full-time");
}

function timeKeyOf(options: ParsedOptions): "modifiedAt" | "accessedAt" | "changedAt" {
  const last = options.last("c", "u");
  return last === "u" ? "accessedAt" : last === "c" ? "changedAt" : "modifiedAt";
}

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

function formatTotal(files: readonly ListedFile[], options: ParsedOptions): string {
  const bytes = files.reduce((sum, { status }) => sum + occupiedBytes(status), 0);
  return `total ${formatSize(bytes, options, BLOCK_BYTES)}\n`;
}

type Column = { align: "<" | ">"; text: (status: SeenStatus) => string };

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

function formatList(files: readonly ListedFile[], options: ParsedOptions, users: Users): string {
  if (files.length === 0) return "";
  const columns = columnsOf(options, users);
  const rows = files.map((file) => [
    ...columns.map(({ text }) => text(file.status)),
    fullName(file, options),
  ]);
  if (options.has("m") && !isLong(options)) return `${rows.map((row) => row.join(" ")).join(", ")}\n`;
  return formatTable(rows, columns.map(({ align }) => align).join(""));
}

type Comparison = (a: ListedFile, b: ListedFile) => number;

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The name with numbers of equal length, so that `a9` comes before `a10`. */
function versionKey(name: string): string {
  return name.replace(/\d+/g, (digits) => digits.padStart(20, "0"));
}

function orderOf(options: ParsedOptions): Comparison {
  const time = timeKeyOf(options);
  const byTime: Comparison = (a, b) => b.status[time] - a.status[time];
  const byName: Comparison = (a, b) => compareTexts(a.name, b.name);
  const comparisons: Record<string, Comparison> = {
    S: (a, b) => b.status.size - a.status.size,
    t: byTime,
    v: (a, b) => compareTexts(versionKey(a.name), versionKey(b.name)),
  };
  const last = options.last("S", "t", "v", "U", "f", "sort");
  const letter = last === "sort" ? chooseWord("--sort", options.value("sort") ?? "", SORT_WORDS) : last;
  if (letter === "U" || letter === "f") return () => 0;
  // A time that is chosen but not shown can only be meant for the order.
  const usual = !isLong(options) && options.has("c", "u") ? byTime : byName;
  const compare = comparisons[letter ?? ""] ?? usual;
  const direction = options.has("r") ? -1 : 1;
  const rank = ({ status }: ListedFile) => (status.type === "directory" ? 0 : 1);
  return (a, b) =>
    (options.has("group-directories-first") ? rank(a) - rank(b) : 0) ||
    direction * (compare(a, b) || byName(a, b));
}

class Listing {
  readonly #invocation: Invocation;
  readonly #options: ParsedOptions;
  readonly #order: Comparison;
  /** The directories around the current one: a followed symlink may lead back into them. */
  readonly #listed = new Set<number>();
  #hasPrinted = false;

  constructor(invocation: Invocation, options: ParsedOptions) {
    this.#invocation = invocation;
    this.#options = options;
    this.#order = orderOf(options);
  }

  async run(): Promise<void> {
    const { operands } = this.#options;
    const files: ListedFile[] = [];
    const directories: ListedFile[] = [];
    for (const operand of operands.length === 0 ? ["."] : operands) {
      await this.#invocation.step();
      const file = await this.#lookUpOperand(operand);
      if (file?.status.type === "directory" && !this.#options.has("d")) directories.push(file);
      else if (file) files.push(file);
    }
    await this.#printList(files.sort(this.#order));
    for (const { name, status } of directories.sort(this.#order))
      await this.#listDirectory(name, status.inode);
  }

  async #printList(files: readonly ListedFile[]): Promise<void> {
    if (files.length > 0) this.#hasPrinted = true;
    await this.#invocation.print(formatList(files, this.#options, this.#invocation.environment.users));
  }

  async #lookUpOperand(operand: string): Promise<ListedFile | undefined> {
    const { files, credentials } = this.#invocation;
    const followSymlink = this.#options.has("L", "H");
    try {
      const status = await lookUp(this.#invocation, operand, { followSymlink });
      if (status.type === "symlink" && !isLong(this.#options) && !this.#options.has("d", "F")) {
        const path = this.#invocation.path(operand);
        const target = unlessRefused(["ENOENT"], () => files.status(path, credentials));
        if (target?.type === "directory") return { name: operand, status: target };
      }
      return this.#withTarget({ name: operand, status }, operand);
    } catch (error) {
      this.#invocation.complain(`cannot access ${quoteName(operand)}: ${errorText(error)}`);
      return undefined;
    }
  }

  #withTarget(file: ListedFile, operand: string): ListedFile {
    if (file.status.type !== "symlink" || !isLong(this.#options)) return file;
    const { files, credentials } = this.#invocation;
    const text = files.readSymlink(this.#invocation.path(operand), credentials);
    return { ...file, target: { text, status: statusOf(this.#invocation, operand) } };
  }

  async #listDirectory(directory: string, inode: number): Promise<void> {
    const { files, credentials } = this.#invocation;
    if (this.#listed.has(inode)) {
      return this.#invocation.complain(`${directory}: not listing already-listed directory`);
    }
    let entries: DirectoryEntry[];
    try {
      entries = files.list(this.#invocation.path(directory), credentials);
    } catch (error) {
      return this.#invocation.complain(`cannot open directory ${quoteName(directory)}: ${errorText(error)}`);
    }
    const shown = await this.#shownFiles(directory, entries);
    const isNamed = this.#options.operands.length > 1 || this.#options.has("R");
    const hasTotal = isLong(this.#options) || this.#options.has("s");
    const heading = (this.#hasPrinted ? "\n" : "") + (isNamed ? `${directory}:\n` : "");
    await this.#invocation.print(heading + (hasTotal ? formatTotal(shown, this.#options) : ""));
    await this.#printList(shown);
    this.#hasPrinted = true;
    if (!this.#options.has("R")) return;
    this.#listed.add(inode);
    for (const { name, status } of shown) {
      if (status.type !== "directory" || name === "." || name === "..") continue;
      await this.#listDirectory(join(directory, name), status.inode);
    }
    this.#listed.delete(inode);
  }

  async #shownFiles(directory: string, entries: readonly DirectoryEntry[]): Promise<ListedFile[]> {
    const hidden = this.#options.last("a", "A", "f");
    const ignored = this.#options.values("I");
    const shown: ListedFile[] = [];
    for (const name of hidden === "a" || hidden === "f" ? [".", ".."] : []) {
      const status = await lookUp(this.#invocation, join(directory, name), { followSymlink: true });
      shown.push({ name, status });
    }
    for (const entry of entries) {
      await this.#invocation.step();
      const { name } = entry;
      if (hidden === undefined && name.startsWith(".")) continue;
      if (ignored.some((glob) => matchesGlob(name, glob))) continue;
      const path = join(directory, name);
      const isFollowed = entry.type === "symlink" && this.#options.has("L");
      const status = isFollowed ? statusOf(this.#invocation, path) : entry;
      if (status !== undefined) shown.push(this.#withTarget({ name, status }, path));
      else this.#invocation.complain(`cannot access ${quoteName(path)}: No such file or directory`);
    }
    return shown.sort(this.#order);
  }
}

export const ls: MachineCommand = {
  name: "ls",
  usageExitCode: TROUBLE,
  async run(invocation) {
    await new Listing(invocation, invocation.options(OPTIONS)).run();
    return invocation.hasComplained ? TROUBLE : 0;
  },
};

import { FileError } from "../../file-system/file-error.ts";
import { fromByteString, toByteString } from "../byte-strings.ts";
import { openOperand, PIECE_LENGTH, pieces } from "./byte-source.ts";
import { normalFormat, unifiedFormat } from "./diff-format.ts";
import { compareLines } from "./diff-lines.ts";
import { errorText } from "./error-text.ts";
import { formatTime } from "./format-time.ts";
import { matchesGlob } from "./glob.ts";
import type { Invocation, MachineCommand } from "./invocation.ts";
import { type ParsedOptions, UsageError } from "./options.ts";
import { quoteForShell } from "./quoting.ts";

const TROUBLE = 2;
const DEFAULT_CONTEXT = 3;

/** Of each file: its lines are held in memory. */
const MAX_BYTES = 8 * 1024 * 1024;

/** Where a zero byte makes a file a binary one. */
const EXAMINED_LENGTH = 32 * 1024;

const TIME_FORMAT = "%Y-%m-%d %H:%M:%S.%N %z";

const OPTIONS = [
  "B,ignore-blank-lines",
  "L,label=",
  "N,new-file",
  "U,unified=",
  "Z,ignore-trailing-space",
  "a,text",
  "b,ignore-space-change",
  "d,minimal",
  "i,ignore-case",
  "q,brief",
  "r,recursive",
  "s,report-identical-files",
  "u",
  "w,ignore-all-space",
  "x,exclude=",
  ",color=?",
  ",normal",
  ",strip-trailing-cr",
];

/** One of two files that are compared. */
interface Side {
  name: string;
  type: "file" | "directory" | "absent";
  /** In milliseconds since the epoch. */
  modifiedAt: number;
}

/** What two lines have to have in common to count as the same. */
function newKey(options: ParsedOptions): (line: string) => string {
  const rules: ((line: string) => string)[] = [];
  if (options.has("strip-trailing-cr")) rules.push((line) => line.replace(/\r\n$/, "\n"));
  if (options.has("w")) rules.push((line) => line.replace(/\s+/g, ""));
  if (options.has("b", "Z")) rules.push((line) => line.trimEnd());
  if (options.has("b")) rules.push((line) => line.replace(/\s+/g, " "));
  if (options.has("i")) rules.push((line) => line.toLowerCase());
  return (line) => rules.reduce((text, rule) => rule(text), line);
}

/** Unchanged lines around each change; undefined: the changes are not wanted as -u writes them. @throws UsageError */
function readContext(options: ParsedOptions): number | undefined {
  if (!options.has("u", "U")) return undefined;
  const text = options.value("U") ?? String(DEFAULT_CONTEXT);
  if (!/^\d+$/.test(text)) throw new UsageError(`invalid context length '${text}'`);
  return Number(text);
}

class Diff {
  readonly #invocation: Invocation;
  readonly #options: ParsedOptions;
  readonly #key: (line: string) => string;
  readonly #context: number | undefined;
  #differs = false;

  constructor(invocation: Invocation, options: ParsedOptions) {
    this.#invocation = invocation;
    this.#options = options;
    this.#key = newKey(options);
    this.#context = readContext(options);
  }

  /** @returns the exit code. */
  async run(leftName: string, rightName: string): Promise<number> {
    let left = this.#look(leftName);
    let right = this.#look(rightName);
    // A directory stands for its file of the other one's name.
    const inside = (directory: string, name: string) =>
      this.#look(`${directory}/${name.slice(name.lastIndexOf("/") + 1)}`);
    if (left?.type === "directory" && right?.type === "file") left = inside(leftName, rightName);
    else if (right?.type === "directory" && left?.type === "file") right = inside(rightName, leftName);
    if (left && right) await this.#compare(left, right, true);
    if (this.#invocation.hasComplained) return TROUBLE;
    return this.#differs ? 1 : 0;
  }

  #look(name: string): Side | undefined {
    // The shell keeps the files of `<(…)` to itself.
    if (name === "-" || name.startsWith("/dev/")) return { name, type: "file", modifiedAt: Date.now() };
    try {
      const { files, credentials } = this.#invocation;
      const { type, modifiedAt } = files.status(this.#invocation.path(name), credentials);
      return { name, type: type === "directory" ? "directory" : "file", modifiedAt };
    } catch (error) {
      const isAbsent = error instanceof FileError && error.code === "ENOENT";
      if (isAbsent && this.#options.has("N")) return { name, type: "absent", modifiedAt: 0 };
      return this.#complain(name, error);
    }
  }

  #complain(name: string, error: unknown): undefined {
    this.#invocation.complain(`${name}: ${errorText(error)}`);
  }

  async #compare(left: Side, right: Side, isOperand: boolean): Promise<void> {
    await this.#invocation.step();
    const types = [left.type, right.type];
    if (!types.includes("directory")) return await this.#compareFiles(left, right, isOperand);
    if (types.includes("file")) {
      const kind = ({ type }: Side) => (type === "directory" ? "directory" : "regular file");
      const names = `File ${left.name} is a ${kind(left)} while file ${right.name} is a ${kind(right)}`;
      return await this.#reportDifference(names);
    }
    if (isOperand || this.#options.has("r")) return await this.#compareDirectories(left, right);
    await this.#invocation.print(`Common subdirectories: ${left.name} and ${right.name}\n`);
  }

  async #reportDifference(text: string): Promise<void> {
    this.#differs = true;
    await this.#invocation.print(`${text}\n`);
  }

  async #compareDirectories(left: Side, right: Side): Promise<void> {
    if (left.name === right.name) return;
    const [leftNames, rightNames] = [this.#namesIn(left), this.#namesIn(right)];
    if (!leftNames || !rightNames) return;
    for (const name of [...new Set([...leftNames, ...rightNames])].sort()) {
      if (this.#options.values("x").some((pattern) => matchesGlob(name, pattern))) continue;
      const lacking = [left, right].find((_, index) => ![leftNames, rightNames][index]?.has(name));
      if (lacking && !this.#options.has("N")) {
        await this.#reportDifference(`Only in ${(lacking === left ? right : left).name}: ${name}`);
        continue;
      }
      const inside = (side: Side) => this.#look(`${side.name.replace(/\/$/, "")}/${name}`);
      const [a, b] = [inside(left), inside(right)];
      if (a && b) await this.#compare(a, b, false);
    }
  }

  #namesIn({ name, type }: Side): Set<string> | undefined {
    if (type === "absent") return new Set();
    try {
      const { files, credentials } = this.#invocation;
      return new Set(files.list(this.#invocation.path(name), credentials).map((entry) => entry.name));
    } catch (error) {
      return this.#complain(name, error);
    }
  }

  /** A file's content, a character for each byte; undefined: it has been complained of. */
  async #read({ name, type }: Side): Promise<string | undefined> {
    if (type === "absent") return "";
    try {
      let text = "";
      for await (const piece of pieces(await openOperand(this.#invocation, name))) {
        text += toByteString(piece);
        if (text.length <= MAX_BYTES) continue;
        this.#invocation.complain(`${name}: input larger than ${MAX_BYTES} bytes: limit of this machine`);
        return undefined;
      }
      return text;
    } catch (error) {
      return this.#complain(name, error);
    }
  }

  async #compareFiles(left: Side, right: Side, isOperand: boolean): Promise<void> {
    const leftText = await this.#read(left);
    const rightText = left.name === right.name ? leftText : await this.#read(right);
    if (leftText === undefined || rightText === undefined) return;
    const names = `${left.name} and ${right.name}`;
    const isBinary = [leftText, rightText].some((text) => text.slice(0, EXAMINED_LENGTH).includes("\0"));
    if (isBinary && !this.#options.has("a") && leftText !== rightText) {
      return await this.#reportDifference(
        `${this.#options.has("q") ? "Files" : "Binary files"} ${names} differ`,
      );
    }
    const texts = leftText === rightText ? [] : await this.#changes(leftText, rightText);
    if (texts.length === 0) {
      if (this.#options.has("s")) await this.#invocation.print(`Files ${names} are identical\n`);
      return;
    }
    if (this.#options.has("q")) return await this.#reportDifference(`Files ${names} differ`);
    this.#differs = true;
    if (!isOperand) {
      const given = optionWords(this.#invocation.args, this.#options.operands);
      const words = ["diff", ...given, left.name, right.name];
      await this.#invocation.print(`${words.map(quoteForShell).join(" ")}\n`);
    }
    if (this.#context !== undefined) {
      const [leftLabel = this.#title(left), rightLabel = this.#title(right)] = this.#options.values("L");
      await this.#invocation.print(`--- ${leftLabel}\n+++ ${rightLabel}\n`);
    }
    for (const text of texts) await this.#writeBytes(text);
  }

  #title({ name, modifiedAt }: Side): string {
    return `${name}\t${formatTime(modifiedAt, TIME_FORMAT)}`;
  }

  /** What differs, as it is to be written. */
  async #changes(leftText: string, rightText: string): Promise<string[]> {
    const [left, right] = [leftText, rightText].map((text) => text.match(/[^\n]*\n|[^\n]+$/g) ?? []);
    if (!left || !right) return [];
    const numbers = new Map<string, number>();
    const numberOf = (line: string) => {
      const key = this.#key(line);
      const number = numbers.get(key) ?? numbers.size;
      numbers.set(key, number);
      return number;
    };
    await this.#invocation.step((left.length + right.length) / 100);
    const isBlank = (line: string) => line === "\n";
    const changes = compareLines(left.map(numberOf), right.map(numberOf)).filter((change) => {
      if (!this.#options.has("B")) return true;
      const lines = [
        ...left.slice(change.leftStart, change.leftEnd),
        ...right.slice(change.rightStart, change.rightEnd),
      ];
      return !lines.every(isBlank);
    });
    if (this.#context === undefined) return normalFormat(left, right, changes);
    return unifiedFormat(left, right, changes, this.#context);
  }

  /** Writes lines of the files, byte by byte as they are there. */
  async #writeBytes(text: string): Promise<void> {
    for (let start = 0; start < text.length; start += PIECE_LENGTH) {
      const piece = text.slice(start, start + PIECE_LENGTH);
      await this.#invocation.write(fromByteString(piece) ?? new Uint8Array(0));
    }
    await this.#invocation.step();
  }
}

/** The words of a command line that are no operands. */
function optionWords(args: readonly string[], operands: readonly string[]): string[] {
  const words = [...args];
  for (const operand of operands) words.splice(words.lastIndexOf(operand), 1);
  return words;
}

export const diff: MachineCommand = {
  name: "diff",
  usage: "diff [OPTION]... FILES",
  usageHint: "diff: Try 'diff --help' for more information.",
  usageExitCode: TROUBLE,
  async run(invocation) {
    // The long name may go without a value, and the letter may stand before its number.
    const args = invocation.args.map((arg) =>
      arg === "--unified" ? "-u" : arg.replace(/^-u?(\d+)$/, "-U$1"),
    );
    const options = invocation.options(OPTIONS, { args });
    const [left, right, extra] = options.operands;
    if (left === undefined || right === undefined) {
      throw new UsageError(`missing operand after '${left ?? "diff"}'`);
    }
    if (extra !== undefined) throw new UsageError(`extra operand '${extra}'`);
    return await new Diff(invocation, options).run(left, right);
  },
};

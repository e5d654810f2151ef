import { FileError } from "../../file-system/file-error.ts";
import { fromByteString, toByteString } from "../byte-strings.ts";
import { openOperand, PIECE_LENGTH, pieces } from "./byte-source.ts";
import { contextFormat, type Lines, normalFormat, unifiedFormat } from "./diff-format.ts";
import { type Change, compareLines } from "./diff-lines.ts";
import { errorText } from "./error-text.ts";
import { formatTime } from "./format-time.ts";
import { matchesGlob } from "./glob.ts";
import type { Invocation, MachineCommand } from "./invocation.ts";
import { type ParsedOptions, UsageError } from "./options.ts";
import { quoteForShell } from "./quoting.ts";

const TROUBLE = 2;
const DEFAULT_CONTEXT = 3;

/** Of each file: its lines are held in memory. */
const MOST_BYTES = 8 * 1024 * 1024;

/** Where a zero byte makes a file a binary one. */
const EXAMINED_BYTES = 32 * 1024;

const ABSENT_TIME = 0;

/** How the names' times are written, in the locale C. */
const TIME_FORMATS = { c: "%a %b %e %H:%M:%S %Y", u: "%Y-%m-%d %H:%M:%S.%N %z" };

/** One of two files that are compared. */
interface Side {
  name: string;
  type: "file" | "directory" | "absent";
  /** In milliseconds since the epoch. */
  modifiedAt: number;
}

/** A file's lines, a character for each byte. */
function linesOf(text: string): Lines {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function isBinary(bytes: Uint8Array): boolean {
  return bytes.subarray(0, EXAMINED_BYTES).includes(0);
}

/** What two lines have to have in common to be taken for the same. */
function newKey(options: ParsedOptions): (line: string) => string {
  const rules: ((line: string) => string)[] = [];
  if (options.has("strip-trailing-cr")) rules.push((line) => line.replace(/\r\n$/, "\n"));
  if (options.has("w")) rules.push((line) => line.replace(/\s+/g, ""));
  if (options.has("b")) rules.push((line) => line.replace(/\s+$/, "").replace(/\s+/g, " "));
  if (options.has("Z")) rules.push((line) => line.replace(/\s+$/, ""));
  if (options.has("i")) rules.push((line) => line.toLowerCase());
  return (line) => rules.reduce((text, rule) => rule(text), line);
}

function readContext(options: ParsedOptions): number {
  const key = options.last("U", "C", "u", "c");
  const text = key === "U" || key === "C" ? options.value(key) : undefined;
  if (text === undefined) return DEFAULT_CONTEXT;
  if (!/^\d+$/.test(text)) throw new UsageError(`invalid context length '${text}'`);
  return Number(text);
}

class Diff {
  readonly #invocation: Invocation;
  readonly #options: ParsedOptions;
  readonly #key: (line: string) => string;
  readonly #context: number;
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
    if (left?.type === "directory" && right?.type === "file") {
      left = this.#look(`${leftName}/${rightName.slice(rightName.lastIndexOf("/") + 1)}`);
    } else if (right?.type === "directory" && left?.type === "file") {
      right = this.#look(`${rightName}/${leftName.slice(leftName.lastIndexOf("/") + 1)}`);
    }
    if (left && right) await this.#compare(left, right, true);
    if (this.#invocation.hasComplained) return TROUBLE;
    return this.#differs ? 1 : 0;
  }

  #look(name: string): Side | undefined {
    if (name === "-") return { name, type: "file", modifiedAt: Date.now() };
    const { files, credentials } = this.#invocation;
    try {
      const path = this.#invocation.path(name);
      // The shell keeps the files of `<(…)` to itself.
      if (path.startsWith("/dev/")) return { name, type: "file", modifiedAt: Date.now() };
      const { type, modifiedAt } = files.status(path, credentials);
      return { name, type: type === "directory" ? "directory" : "file", modifiedAt };
    } catch (error) {
      const isAbsent = error instanceof FileError && error.code === "ENOENT";
      if (isAbsent && this.#options.has("N")) return { name, type: "absent", modifiedAt: ABSENT_TIME };
      this.#complain(name, error);
      return undefined;
    }
  }

  #complain(name: string, error: unknown): void {
    this.#invocation.complain(`${name}: ${errorText(error)}`);
  }

  async #compare(left: Side, right: Side, isOperand: boolean): Promise<void> {
    await this.#invocation.step();
    const areDirectories = [left, right].some(({ type }) => type === "directory");
    if (areDirectories && ![left, right].some(({ type }) => type === "file")) {
      if (isOperand || this.#options.has("r")) await this.#compareDirectories(left, right);
      else await this.#invocation.print(`Common subdirectories: ${left.name} and ${right.name}\n`);
    } else if (areDirectories) {
      this.#differs = true;
      const kind = ({ type }: Side) => (type === "directory" ? "directory" : "regular file");
      await this.#invocation.print(
        `File ${left.name} is a ${kind(left)} while file ${right.name} is a ${kind(right)}\n`,
      );
    } else await this.#compareFiles(left, right, isOperand);
  }

  async #compareDirectories(left: Side, right: Side): Promise<void> {
    if (left.name === right.name) return;
    const [one, two] = [this.#namesIn(left), this.#namesIn(right)];
    if (!one || !two) return;
    for (const name of [...new Set([...one, ...two])].sort()) {
      if (this.#options.values("x").some((pattern) => matchesGlob(name, pattern))) continue;
      const [hasLeft, hasRight] = [one.has(name), two.has(name)];
      if ((!hasLeft || !hasRight) && !this.#options.has("N")) {
        this.#differs = true;
        await this.#invocation.print(`Only in ${hasLeft ? left.name : right.name}: ${name}\n`);
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
      this.#complain(name, error);
      return undefined;
    }
  }

  async #read({ name, type }: Side): Promise<Uint8Array | undefined> {
    if (type === "absent") return new Uint8Array(0);
    try {
      const parts: Uint8Array[] = [];
      let length = 0;
      for await (const piece of pieces(await openOperand(this.#invocation, name))) {
        length += piece.length;
        if (length > MOST_BYTES) {
          this.#invocation.complain(`${name}: input larger than ${MOST_BYTES} bytes: limit of this machine`);
          return undefined;
        }
        parts.push(piece);
      }
      return new Uint8Array(await new Blob(parts.map((part) => part.slice())).arrayBuffer());
    } catch (error) {
      this.#complain(name, error);
      return undefined;
    }
  }

  async #compareFiles(left: Side, right: Side, isOperand: boolean): Promise<void> {
    const a = await this.#read(left);
    const b = left.name === right.name ? a : await this.#read(right);
    if (!a || !b) return;
    const names = `${left.name} and ${right.name}`;
    if (a.length === b.length && a.every((byte, index) => byte === b[index])) {
      if (this.#options.has("s")) await this.#invocation.print(`Files ${names} are identical\n`);
      return;
    }
    if (!this.#options.has("a") && (isBinary(a) || isBinary(b))) {
      this.#differs = true;
      await this.#invocation.print(`${this.#options.has("q") ? "Files" : "Binary files"} ${names} differ\n`);
      return;
    }
    const sides: [Lines, Lines] = [linesOf(toByteString(a)), linesOf(toByteString(b))];
    const changes = await this.#changes(...sides);
    if (changes.length === 0) {
      if (this.#options.has("s")) await this.#invocation.print(`Files ${names} are identical\n`);
      return;
    }
    this.#differs = true;
    if (this.#options.has("q")) await this.#invocation.print(`Files ${names} differ\n`);
    else await this.#tell(left, right, { sides, changes, isOperand });
  }

  async #changes(left: Lines, right: Lines): Promise<Change[]> {
    const numbers = new Map<string, number>();
    const numberOf = (line: string) => {
      const key = this.#key(line);
      const number = numbers.get(key) ?? numbers.size;
      numbers.set(key, number);
      return number;
    };
    const step = (cost: number) => this.#invocation.step(cost);
    const [a, b] = [left.map(numberOf), right.map(numberOf)];
    await step((a.length + b.length) / 100);
    const changes = await compareLines(a, b, step);
    if (!this.#options.has("B")) return changes;
    return changes.filter(({ leftStart, leftEnd, rightStart, rightEnd }) =>
      [...left.slice(leftStart, leftEnd), ...right.slice(rightStart, rightEnd)].some((line) => line !== "\n"),
    );
  }

  async #tell(
    left: Side,
    right: Side,
    { sides, changes, isOperand }: { sides: [Lines, Lines]; changes: Change[]; isOperand: boolean },
  ): Promise<void> {
    const form = this.#options.last("u", "U", "c", "C", "normal")?.toLowerCase();
    if (!isOperand) {
      const given = optionWords(this.#invocation.args, this.#options.operands);
      const words = ["diff", ...given, left.name, right.name];
      await this.#invocation.print(`${words.map(quoteForShell).join(" ")}\n`);
    }
    const [before, after] = form === "c" ? ["***", "---"] : ["---", "+++"];
    if (form === "u" || form === "c") {
      const labels = this.#options.values("L");
      await this.#invocation.print(
        `${before} ${labels[0] ?? this.#title(left, form)}\n${after} ${labels[1] ?? this.#title(right, form)}\n`,
      );
    }
    const texts =
      form === "u"
        ? unifiedFormat(...sides, changes, this.#context)
        : form === "c"
          ? contextFormat(...sides, changes, this.#context)
          : normalFormat(...sides, changes);
    for (const text of texts) await this.#writeBytes(text);
  }

  #title({ name, modifiedAt }: Side, form: "u" | "c"): string {
    return `${name}\t${formatTime(modifiedAt, TIME_FORMATS[form])}`;
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
    const args = invocation.args.map((arg) => arg.replace(/^-(\d+)$/, "-U$1"));
    const options = invocation.options(
      [
        "B,ignore-blank-lines",
        "C,context=",
        "H,speed-large-files",
        "L,label=",
        "N,new-file",
        "U,unified=",
        "Z,ignore-trailing-space",
        "a,text",
        "b,ignore-space-change",
        "c",
        "d,minimal",
        "i,ignore-case",
        "q,brief",
        "r,recursive",
        "s,report-identical-files",
        "u",
        "w,ignore-all-space",
        "x,exclude=",
        ",color=?",
        ",no-dereference",
        ",normal",
        ",strip-trailing-cr",
      ],
      // Their long names may go without a value.
      { args: args.map((arg) => (arg === "--unified" ? "-u" : arg === "--context" ? "-c" : arg)) },
    );
    const [left, right, extra] = options.operands;
    if (left === undefined || right === undefined) {
      throw new UsageError(`missing operand after '${left ?? "diff"}'`);
    }
    if (extra !== undefined) throw new UsageError(`extra operand '${extra}'`);
    return await new Diff(invocation, options).run(left, right);
  },
};

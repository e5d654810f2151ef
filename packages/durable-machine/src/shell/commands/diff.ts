import { Buffer } from "node:buffer";
import { toByteString } from "../byte-strings.ts";
import { type ByteSource, openOperand, PIECE_LENGTH, pieces, readFully } from "./byte-source.ts";
import { type Change, compareLines } from "./diff-lines.ts";
import { errorText } from "./error-text.ts";
import { formatTime } from "./format-time.ts";
import { matchesGlob } from "./glob.ts";
import { CommandExit, Complaint, type Invocation, type MachineCommand } from "./invocation.ts";
import { countNewlines } from "./newlines.ts";
import { type ParsedOptions, UsageError } from "./options.ts";
import { quoteForShell } from "./quoting.ts";

const TROUBLE = 2;
const NEWLINE = 0x0a;
const DEFAULT_CONTEXT = 3;
const MAX_BYTES = 8 * 1024 * 1024;

/** A zero byte in this part of a file makes it binary. */
const EXAMINED_LENGTH = 32 * 1024;

const LINE = /[^\n]*\n|[^\n]+$/g;
const TIME_FORMAT = "%Y-%m-%d %H:%M:%S.%N %z";

const OPTIONS = `B,ignore-blank-lines L,label= N,new-file U,unified= Z,ignore-trailing-space a,text
  b,ignore-space-change d,minimal i,ignore-case q,brief r,recursive s,report-identical-files u
  w,ignore-all-space x,exclude= ,color=? ,normal ,strip-trailing-cr`;

interface Side {
  name: string;
  type: "file" | "directory" | "absent";
  modifiedAt: number;
}

function newKeyReader(options: ParsedOptions): (line: string) => string {
  const rules: ((line: string) => string)[] = [];
  if (options.has("strip-trailing-cr")) rules.push((line) => line.replace(/\r\n$/, "\n"));
  if (options.has("w")) rules.push((line) => line.replace(/\s+/g, ""));
  if (options.has("b", "Z")) rules.push((line) => line.trimEnd());
  if (options.has("b")) rules.push((line) => line.replace(/\s+/g, " "));
  if (options.has("i")) rules.push((line) => line.toLowerCase());
  return (line) => rules.reduce((text, rule) => rule(text), line);
}

/** Lines with their newlines as byte strings. The last one may have no newline. */
type Lines = readonly string[];

function prefixed(prefix: string, lines: Lines): string {
  const ended = (line: string) => (line.endsWith("\n") ? line : `${line}\n\\ No newline at end of file\n`);
  return lines.map((line) => prefix + ended(line)).join("");
}

function range(start: number, end: number): string {
  return end - start <= 1 ? String(end) : `${start + 1},${end}`;
}

function normalFormat(left: Lines, right: Lines, changes: readonly Change[]): string[] {
  return changes.map(({ leftStart, leftEnd, rightStart, rightEnd }) => {
    const letter = leftStart === leftEnd ? "a" : rightStart === rightEnd ? "d" : "c";
    const title = `${range(leftStart, leftEnd)}${letter}${range(rightStart, rightEnd)}\n`;
    const removed = prefixed("< ", left.slice(leftStart, leftEnd));
    const added = prefixed("> ", right.slice(rightStart, rightEnd));
    return title + removed + (letter === "c" ? "---\n" : "") + added;
  });
}

function extent(start: number, end: number): string {
  if (end - start === 1) return String(end);
  return `${start === end ? start : start + 1},${end - start}`;
}

function unifiedFormat(
  left: Lines,
  right: Lines,
  { changes, context }: { changes: readonly Change[]; context: number },
): string[] {
  const hunks: Change[][] = [];
  for (const change of changes) {
    const hunk = hunks.at(-1);
    const previous = hunk?.at(-1);
    if (hunk && previous && change.leftStart - previous.leftEnd <= 2 * context) hunk.push(change);
    else hunks.push([change]);
  }
  return hunks.map((hunk) => {
    const [first, last] = [hunk[0], hunk.at(-1)];
    if (first === undefined || last === undefined) return "";
    const before = Math.min(context, first.leftStart, first.rightStart);
    const after = Math.min(context, left.length - last.leftEnd, right.length - last.rightEnd);
    const leftExtent = extent(first.leftStart - before, last.leftEnd + after);
    const rightExtent = extent(first.rightStart - before, last.rightEnd + after);
    let text = `@@ -${leftExtent} +${rightExtent} @@\n`;
    let place = first.leftStart - before;
    for (const { leftStart, leftEnd, rightStart, rightEnd } of hunk) {
      text += prefixed(" ", left.slice(place, leftStart));
      text += prefixed("-", left.slice(leftStart, leftEnd));
      text += prefixed("+", right.slice(rightStart, rightEnd));
      place = leftEnd;
    }
    return text + prefixed(" ", left.slice(place, last.leftEnd + after));
  });
}

class Diff {
  readonly #invocation: Invocation;
  readonly #options: ParsedOptions;
  readonly #keyOf: (line: string) => string;
  #differs = false;

  constructor(invocation: Invocation, options: ParsedOptions) {
    this.#invocation = invocation;
    this.#options = options;
    this.#keyOf = newKeyReader(options);
  }

  async run(leftName: string, rightName: string): Promise<number> {
    await this.#invocation.guard(async () => {
      let left = await this.#look(leftName);
      let right = await this.#look(rightName);
      // A directory stands for its file with the name of the other operand.
      const inside = (directory: string, name: string) =>
        this.#look(`${directory}/${name.slice(name.lastIndexOf("/") + 1)}`);
      if (left.type === "directory" && right.type === "file") left = await inside(leftName, rightName);
      else if (right.type === "directory" && left.type === "file") right = await inside(rightName, leftName);
      await this.#compare(left, right, true);
    });
    if (this.#invocation.hasComplained) return TROUBLE;
    return this.#differs ? 1 : 0;
  }

  async #access<Result>(name: string, action: (path: string) => Result | Promise<Result>): Promise<Result> {
    try {
      return await action(this.#invocation.path(name));
    } catch (error) {
      throw new Complaint(`${name}: ${errorText(error)}`);
    }
  }

  async #look(name: string): Promise<Side> {
    // Only the shell has the files of `<(…)`.
    if (name === "-" || name.startsWith("/dev/")) return { name, type: "file", modifiedAt: Date.now() };
    const { files, credentials } = this.#invocation;
    return await this.#access(name, (path) => {
      if (this.#options.has("N") && !files.exists(path, credentials)) {
        return { name, type: "absent", modifiedAt: 0 };
      }
      const { type, modifiedAt } = files.status(path, credentials);
      return { name, type: type === "directory" ? "directory" : "file", modifiedAt };
    });
  }

  async #compare(left: Side, right: Side, isOperand: boolean): Promise<void> {
    const types = [left.type, right.type];
    if (!types.includes("directory")) {
      await this.#compareFiles(left, right, isOperand);
    } else if (types.includes("file")) {
      const described = [left, right].map(({ name, type }) => {
        return `${name} is a ${type === "directory" ? "directory" : "regular file"}`;
      });
      await this.#reportDifference(`File ${described.join(" while file ")}`);
    } else if (isOperand || this.#options.has("r")) {
      await this.#compareDirectories(left, right);
    } else {
      await this.#invocation.print(`Common subdirectories: ${left.name} and ${right.name}\n`);
    }
  }

  async #reportDifference(text: string): Promise<void> {
    this.#differs = true;
    await this.#invocation.print(`${text}\n`);
  }

  async #compareDirectories(left: Side, right: Side): Promise<void> {
    if (left.name === right.name) return;
    const leftNames = await this.#namesIn(left);
    const rightNames = await this.#namesIn(right);
    for (const name of [...new Set([...leftNames, ...rightNames])].sort()) {
      if (this.#options.values("x").some((pattern) => matchesGlob(name, pattern))) continue;
      const isCommon = leftNames.has(name) && rightNames.has(name);
      if (!isCommon && !this.#options.has("N")) {
        const directory = leftNames.has(name) ? left : right;
        await this.#reportDifference(`Only in ${directory.name}: ${name}`);
        continue;
      }
      const inside = (side: Side) => this.#look(`${side.name.replace(/\/$/, "")}/${name}`);
      await this.#invocation.guard(async () => {
        await this.#compare(await inside(left), await inside(right), false);
      });
    }
  }

  async #namesIn({ name, type }: Side): Promise<Set<string>> {
    if (type === "absent") return new Set();
    const { files, credentials } = this.#invocation;
    const entries = await this.#access(name, (path) => files.list(path, credentials));
    return new Set(entries.map((entry) => entry.name));
  }

  async #read({ name, type }: Side): Promise<string> {
    if (type === "absent") return "";
    return await this.#access(name, async () => {
      let text = "";
      for await (const piece of pieces(await openOperand(this.#invocation, name))) {
        text += toByteString(piece);
        if (text.length > MAX_BYTES) {
          throw new Complaint(`${name}: input larger than ${MAX_BYTES} bytes: limit of this machine`);
        }
      }
      return text;
    });
  }

  async #compareFiles(left: Side, right: Side, isOperand: boolean): Promise<void> {
    const leftText = await this.#read(left);
    const rightText = left.name === right.name ? leftText : await this.#read(right);
    const names = `${left.name} and ${right.name}`;
    const isBinary = [leftText, rightText].some((text) => text.slice(0, EXAMINED_LENGTH).includes("\0"));
    if (isBinary && !this.#options.has("a") && leftText !== rightText) {
      const what = this.#options.has("q") ? "Files" : "Binary files";
      return await this.#reportDifference(`${what} ${names} differ`);
    }
    const texts = leftText === rightText ? [] : await this.#changes(leftText, rightText);
    if (texts.length === 0) {
      if (this.#options.has("s")) await this.#invocation.print(`Files ${names} are identical\n`);
      return;
    }
    if (this.#options.has("q")) return await this.#reportDifference(`Files ${names} differ`);
    this.#differs = true;
    if (!isOperand) await this.#invocation.print(`${this.#commandLine(left, right)}\n`);
    if (this.#options.has("u", "U")) {
      const title = ({ name, modifiedAt }: Side) => `${name}\t${formatTime(modifiedAt, TIME_FORMAT)}`;
      const [leftLabel = title(left), rightLabel = title(right)] = this.#options.values("L");
      await this.#invocation.print(`--- ${leftLabel}\n+++ ${rightLabel}\n`);
    }
    for (const text of texts) {
      await this.#invocation.write(Buffer.from(text, "latin1"));
      await this.#invocation.step();
    }
  }

  #commandLine(left: Side, right: Side): string {
    const words = [...this.#invocation.args];
    for (const operand of this.#options.operands) words.splice(words.lastIndexOf(operand), 1);
    return ["diff", ...words, left.name, right.name].map(quoteForShell).join(" ");
  }

  async #changes(leftText: string, rightText: string): Promise<string[]> {
    const left = leftText.match(LINE) ?? [];
    const right = rightText.match(LINE) ?? [];
    await this.#invocation.step((left.length + right.length) / 100);
    const changes = compareLines(left.map(this.#keyOf), right.map(this.#keyOf)).filter((change) => {
      const removed = left.slice(change.leftStart, change.leftEnd);
      const added = right.slice(change.rightStart, change.rightEnd);
      return !this.#options.has("B") || [...removed, ...added].some((line) => line !== "\n");
    });
    if (!this.#options.has("u", "U")) return normalFormat(left, right, changes);
    const context = Number(this.#options.value("U") ?? DEFAULT_CONTEXT) || 0;
    return unifiedFormat(left, right, { changes, context });
  }
}

export const diff: MachineCommand = {
  name: "diff",
  usage: "diff [OPTION]... FILES",
  usageHint: "diff: Try 'diff --help' for more information.",
  usageExitCode: TROUBLE,
  async run(invocation) {
    // `--unified` needs no value, and `-u3` and `-3` stand for `-U3`.
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

export const cmp: MachineCommand = {
  name: "cmp",
  usage: "cmp [OPTION]... FILE1 [FILE2]",
  usageHint: "cmp: Try 'cmp --help' for more information.",
  usageExitCode: TROUBLE,
  async run(invocation) {
    const options = invocation.options("s,quiet ,silent");
    const [left, right = "-", extra] = options.operands;
    if (left === undefined) throw new UsageError("missing operand after 'cmp'");
    if (extra !== undefined) throw new UsageError(`extra operand '${extra}'`);
    const isSilent = options.has("s", "silent");
    const open = async (operand: string): Promise<ByteSource> => {
      try {
        return await openOperand(invocation, operand);
      } catch (error) {
        const message = `${operand}: ${errorText(error)}`;
        if (isSilent) throw new CommandExit(TROUBLE);
        return invocation.fail(message, TROUBLE);
      }
    };
    const leftSource = await open(left);
    const rightSource = await open(right);
    let position = 0;
    let line = 1;
    let lastByte: number | undefined;
    for (;;) {
      const a = await readFully(leftSource, PIECE_LENGTH);
      const b = await readFully(rightSource, PIECE_LENGTH);
      const common = Math.min(a.length, b.length);
      let same = 0;
      while (same < common && a[same] === b[same]) same++;
      const compared = a.subarray(0, same);
      position += same;
      line += countNewlines(compared);
      lastByte = compared.at(-1) ?? lastByte;
      if (same === a.length && same === b.length) {
        if (same < PIECE_LENGTH) return 0;
        continue;
      }
      if (isSilent) return 1;
      if (same < common) {
        await invocation.print(`${left} ${right} differ: byte ${position + 1}, line ${line}\n`);
        return 1;
      }
      const shorter = a.length < b.length ? left : right;
      const place = lastByte === NEWLINE ? `line ${line - 1}` : `in line ${line}`;
      const end = position === 0 ? "which is empty" : `after byte ${position}, ${place}`;
      invocation.complain(`EOF on ${shorter} ${end}`);
      return 1;
    }
  },
};

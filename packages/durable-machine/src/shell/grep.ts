import type { CommandContext, ExecResult } from "just-bash/browser";
import { endlessInputMessage } from "./byte-input.ts";
import { concatenate, toByteString, writtenBytes } from "./byte-strings.ts";
import { argumentBytes, splitLines } from "./commands/byte-lines.ts";
import { errorText } from "./commands/error-text.ts";
import { matchesGlob } from "./commands/glob.ts";
import { type ParsedOptions, parseOptions, UsageError } from "./commands/options.ts";
import { bundledCommand } from "./just-bash.ts";
import { readLimitOf } from "./limits.ts";
import type { CommandCall } from "./mounted-files.ts";
import { baseNameOf, joinPath } from "./paths.ts";
import { PIECES_PER_LIMIT, splitAtLines } from "./piecewise.ts";
import { ProgramError } from "./program-error.ts";
import type { Shell } from "./shell.ts";
import { result, type ShellCommand } from "./shell-commands.ts";
import { DEVICES } from "./transforms/names.ts";

const OPTIONS = `A,after-context= B,before-context= C,context= E,extended-regexp F,fixed-strings G,basic-regexp
  H,with-filename I L,files-without-match P,perl-regexp R,dereference-recursive U,binary a,text c,count e,regexp= f,file=
  h,no-filename i,ignore-case l,files-with-matches m,max-count= n,line-number o,only-matching q,quiet r,recursive
  s,no-messages v,invert-match w,word-regexp x,line-regexp ,binary-files= ,color=? ,colour=? ,exclude= ,exclude-dir=
  ,include= ,label= ,line-buffered ,no-group-separator ,silent`;

const TROUBLE = 2;
const NEWLINE = new Uint8Array([0x0a]);
const PIECE = `${DEVICES.pipe}grep`;

interface SearchedFile {
  /** Undefined: standard input. */
  name: string | undefined;
  showsName: boolean;
  matches: number;
  line: number;
  /** The last line that was printed. */
  shownTo: number;
  /** Lines that may be printed before the next match. */
  before: string[];
  /** How many of the next lines follow a match. */
  after: number;
  isDone: boolean;
}

interface Piece {
  file: SearchedFile;
  bytes: Uint8Array;
  isLast: boolean;
}

/** The bundled grep finds lines in pieces of files; what concerns several lines is done here. */
function grep(mode?: string): ShellCommand {
  return async (shell, given, context) => {
    const args = given.map((arg) => arg.replace(/^-(\d+)$/, "-C$1"));
    try {
      const options = parseOptions(mode === undefined ? args : [mode, ...args], OPTIONS);
      return await new Grep(shell, context, options).run();
    } catch (error) {
      if (error instanceof UsageError) return withTrouble(await bundledCommand(context)(given));
      if (error instanceof ProgramError) return result(TROUBLE, "", `grep: ${error.message}\n`);
      throw error;
    }
  };
}

function withTrouble(ended: ExecResult): ExecResult {
  return ended.stderr === "" ? ended : { ...ended, exitCode: TROUBLE };
}

export const GREP_COMMANDS: Readonly<Record<string, ShellCommand>> = {
  grep: grep(),
  egrep: grep("-E"),
  fgrep: grep("-F"),
};

/** The bundled grep has one escape for both ends of words, and takes `$` as a line's end only at a pattern's end. */
function withPlainEnds(pattern: string, isBasic: boolean): string {
  return pattern.replace(/\\(.)|\$(?=\\\||\n)/gs, (all, escaped) =>
    escaped === undefined ? (isBasic ? "\\($\\)" : all) : /[<>]/.test(escaped) ? "\\b" : all,
  );
}

class Grep {
  readonly #shell: Shell;
  readonly #context: CommandContext;
  readonly #options: ParsedOptions;
  readonly #operands: string[];
  readonly #finder: string[];
  readonly #before: number;
  readonly #after: number;
  readonly #max: number;
  readonly #isQuiet: boolean;
  readonly #endsAtFirst: boolean;
  readonly #limit = readLimitOf("grep") ?? { bytes: 0, isPerFile: true };
  #text = "";
  #errors = "";
  #hasFailed = false;
  #hasMatched = false;
  #hasShown = false;

  constructor(shell: Shell, context: CommandContext, options: ParsedOptions) {
    this.#shell = shell;
    this.#context = context;
    this.#options = options;
    this.#operands = [...options.operands];
    const expressions = options.values("e");
    if (expressions.length === 0 && !options.has("f")) expressions.push(...this.#operands.splice(0, 1));
    if (expressions.length === 0 && !options.has("f")) throw new UsageError("missing pattern");
    const isBasic = !options.has("E", "F", "P");
    const pattern = options.has("F")
      ? expressions.join("\n")
      : withPlainEnds(expressions.join("\n"), isBasic);
    const flags = options.given.flatMap(({ key, value = "" }) =>
      key === "f" ? ["-f", value] : /^[EFPivwx]$/.test(key) ? [`-${key}`] : [],
    );
    this.#isQuiet = options.has("q", "silent");
    this.#endsAtFirst = this.#isQuiet || options.has("l", "L");
    const showsParts = options.has("o") && !options.has("v", "c") && !this.#endsAtFirst;
    this.#finder = [
      ...flags,
      ...(showsParts ? ["-o"] : []),
      ...(expressions.length > 0 ? ["-e", pattern] : []),
    ];
    this.#before = this.#contextLength("B");
    this.#after = this.#contextLength("A");
    const max = options.value("m");
    if (max !== undefined && !/^\d+$/.test(max)) throw new ProgramError("invalid max count");
    this.#max = max === undefined ? Number.POSITIVE_INFINITY : Number(max);
  }

  async run(): Promise<ExecResult> {
    if (this.#max === 0) return result(1);
    const output = this.#shell.outputOf(this.#context);
    for await (const group of this.#groups()) {
      const failure = await this.#search(group);
      if (failure) return failure;
      await output.write(writtenBytes(this.#text, "binary"));
      this.#text = "";
      await this.#shell.context.slice.rest();
      if (this.#hasMatched && this.#isQuiet) return output.result(0, this.#errors);
    }
    return output.result(this.#hasFailed ? TROUBLE : this.#hasMatched ? 0 : 1, this.#errors);
  }

  #contextLength(key: "A" | "B"): number {
    const text = this.#options.value(key) ?? this.#options.value("C") ?? "0";
    if (!/^\d+$/.test(text)) throw new ProgramError(`${text}: invalid context length argument`);
    return Number(text);
  }

  #complain(file: Pick<SearchedFile, "name">, error: unknown): void {
    this.#hasFailed = true;
    const text = typeof error === "string" ? error : errorText(error);
    if (!this.#options.has("s")) this.#errors += `grep: ${this.#nameOf(file)}: ${text}\n`;
  }

  /** Pieces that are searched at once. */
  async *#groups(): AsyncGenerator<Piece[]> {
    const pieceBytes = this.#limit.bytes / PIECES_PER_LIMIT;
    let group: Piece[] = [];
    let length = 0;
    for await (const file of this.#files()) {
      const content = await this.#read(file);
      if (!content) continue;
      const pieces = content.length === 0 ? [content] : splitAtLines(content, pieceBytes, this.#limit.bytes);
      if (!pieces) {
        this.#complain(file, `a line is longer than ${this.#limit.bytes} bytes: limit of this machine`);
        continue;
      }
      for (const [index, bytes] of pieces.entries()) {
        if (file.isDone) break;
        group.push({ file, bytes, isLast: index === pieces.length - 1 });
        length += bytes.length;
        // The first match may end all before the next file is read.
        if (length < pieceBytes && !this.#isQuiet) continue;
        yield group;
        group = [];
        length = 0;
      }
    }
    yield group;
  }

  async *#files(): AsyncGenerator<SearchedFile> {
    const isRecursive = this.#options.has("r", "R");
    const operands = this.#operands.length === 0 ? [isRecursive ? "" : "-"] : this.#operands;
    for (const operand of operands) {
      if (operand === "-") yield this.#newFile(undefined, operands.length > 1);
      else yield* this.#walk(operand, operands.length > 1, isRecursive);
    }
  }

  async *#walk(
    path: string,
    showsName: boolean,
    isRecursive: boolean,
    ancestors: readonly unknown[] = [],
  ): AsyncGenerator<SearchedFile> {
    const { files } = this.#shell;
    try {
      const place = joinPath(this.#context.cwd, path);
      const { isDirectory, ino } = await files.stat(place);
      if (!isDirectory) yield* await this.#ifIncluded(path, showsName);
      else if (!isRecursive) this.#complain({ name: path }, "Is a directory");
      else if (ancestors.includes(ino)) this.#complain({ name: path }, "warning: recursive directory loop");
      else if (!this.#isChosen("exclude-dir", path)) {
        const start = path === "" || path.endsWith("/") ? path : `${path}/`;
        for (const { name, isFile, isSymbolicLink } of await files.readdirWithFileTypes(place)) {
          if (isFile) yield* await this.#ifIncluded(start + name, true);
          else if (!isSymbolicLink || this.#options.has("R")) {
            yield* this.#walk(start + name, true, true, [...ancestors, ino]);
          }
        }
      }
    } catch (error) {
      this.#complain({ name: path }, error);
    }
  }

  async #ifIncluded(path: string, showsName: boolean): Promise<SearchedFile[]> {
    const isIncluded = !this.#options.has("include") || this.#isChosen("include", path);
    if (isIncluded && !this.#isChosen("exclude", path)) return [this.#newFile(path, showsName)];
    await this.#shell.context.slice.step();
    return [];
  }

  #isChosen(key: string, path: string): boolean {
    return this.#options
      .values(key)
      .some((pattern) => matchesGlob(baseNameOf(path.replace(/(?<!\/)\/+$/, "")), pattern));
  }

  #newFile(name: string | undefined, isOneOfSeveral: boolean): SearchedFile {
    const chosen = this.#options.last("H", "h");
    const showsName = chosen === undefined ? isOneOfSeveral : chosen === "H";
    return { name, showsName, matches: 0, line: 0, shownTo: -1, before: [], after: 0, isDone: false };
  }

  async #read(file: SearchedFile): Promise<Uint8Array | undefined> {
    const stdin = this.#options.values("f").includes("-") ? "" : String(this.#context.stdin);
    if (file.name === undefined) return writtenBytes(stdin, "binary");
    try {
      return await this.#shell.files.readFileBuffer(joinPath(this.#context.cwd, file.name));
    } catch (error) {
      this.#complain(file, error);
      return undefined;
    }
  }

  /** @returns why the pattern cannot be searched for. */
  async #search(group: readonly Piece[]): Promise<ExecResult | undefined> {
    const { files } = this.#shell;
    const call: CommandCall = {
      input: () => this.#shell.inputOf(this.#context),
      limit: this.#limit,
      readBytes: 0,
    };
    await files.writeFile(
      PIECE,
      concatenate(group.flatMap(({ bytes }) => (bytes.at(-1) === 0x0a ? bytes : [bytes, NEWLINE]))),
    );
    const finder = [...this.#finder, "-n", "--", PIECE];
    const found = await files.during(call, () => bundledCommand(this.#context)(finder));
    await files.rm(PIECE);
    if (call.excess !== undefined || found.stderr.includes(PIECE)) {
      const excess = call.excess ?? "a piece of the input";
      const problem = `${excess} has more than ${this.#limit.bytes} bytes, too many matches or empty ones`;
      return result(TROUBLE, "", `grep: ${problem}: limit of this machine\n`);
    }
    if (found.stderr !== "") return withTrouble(found);
    const parts = new Map<number, string[]>();
    for (const text of splitLines(found.stdout)) {
      const mark = text.indexOf(":");
      const line = Number(text.slice(0, mark));
      parts.set(line, [...(parts.get(line) ?? []), text.slice(mark + 1)]);
    }
    let number = 0;
    for (const { file, bytes, isLast } of group) {
      const lines = splitLines(toByteString(bytes));
      for (const line of lines) {
        number++;
        if (!file.isDone) this.#take(file, line, parts.get(number));
      }
      // An empty file has one line in the piece.
      if (lines.length === 0) number++;
      const stdin = String(this.#context.stdin);
      if (isLast && !file.isDone && file.name === undefined && this.#shell.isEndless(stdin))
        this.#complain(file, endlessInputMessage(stdin.length));
      if (isLast) this.#end(file);
    }
    return undefined;
  }

  #take(file: SearchedFile, line: string, parts: readonly string[] | undefined): void {
    file.line++;
    const isMatch = parts !== undefined && file.matches < this.#max;
    if (isMatch) {
      file.matches++;
      this.#hasMatched = true;
      file.after = this.#after;
      if (this.#endsAtFirst) this.#end(file);
      else if (!this.#options.has("c")) this.#showMatch(file, line, parts);
    } else if (file.after > 0) {
      file.after--;
      this.#showContext(file, file.line, line);
      file.shownTo = file.line;
    } else if (this.#before > 0) {
      file.before.push(line);
      if (file.before.length > 2 * this.#before) file.before = file.before.slice(-this.#before);
    }
    if (file.matches === this.#max && file.after === 0) this.#end(file);
  }

  #showMatch(file: SearchedFile, line: string, parts: readonly string[]): void {
    const before = this.#before > 0 ? file.before.slice(-this.#before) : [];
    const first = file.line - before.length;
    const isApart = this.#hasShown && first > file.shownTo + 1;
    if (isApart && this.#options.has("A", "B", "C") && !this.#options.has("no-group-separator"))
      this.#text += "--\n";
    for (const [index, each] of before.entries()) this.#showContext(file, first + index, each);
    const isWhole = !this.#options.has("o");
    const shown = isWhole ? [line] : this.#options.has("v") ? [] : parts.filter(Boolean).map(argumentBytes);
    for (const text of shown) this.#show(file, file.line, ":", text);
    file.before = [];
    file.shownTo = file.line;
    this.#hasShown = true;
  }

  #showContext(file: SearchedFile, number: number, line: string): void {
    if (!this.#options.has("o", "c")) this.#show(file, number, "-", line);
  }

  #show(file: SearchedFile, number: number, mark: string, text: string): void {
    const place = this.#options.has("n") ? `${number}${mark}` : "";
    this.#text += `${file.showsName ? argumentBytes(this.#nameOf(file)) + mark : ""}${place}${text}\n`;
  }

  #end(file: SearchedFile): void {
    if (file.isDone) return;
    file.isDone = true;
    const { matches } = file;
    const name = argumentBytes(this.#nameOf(file));
    if (this.#isQuiet) return;
    const list = this.#options.last("l", "L");
    if (list !== undefined) this.#text += (list === "l") === matches > 0 ? `${name}\n` : "";
    else if (this.#options.has("c")) this.#text += `${file.showsName ? `${name}:` : ""}${matches}\n`;
  }

  #nameOf({ name }: Pick<SearchedFile, "name">): string {
    return name ?? this.#options.value("label") ?? "(standard input)";
  }
}

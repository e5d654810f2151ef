import { LineWriter, lineGroups } from "./byte-lines.ts";
import { type ByteSink, openSink, outputSink } from "./byte-sink.ts";
import { openOperand } from "./byte-source.ts";
import { errorText } from "./error-text.ts";
import type { Invocation, MachineCommand } from "./invocation.ts";
import { type ParsedOptions, UsageError } from "./options.ts";
import { quoteForShell, quoteWord } from "./quoting.ts";

const COUNT_WIDTH = 7;

/** Which lines of a group of equal ones are written, and what stands between groups. */
interface Selection {
  ofGroups: "any" | "repeated" | "single" | "none";
  all: boolean;
  counts: boolean;
  separator: "none" | "prepend" | "append" | "separate" | "both";
}

function readMethod<Method extends string>(
  options: ParsedOptions,
  { key, methods, standard }: { key: string; methods: readonly Method[]; standard: Method },
): Method | undefined {
  if (!options.has(key)) return undefined;
  const word = options.value(key) ?? standard;
  const method = methods.find((candidate) => candidate === word);
  if (method !== undefined) return method;
  const valid = methods.map((candidate) => `\n  - '${candidate}'`).join("");
  throw new UsageError(`invalid argument ${quoteWord(word)} for '--${key}'\nValid arguments are:${valid}`);
}

function readSelection(options: ParsedOptions): Selection {
  const repeated = readMethod(options, {
    key: "all-repeated",
    methods: ["none", "prepend", "separate"],
    standard: "none",
  });
  const grouped = readMethod(options, {
    key: "group",
    methods: ["prepend", "append", "separate", "both"],
    standard: "separate",
  });
  const showsRepeated = options.has("D", "all-repeated");
  if (grouped !== undefined && (showsRepeated || options.has("c", "d", "u"))) {
    throw new UsageError("--group is mutually exclusive with -c/-d/-D/-u");
  }
  if (showsRepeated && options.has("c")) {
    throw new UsageError("printing all duplicated lines and repeat counts is meaningless");
  }
  const wantsRepeated = showsRepeated || options.has("d");
  const wantsSingle = options.has("u");
  return {
    ofGroups:
      wantsRepeated && wantsSingle ? "none" : wantsRepeated ? "repeated" : wantsSingle ? "single" : "any",
    all: showsRepeated || grouped !== undefined,
    counts: options.has("c"),
    separator: grouped ?? repeated ?? "none",
  };
}

function readCount(options: ParsedOptions, letter: string, what: string): number | undefined {
  const text = options.value(letter);
  if (text === undefined) return undefined;
  if (!/^\d+$/.test(text)) throw new UsageError(`${text}: invalid number of ${what}`, { hint: false });
  return Number(text);
}

/** The part of a line that is compared. */
function readKey(options: ParsedOptions): (line: string) => string {
  const fields = readCount(options, "f", "fields to skip") ?? 0;
  const skipped = readCount(options, "s", "bytes to skip") ?? 0;
  const width = readCount(options, "w", "bytes to compare");
  const ignoresCase = options.has("i");
  return (line) => {
    let start = 0;
    for (let field = 0; field < fields && start < line.length; field++) {
      while (start < line.length && /[ \t\n]/.test(line.charAt(start))) start++;
      while (start < line.length && !/[ \t\n]/.test(line.charAt(start))) start++;
    }
    start += skipped;
    const key = line.slice(start, width === undefined ? undefined : start + width);
    return ignoresCase ? key.replace(/[a-z]+/g, (letters) => letters.toUpperCase()) : key;
  };
}

/** Takes lines one after the other and writes what is chosen of each group. */
class GroupWriter {
  readonly #writer: LineWriter;
  readonly #selection: Selection;
  readonly #end: string;
  #first: string | undefined;
  #count = 0;
  #hasWritten = false;

  constructor(writer: LineWriter, selection: Selection, end: string) {
    this.#writer = writer;
    this.#selection = selection;
    this.#end = end;
  }

  async begin(line: string): Promise<void> {
    await this.finish();
    this.#first = line;
    this.#count = 1;
    if (this.#selection.all && this.#selection.ofGroups === "any") await this.#writeFirst(line);
  }

  async repeat(line: string): Promise<void> {
    this.#count++;
    if (!this.#selection.all) return;
    if (this.#count === 2 && this.#selection.ofGroups === "repeated" && this.#first !== undefined) {
      await this.#writeFirst(this.#first);
    }
    await this.#writer.write(line + this.#end);
  }

  /** The group is complete. */
  async finish(): Promise<void> {
    if (this.#first === undefined || this.#selection.all) return;
    const { ofGroups, counts } = this.#selection;
    if (ofGroups === "none" || (ofGroups === "repeated" && this.#count === 1)) return;
    if (ofGroups === "single" && this.#count > 1) return;
    const count = counts ? `${String(this.#count).padStart(COUNT_WIDTH)} ` : "";
    await this.#writer.write(count + this.#first + this.#end);
  }

  /** All groups are complete. */
  async close(): Promise<void> {
    await this.finish();
    const closes = this.#selection.separator === "append" || this.#selection.separator === "both";
    if (closes && this.#hasWritten) await this.#writer.write(this.#end);
    await this.#writer.flush();
  }

  async #writeFirst(line: string): Promise<void> {
    const { separator } = this.#selection;
    const leads = separator === "prepend" || separator === "both";
    if (leads || (separator !== "none" && this.#hasWritten)) await this.#writer.write(this.#end);
    this.#hasWritten = true;
    await this.#writer.write(line + this.#end);
  }
}

function openOutput(invocation: Invocation, operand: string): ByteSink {
  if (operand === "-") return outputSink(invocation);
  try {
    return openSink(invocation, operand);
  } catch (error) {
    invocation.fail(`${quoteForShell(operand)}: ${errorText(error)}`);
  }
}

export const uniq: MachineCommand = {
  name: "uniq",
  usage: "uniq [OPTION]... [INPUT [OUTPUT]]",
  async run(invocation) {
    const options = invocation.options([
      "c,count",
      "d,repeated",
      "D",
      ",all-repeated=?",
      ",group=?",
      "f,skip-fields=",
      "i,ignore-case",
      "s,skip-chars=",
      "u,unique",
      "w,check-chars=",
      "z,zero-terminated",
    ]);
    const [input = "-", output = "-", extra] = options.operands;
    if (extra !== undefined) throw new UsageError(`extra operand ${quoteWord(extra)}`);
    const keyOf = readKey(options);
    const selection = readSelection(options);
    const end = options.has("z") ? "\0" : "\n";
    try {
      const source = await openOperand(invocation, input);
      const groups = new GroupWriter(new LineWriter(openOutput(invocation, output)), selection, end);
      let previous: string | undefined;
      for await (const lines of lineGroups(invocation, source, end)) {
        for (const line of lines) {
          const key = keyOf(line);
          if (key === previous) await groups.repeat(line);
          else await groups.begin(line);
          previous = key;
        }
      }
      await groups.close();
    } catch (error) {
      const reason = errorText(error);
      invocation.fail(
        reason === "Is a directory"
          ? `error reading ${quoteWord(input)}`
          : `${quoteForShell(input)}: ${reason}`,
      );
    }
  },
};

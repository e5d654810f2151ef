import { argumentBytes, endOfLine, linesOf, writeLines } from "./byte-lines.ts";
import { outputSink } from "./byte-sink.ts";
import type { Invocation, MachineCommand } from "./invocation.ts";
import { type ParsedOptions, UsageError } from "./options.ts";
import { quoteWord } from "./quoting.ts";

const OPTIONS = "1= 2= a= e= i,ignore-case j= o= t= v= ,check-order ,nocheck-order ,header z,zero-terminated";

/** Lines of one key are all held. */
const MAX_HELD_BYTES = 16 * 1024 * 1024;

const LINE_BYTES = 100;
const FIELD_BYTES = 30;

interface Line {
  fields: string[];
  /** What lines are joined by. */
  key: string;
}

/** A field of a line of one file, or the one that lines are joined by. */
type Column = { file: 1 | 2; field: number } | "key";

function readNumber(text: string, most = Number.MAX_SAFE_INTEGER): number {
  const number = /^\d{1,15}$/.test(text) ? Number(text) : 0;
  if (number >= 1 && number <= most) return number;
  throw new UsageError(`invalid field number: ${quoteWord(text)}`, { hint: false });
}

function readColumn(text: string): Column {
  if (text === "0") return "key";
  const [, file, field = ""] = /^([12])\.(.*)$/.exec(text) ?? [];
  if (file === undefined)
    throw new UsageError(`invalid file number in field spec: ${quoteWord(text)}`, { hint: false });
  return { file: file === "1" ? 1 : 2, field: readNumber(field) - 1 };
}

/** A sorted file, of which one line is looked at. */
class Input {
  line: Line | undefined;
  isDisordered = false;
  readonly #invocation: Invocation;
  readonly #name: string;
  readonly #lines: AsyncGenerator<string, undefined>;
  readonly #options: ParsedOptions;
  /** The index of the field that lines are joined by. */
  readonly #field: number;
  #count = 0;

  constructor(invocation: Invocation, options: ParsedOptions, file: "1" | "2") {
    this.#invocation = invocation;
    this.#options = options;
    this.#name = options.operands[Number(file) - 1] ?? "";
    this.#lines = linesOf(invocation, this.#name, endOfLine(options));
    this.#field = readNumber(options.value(file) ?? options.value("j") ?? "1") - 1;
  }

  /** The field that lines are joined by, as it is. */
  shownOf(line: Line | undefined): string {
    return line?.fields[this.#field] ?? "";
  }

  othersOf(line: Line | undefined): string[] {
    return line?.fields.toSpliced(this.#field, 1) ?? [];
  }

  #read(text: string): Line {
    const separator = separatorOf(this.#options);
    const fields =
      separator === undefined ? text.replace(/^[ \t\n]+/, "").split(/[ \t\n]+/) : text.split(separator);
    const shown = fields[this.#field] ?? "";
    return { fields, key: this.#options.has("i") ? shown.toLowerCase() : shown };
  }

  async advance(checksOrder: boolean): Promise<void> {
    const { value } = await this.#lines.next();
    const before = this.line?.key;
    this.line = value === undefined ? undefined : this.#read(value);
    this.#count++;
    if (this.line === undefined || before === undefined || before <= this.line.key) return;
    if (!checksOrder || this.isDisordered) return;
    this.isDisordered = true;
    const complaint = `${this.#name}:${this.#count}: is not sorted: ${value}`;
    if (this.#options.has("check-order")) this.#invocation.fail(complaint);
    this.#invocation.complain(complaint);
  }

  /** The lines with the key of the present one, which this moves past. */
  async takeEqual(checksOrder: boolean): Promise<Line[]> {
    const taken: Line[] = [];
    const key = this.line?.key;
    let held = 0;
    while (this.line !== undefined && this.line.key === key) {
      taken.push(this.line);
      held += this.line.fields.reduce((bytes, field) => bytes + FIELD_BYTES + field.length, LINE_BYTES);
      if (held > MAX_HELD_BYTES) this.#invocation.fail("memory exhausted");
      await this.advance(checksOrder);
    }
    return taken;
  }
}

function separatorOf(options: ParsedOptions): string | undefined {
  const given = options.value("t");
  if (given === undefined) return undefined;
  const separator = given === "\\0" ? "\0" : argumentBytes(given) || "\n";
  if (separator.length > 1) throw new UsageError(`multi-character tab ${quoteWord(given)}`, { hint: false });
  return separator;
}

function requireFiles({ operands }: ParsedOptions): void {
  const [first, second, extra] = operands;
  if (first === undefined) throw new UsageError("missing operand");
  if (second === undefined) throw new UsageError(`missing operand after ${quoteWord(first)}`);
  if (extra !== undefined) throw new UsageError(`extra operand ${quoteWord(extra)}`);
  if (first !== "-" || second !== "-") return;
  throw new UsageError("both files cannot be standard input", { hint: false });
}

export const join: MachineCommand = {
  name: "join",
  usage: "join [OPTION]... FILE1 FILE2",
  async run(invocation) {
    const options = invocation.options(OPTIONS);
    requireFiles(options);
    const unpaired = [...options.values("a"), ...options.values("v")].map((text) => readNumber(text, 2));
    const separator = separatorOf(options) ?? " ";
    const empty = argumentBytes(options.value("e") ?? "");
    const list = options.values("o").join(",");
    const columns = list === "" || list === "auto" ? undefined : list.split(/[ \t,]+/).map(readColumn);
    const [left, right] = [new Input(invocation, options, "1"), new Input(invocation, options, "2")];
    const sink = outputSink(invocation);
    await left.advance(false);
    await right.advance(false);
    const widths = [left.othersOf(left.line).length, right.othersOf(right.line).length];

    const write = async (one: Line | undefined, two: Line | undefined) => {
      const shown = left.shownOf(one) || right.shownOf(two);
      const cell = (column: Column) =>
        column === "key" ? shown : (column.file === 1 ? one : two)?.fields[column.field];
      const others = [left.othersOf(one), right.othersOf(two)].flatMap((fields, index) =>
        list === "auto" ? Array.from({ length: widths[index] ?? 0 }, (_, at) => fields[at]) : fields,
      );
      const cells = columns?.map(cell) ?? [shown, ...others];
      await writeLines(sink, [cells.map((text) => text || empty).join(separator)], endOfLine(options));
      await invocation.step();
    };
    const passUnpaired = async (input: Input, checksOrder: boolean) => {
      const { line } = input;
      if (unpaired.includes(input === left ? 1 : 2))
        await write(input === left ? line : undefined, input === left ? undefined : line);
      await input.advance(checksOrder);
    };

    if (options.has("header") && (left.line ?? right.line) !== undefined) {
      await write(left.line, right.line);
      for (const input of [left, right]) {
        input.line = undefined;
        await input.advance(false);
      }
    }
    const mayCheck = !options.has("nocheck-order");
    // As long as all lines have a partner, their order does not matter.
    let checksOrder = options.has("check-order");
    while (left.line !== undefined && right.line !== undefined) {
      if (left.line.key !== right.line.key) {
        await passUnpaired(left.line.key < right.line.key ? left : right, checksOrder);
        checksOrder ||= mayCheck;
        continue;
      }
      const [ones, twos] = [await left.takeEqual(checksOrder), await right.takeEqual(checksOrder)];
      if (options.has("v")) continue;
      for (const one of ones) for (const two of twos) await write(one, two);
    }
    for (const input of [left, right]) while (input.line !== undefined) await passUnpaired(input, mayCheck);
    await sink.flush();
    if (left.isDisordered || right.isDisordered) invocation.complain("input is not in sorted order");
  },
};

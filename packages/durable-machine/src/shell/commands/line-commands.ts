import { randomInt } from "node:crypto";
import {
  argumentBytes,
  endOfLine,
  lineGroups,
  linesOf,
  readText,
  splitLines,
  writeLines,
} from "./byte-lines.ts";
import { openOutput, outputSink } from "./byte-sink.ts";
import { forEachSource, openOnly } from "./byte-source.ts";
import type { Invocation, MachineCommand } from "./invocation.ts";
import { type ParsedOptions, UsageError } from "./options.ts";
import { quoteWord } from "./quoting.ts";

const CUT_OPTIONS =
  "b,bytes= c,characters= d,delimiter= f,fields= ,complement s,only-delimited ,output-delimiter= z,zero-terminated";

const UNIQ_OPTIONS =
  "c,count d,repeated D f,skip-fields= i,ignore-case s,skip-chars= u,unique w,check-chars= z,zero-terminated";

const SHUF_OPTIONS = "e,echo i,input-range= n,head-count= o,output= r,repeat z,zero-terminated";

const MAX_SHUFFLED_ITEMS = 1_000_000;

const PASTE_ESCAPES: Record<string, string> = { "\\0": "", "\\n": "\n", "\\t": "\t", "\\\\": "\\" };

/** Whether a position, counted from 1, is in a list such as `1,3-5,7-`. @throws UsageError */
function readList(list: string): (position: number) => boolean {
  const ranges = list.split(/[, \t]/).map((text) => {
    const [, low, dash, high] = /^(\d*)(?!\d)(-?)(\d*)$/.exec(text) ?? [];
    if (dash === undefined || text === "-") throw new UsageError(`invalid range ${quoteWord(text)}`);
    const first = low === "" && dash !== "" ? 1 : Number(low);
    const last = dash === "" ? first : Number(high || Number.POSITIVE_INFINITY);
    if (first === 0) throw new UsageError("fields and positions are numbered from 1");
    if (last < first) throw new UsageError("invalid decreasing range");
    return { first, last };
  });
  return (position) => ranges.some(({ first, last }) => first <= position && position <= last);
}

function newCutter(options: ParsedOptions): (line: string) => string | undefined {
  const lists = options.given.filter(({ key }) => key === "b" || key === "c" || key === "f");
  const [list, second] = lists;
  if (list === undefined) throw new UsageError("you must specify a list of bytes, characters, or fields");
  if (second !== undefined) throw new UsageError("only one list may be specified");
  const ofFields = list.key === "f";
  const isListed = readList(list.value ?? "");
  const isKept = (_: string, index: number) => isListed(index + 1) !== options.has("complement");
  const delimiter = argumentBytes(options.value("d") ?? "\t") || "\0";
  if (delimiter.length > 1) throw new UsageError("the delimiter must be a single character");
  const output = argumentBytes(options.value("output-delimiter") ?? (ofFields ? delimiter : ""));
  return (line) => {
    if (!ofFields) return Array.from(line).filter(isKept).join(output);
    if (line.includes(delimiter)) return line.split(delimiter).filter(isKept).join(output);
    return options.has("s") ? undefined : line;
  };
}

export const cut: MachineCommand = {
  name: "cut",
  usage: "cut OPTION... [FILE]...",
  async run(invocation) {
    const options = invocation.options(CUT_OPTIONS);
    const cutLine = newCutter(options);
    const sink = outputSink(invocation);
    const end = endOfLine(options);
    await forEachSource(invocation, options.operands, async (source) => {
      for await (const lines of lineGroups(invocation, source, end)) {
        const kept = lines.map(cutLine).filter((line) => line !== undefined);
        await writeLines(sink, kept, end);
      }
    });
    await sink.flush();
  },
};

export const paste: MachineCommand = {
  name: "paste",
  usage: "paste [OPTION]... [FILE]...",
  async run(invocation) {
    const options = invocation.options("d,delimiters= s,serial z,zero-terminated");
    const list = argumentBytes(options.value("d") ?? "\t").match(/\\?[\s\S]/g) ?? [""];
    const delimiters = list.map((text) => PASTE_ESCAPES[text] ?? text);
    const before = (index: number) => (index === 0 ? "" : delimiters[(index - 1) % delimiters.length]);
    const end = endOfLine(options);
    const sink = outputSink(invocation);
    // All operands `-` share one reader, so that they take lines in turn.
    const input = linesOf(invocation, "-", end);
    const operands = options.operands.length === 0 ? ["-"] : options.operands;
    const columns = operands.map((operand) => (operand === "-" ? input : linesOf(invocation, operand, end)));
    if (options.has("s")) {
      for (const lines of columns) {
        let index = 0;
        for await (const line of lines) await writeLines(sink, [before(index++) + line], "");
        await writeLines(sink, [""], end);
      }
    } else {
      for (;;) {
        const cells: (string | undefined)[] = [];
        for (const lines of columns) cells.push((await lines.next()).value);
        if (cells.every((cell) => cell === undefined)) break;
        await writeLines(sink, [cells.map((cell = "", index) => before(index) + cell).join("")], end);
      }
    }
    await sink.flush();
  },
};

function readCount(options: ParsedOptions, key: string, what: string): number | undefined {
  const text = options.value(key);
  if (text === undefined) return undefined;
  if (!/^\d+$/.test(text)) throw new UsageError(`${text}: invalid number of ${what}`, { hint: false });
  return Number(text);
}

function newKeyReader(options: ParsedOptions): (line: string) => string {
  const fields = new RegExp(`^(?:[ \\t\\n]*[^ \\t\\n]*){${readCount(options, "f", "fields to skip") ?? 0}}`);
  const start = readCount(options, "s", "bytes to skip") ?? 0;
  const width = readCount(options, "w", "bytes to compare") ?? Number.POSITIVE_INFINITY;
  return (line) => {
    const key = line.replace(fields, "").slice(start, start + width);
    return options.has("i") ? key.toLowerCase() : key;
  };
}

export const uniq: MachineCommand = {
  name: "uniq",
  usage: "uniq [OPTION]... [INPUT [OUTPUT]]",
  async run(invocation) {
    const options = invocation.options(UNIQ_OPTIONS);
    const [input, output, extra] = options.operands;
    if (extra !== undefined) throw new UsageError(`extra operand ${quoteWord(extra)}`);
    const keyOf = newKeyReader(options);
    const end = endOfLine(options);
    const writesAll = options.has("D");
    const source = await openOnly(invocation, input);
    const sink = openOutput(invocation, output);
    let first = "";
    let key: string | undefined;
    let count = 0;
    let shown: string[] = [];
    const finish = () => {
      const isWanted = count === 1 ? !options.has("d") : !options.has("u");
      if (count === 0 || writesAll || !isWanted) return;
      shown.push(options.has("c") ? `${String(count).padStart(7)} ${first}` : first);
    };
    for await (const lines of lineGroups(invocation, source, end)) {
      for (const line of lines) {
        const lineKey = keyOf(line);
        if (lineKey === key) {
          if (writesAll) shown.push(...(count === 1 ? [first, line] : [line]));
          count++;
        } else {
          finish();
          [first, key, count] = [line, lineKey, 1];
        }
      }
      await writeLines(sink, shown, end);
      shown = [];
    }
    finish();
    await writeLines(sink, shown, end);
    await sink.flush();
  },
};

export const tac: MachineCommand = {
  name: "tac",
  usage: "tac [OPTION]... [FILE]...",
  async run(invocation) {
    const options = invocation.options("s,separator=");
    const separator = argumentBytes(options.value("s") ?? "\n") || "\0";
    const sink = outputSink(invocation);
    await forEachSource(invocation, options.operands, async (source) => {
      const records = (await readText(invocation, source)).split(separator);
      const unfinished = records.pop() ?? "";
      await writeLines(sink, [unfinished], "");
      await writeLines(sink, records.reverse(), separator);
    });
    await sink.flush();
  },
};

async function readItems(invocation: Invocation, options: ParsedOptions, end: string): Promise<string[]> {
  const range = options.value("i");
  if (range !== undefined) {
    const [, low, high] = /^(\d+)-(\d+)$/.exec(range) ?? [];
    const length = Number(high) - Number(low) + 1;
    if (!(length >= 0)) throw new UsageError(`invalid input range: ${quoteWord(range)}`, { hint: false });
    if (length > MAX_SHUFFLED_ITEMS) invocation.fail("memory exhausted");
    return Array.from({ length }, (_, index) => String(Number(low) + index));
  }
  if (options.has("e")) return options.operands.map(argumentBytes);
  const source = await openOnly(invocation, options.operands[0]);
  return splitLines(await readText(invocation, source), end);
}

export const shuf: MachineCommand = {
  name: "shuf",
  usage: "shuf [OPTION]... [FILE]\n  or:  shuf -e [OPTION]... [ARG]...\n  or:  shuf -i LO-HI [OPTION]...",
  async run(invocation) {
    const options = invocation.options(SHUF_OPTIONS);
    const end = endOfLine(options);
    const wanted = Number(options.value("n") ?? Number.POSITIVE_INFINITY);
    if (!(wanted >= 0)) {
      throw new UsageError(`invalid line count: ${quoteWord(options.value("n") ?? "")}`, { hint: false });
    }
    const items = await readItems(invocation, options, end);
    const repeats = options.has("r");
    if (repeats && items.length === 0) invocation.fail("no lines to repeat");
    const count = repeats ? wanted : Math.min(wanted, items.length);
    const sink = openOutput(invocation, options.value("o"));
    for (let index = 0; index < count; index++) {
      const chosen = repeats ? randomInt(items.length) : randomInt(index, items.length);
      await writeLines(sink, [items[chosen] ?? ""], end);
      if (!repeats) items[chosen] = items[index] ?? "";
      await invocation.step();
    }
    await sink.flush();
  },
};

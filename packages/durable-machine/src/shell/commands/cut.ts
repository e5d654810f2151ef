import { argumentBytes, LineWriter, lineGroups } from "./byte-lines.ts";
import { outputSink } from "./byte-sink.ts";
import { forEachSource } from "./byte-source.ts";
import type { MachineCommand } from "./invocation.ts";
import { type ParsedOptions, UsageError } from "./options.ts";
import { quoteWord } from "./quoting.ts";

const OPTIONS =
  "b,bytes= c,characters= d,delimiter= f,fields= ,complement s,only-delimited ,output-delimiter= z,zero-terminated";

/** Whether a position, counted from 1, is in a list such as `1,3-5,7-`. @throws UsageError */
function readList(list: string): (position: number) => boolean {
  const ranges = list.split(/[, \t]/).map((text) => {
    const [, low, dash, high] = /^(\d*)(-?)(\d*)$/.exec(text) ?? [];
    if (dash === undefined || text === "-") throw new UsageError(`invalid range ${quoteWord(text)}`);
    const first = low === "" && dash !== "" ? 1 : Number(low);
    const last = dash === "" ? first : Number(high || Number.POSITIVE_INFINITY);
    if (first === 0) throw new UsageError("fields and positions are numbered from 1");
    if (last < first) throw new UsageError("invalid decreasing range");
    return { first, last };
  });
  return (position) => ranges.some(({ first, last }) => first <= position && position <= last);
}

/** The function cuts a line. It returns undefined for a line that is left out. */
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
    const options = invocation.options(OPTIONS);
    const cutLine = newCutter(options);
    const writer = new LineWriter(outputSink(invocation));
    const end = options.has("z") ? "\0" : "\n";
    await forEachSource(invocation, options.operands, async (source) => {
      for await (const lines of lineGroups(invocation, source, end)) {
        for (const line of lines) {
          const kept = cutLine(line);
          if (kept !== undefined) await writer.write(kept + end);
        }
      }
    });
    await writer.flush();
  },
};

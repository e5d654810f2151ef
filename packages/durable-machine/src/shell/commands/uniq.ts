import { LineWriter, lineGroups } from "./byte-lines.ts";
import { openOutput } from "./byte-sink.ts";
import { openOnly } from "./byte-source.ts";
import type { MachineCommand } from "./invocation.ts";
import { type ParsedOptions, UsageError } from "./options.ts";
import { quoteWord } from "./quoting.ts";

const OPTIONS =
  "c,count d,repeated D f,skip-fields= i,ignore-case s,skip-chars= u,unique w,check-chars= z,zero-terminated";

function readCount(options: ParsedOptions, key: string, what: string): number | undefined {
  const text = options.value(key);
  if (text === undefined) return undefined;
  if (!/^\d+$/.test(text)) throw new UsageError(`${text}: invalid number of ${what}`, { hint: false });
  return Number(text);
}

/** The function returns the part of a line that is compared. */
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
    const options = invocation.options(OPTIONS);
    const [input, output, extra] = options.operands;
    if (extra !== undefined) throw new UsageError(`extra operand ${quoteWord(extra)}`);
    const keyOf = newKeyReader(options);
    const end = options.has("z") ? "\0" : "\n";
    const writesAll = options.has("D");
    const source = await openOnly(invocation, input);
    const writer = new LineWriter(openOutput(invocation, output));
    let first = "";
    let key: string | undefined;
    let count = 0;
    const finish = async () => {
      const isWanted = count === 1 ? !options.has("d") : !options.has("u");
      if (count === 0 || writesAll || !isWanted) return;
      await writer.write((options.has("c") ? `${String(count).padStart(7)} ` : "") + first + end);
    };
    for await (const lines of lineGroups(invocation, source, end)) {
      for (const line of lines) {
        const lineKey = keyOf(line);
        if (lineKey === key) {
          if (writesAll) await writer.write((count === 1 ? first + end : "") + line + end);
          count++;
        } else {
          await finish();
          [first, key, count] = [line, lineKey, 1];
        }
      }
    }
    await finish();
    await writer.flush();
  },
};

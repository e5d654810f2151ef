import { argumentBytes, LineWriter, readText, splitLines } from "./byte-lines.ts";
import { openSink, outputSink } from "./byte-sink.ts";
import { openOnly } from "./byte-source.ts";
import type { Invocation, MachineCommand } from "./invocation.ts";
import { type ParsedOptions, UsageError } from "./options.ts";
import { quoteWord } from "./quoting.ts";
import { randomBelow } from "./random.ts";

/** More items than this are not shuffled in memory. */
const MAX_ITEMS = 1_000_000;

async function readItems(invocation: Invocation, options: ParsedOptions, end: string): Promise<string[]> {
  const range = options.value("i");
  if (range !== undefined) {
    const [, low, high] = /^(\d+)-(\d+)$/.exec(range) ?? [];
    const length = Number(high) - Number(low) + 1;
    if (!(length >= 0)) throw new UsageError(`invalid input range: ${quoteWord(range)}`, { hint: false });
    if (length > MAX_ITEMS) invocation.fail("memory exhausted");
    return Array.from({ length }, (_, index) => String(Number(low) + index));
  }
  if (options.has("e")) return options.operands.map(argumentBytes);
  const source = await openOnly(invocation, options.operands[0] ?? "-");
  return splitLines(await readText(invocation, source), end);
}

export const shuf: MachineCommand = {
  name: "shuf",
  usage: "shuf [OPTION]... [FILE]\n  or:  shuf -e [OPTION]... [ARG]...\n  or:  shuf -i LO-HI [OPTION]...",
  async run(invocation) {
    const options = invocation.options([
      "e,echo",
      "i,input-range=",
      "n,head-count=",
      "o,output=",
      "r,repeat",
      "z,zero-terminated",
    ]);
    const end = options.has("z") ? "\0" : "\n";
    const wanted = options.value("n") ?? "Infinity";
    if (!/^(?:\d+|Infinity)$/.test(wanted)) {
      throw new UsageError(`invalid line count: ${quoteWord(wanted)}`, { hint: false });
    }
    const items = await readItems(invocation, options, end);
    const repeats = options.has("r");
    if (repeats && items.length === 0) invocation.fail("no lines to repeat");
    const count = repeats ? Number(wanted) : Math.min(Number(wanted), items.length);
    const output = options.value("o");
    const writer = new LineWriter(
      output === undefined ? outputSink(invocation) : openSink(invocation, output),
    );
    for (let index = 0; index < count; index++) {
      const chosen = repeats ? randomBelow(items.length) : index + randomBelow(items.length - index);
      await writer.write((items[chosen] ?? "") + end);
      if (!repeats) items[chosen] = items[index] ?? "";
      await invocation.step();
    }
    await writer.flush();
  },
};

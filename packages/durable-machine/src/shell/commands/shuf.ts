import { randomInt } from "node:crypto";
import { argumentBytes, LineWriter, readText, splitLines } from "./byte-lines.ts";
import { openOutput } from "./byte-sink.ts";
import { openOnly } from "./byte-source.ts";
import type { Invocation, MachineCommand } from "./invocation.ts";
import { type ParsedOptions, UsageError } from "./options.ts";
import { quoteWord } from "./quoting.ts";

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
  const source = await openOnly(invocation, options.operands[0]);
  return splitLines(await readText(invocation, source), end);
}

export const shuf: MachineCommand = {
  name: "shuf",
  usage: "shuf [OPTION]... [FILE]\n  or:  shuf -e [OPTION]... [ARG]...\n  or:  shuf -i LO-HI [OPTION]...",
  async run(invocation) {
    const options = invocation.options(
      "e,echo i,input-range= n,head-count= o,output= r,repeat z,zero-terminated",
    );
    const end = options.has("z") ? "\0" : "\n";
    const wanted = Number(options.value("n") ?? Number.POSITIVE_INFINITY);
    if (!(wanted >= 0)) {
      throw new UsageError(`invalid line count: ${quoteWord(options.value("n") ?? "")}`, { hint: false });
    }
    const items = await readItems(invocation, options, end);
    const repeats = options.has("r");
    if (repeats && items.length === 0) invocation.fail("no lines to repeat");
    const count = repeats ? wanted : Math.min(wanted, items.length);
    const writer = new LineWriter(openOutput(invocation, options.value("o")));
    for (let index = 0; index < count; index++) {
      const chosen = repeats ? randomInt(items.length) : randomInt(index, items.length);
      await writer.write((items[chosen] ?? "") + end);
      if (!repeats) items[chosen] = items[index] ?? "";
      await invocation.step();
    }
    await writer.flush();
  },
};

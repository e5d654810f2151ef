import { openSink, outputSink } from "./byte-sink.ts";
import { openOperand, pieces } from "./byte-source.ts";
import { errorText } from "./error-text.ts";
import type { Invocation, MachineCommand } from "./invocation.ts";
import { UsageError } from "./options.ts";
import { quoteWord } from "./quoting.ts";
import { randomBelow } from "./random.ts";

/** More numbers than this are no list to be shuffled in memory. */
const MOST_ITEMS = 1_000_000;

/** What is shuffled: as many items as there are, and how to have each. */
interface Items {
  length: number;
  at(index: number): string;
}

function readRange(text: string): Items {
  const [, low, high] = /^(\d+)-(\d+)$/.exec(text) ?? [];
  if (low === undefined || high === undefined || Number(high) - Number(low) < -1) {
    throw new UsageError(`invalid input range: ${quoteWord(text)}`, { hint: false });
  }
  return { length: Number(high) - Number(low) + 1, at: (index) => String(Number(low) + index) };
}

function listItems(items: readonly string[]): Items {
  return { length: items.length, at: (index) => items[index] ?? "" };
}

async function readItems(invocation: Invocation, operand: string, end: string): Promise<Items> {
  const decoder = new TextDecoder();
  let text = "";
  try {
    for await (const piece of pieces(await openOperand(invocation, operand))) {
      text += decoder.decode(piece, { stream: true });
      if (text.length > invocation.environment.limits.textBytes) invocation.fail("memory exhausted");
    }
  } catch (error) {
    invocation.fail(`${operand}: ${errorText(error)}`);
  }
  text += decoder.decode();
  const items = text.split(end);
  if (items.at(-1) === "") items.pop();
  return listItems(items);
}

/** The first `count` of a shuffled list, of which only what is exchanged is held. */
async function* shuffled(invocation: Invocation, items: Items, count: number): AsyncGenerator<string> {
  const exchanged = new Map<number, number>();
  for (let index = 0; index < count; index++) {
    const chosen = index + randomBelow(items.length - index);
    yield items.at(exchanged.get(chosen) ?? chosen);
    exchanged.set(chosen, exchanged.get(index) ?? index);
    exchanged.delete(index);
    await invocation.step();
  }
}

async function* repeated(invocation: Invocation, items: Items, count: number): AsyncGenerator<string> {
  for (let index = 0; index < count; index++) {
    yield items.at(randomBelow(items.length));
    await invocation.step();
  }
}

function readCount(texts: string[]): number {
  const counts = texts.map((text) => {
    if (!/^\d+$/.test(text)) throw new UsageError(`invalid line count: ${quoteWord(text)}`, { hint: false });
    return Number(text);
  });
  return Math.min(Number.POSITIVE_INFINITY, ...counts);
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
    const count = readCount(options.values("n"));
    const range = options.value("i");
    const [extra] = options.operands.slice(range === undefined ? 1 : 0);
    if (extra !== undefined && !options.has("e")) throw new UsageError(`extra operand ${quoteWord(extra)}`);
    const items =
      range !== undefined
        ? readRange(range)
        : options.has("e")
          ? listItems(options.operands)
          : await readItems(invocation, options.operands[0] ?? "-", end);
    const repeats = options.has("r");
    if (repeats && items.length === 0) invocation.fail("no lines to repeat");
    if (!repeats && Math.min(count, items.length) > MOST_ITEMS) invocation.fail("memory exhausted");
    const output = options.value("o");
    const sink = output === undefined ? outputSink(invocation) : openSink(invocation, output);
    const encoder = new TextEncoder();
    const chosen = repeats
      ? repeated(invocation, items, count)
      : shuffled(invocation, items, Math.min(count, items.length));
    for await (const item of chosen) await sink.write(encoder.encode(item + end));
    await sink.flush();
  },
};

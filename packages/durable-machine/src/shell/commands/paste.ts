import { argumentBytes, LineWriter, lineGroups } from "./byte-lines.ts";
import { outputSink } from "./byte-sink.ts";
import { openOnly } from "./byte-source.ts";
import type { Invocation, MachineCommand } from "./invocation.ts";

const ESCAPES: Record<string, string> = { "\\0": "", "\\n": "\n", "\\t": "\t", "\\\\": "\\" };

async function* linesOf(
  invocation: Invocation,
  operand: string,
  end: string,
): AsyncGenerator<string, undefined> {
  const source = await openOnly(invocation, operand);
  for await (const lines of lineGroups(invocation, source, end)) yield* lines;
}

export const paste: MachineCommand = {
  name: "paste",
  usage: "paste [OPTION]... [FILE]...",
  async run(invocation) {
    const options = invocation.options("d,delimiters= s,serial z,zero-terminated");
    const list = argumentBytes(options.value("d") ?? "\t").match(/\\?[\s\S]/g) ?? [""];
    const delimiters = list.map((text) => ESCAPES[text] ?? text);
    const before = (index: number) => (index === 0 ? "" : delimiters[(index - 1) % delimiters.length]);
    const end = options.has("z") ? "\0" : "\n";
    const writer = new LineWriter(outputSink(invocation));
    // All operands `-` share one reader, so that they take lines in turn.
    const input = linesOf(invocation, "-", end);
    const operands = options.operands.length === 0 ? ["-"] : options.operands;
    const columns = operands.map((operand) => (operand === "-" ? input : linesOf(invocation, operand, end)));
    if (options.has("s")) {
      for (const lines of columns) {
        let index = 0;
        for await (const line of lines) await writer.write(before(index++) + line);
        await writer.write(end);
      }
    } else {
      for (;;) {
        const cells: (string | undefined)[] = [];
        for (const lines of columns) cells.push((await lines.next()).value);
        if (cells.every((cell) => cell === undefined)) break;
        await writer.write(cells.map((cell = "", index) => before(index) + cell).join("") + end);
      }
    }
    await writer.flush();
  },
};

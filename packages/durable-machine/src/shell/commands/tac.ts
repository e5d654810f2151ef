import { argumentBytes, LineWriter, readText } from "./byte-lines.ts";
import { outputSink } from "./byte-sink.ts";
import { forEachSource } from "./byte-source.ts";
import type { MachineCommand } from "./invocation.ts";

export const tac: MachineCommand = {
  name: "tac",
  usage: "tac [OPTION]... [FILE]...",
  async run(invocation) {
    const options = invocation.options("s,separator=");
    const separator = argumentBytes(options.value("s") ?? "\n") || "\0";
    const writer = new LineWriter(outputSink(invocation));
    await forEachSource(invocation, options.operands, async (source) => {
      const records = (await readText(invocation, source)).split(separator);
      // The text after the last separator is a record without one.
      await writer.write(records.pop() ?? "");
      for (const record of records.reverse()) await writer.write(record + separator);
    });
    await writer.flush();
  },
};

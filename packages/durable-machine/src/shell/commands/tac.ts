import { argumentBytes, LineWriter, readText } from "./byte-lines.ts";
import { outputSink } from "./byte-sink.ts";
import { openOperand } from "./byte-source.ts";
import { errorText } from "./error-text.ts";
import type { Invocation, MachineCommand } from "./invocation.ts";
import { quoteForShell, quoteName } from "./quoting.ts";

/** Records that are written as one step. */
const GROUP_LENGTH = 256;

/** Writes records from the last to the first, each with the separator that belongs to it. */
async function writeReversed(
  invocation: Invocation,
  writer: LineWriter,
  { text, separator, isBefore }: { text: string; separator: string; isBefore: boolean },
): Promise<void> {
  let end = text.length;
  for (let count = 1; end > 0; count++) {
    // A separator that ends the record is passed over in the search for the one before it.
    const from = isBefore ? end - separator.length : end - separator.length - 1;
    const found = from < 0 ? -1 : text.lastIndexOf(separator, from);
    const start = found === -1 ? 0 : isBefore ? found : found + separator.length;
    await writer.write(text.slice(start, end));
    end = start;
    if (count % GROUP_LENGTH === 0) await invocation.step(GROUP_LENGTH / 16);
  }
}

async function readOperand(invocation: Invocation, operand: string): Promise<string | undefined> {
  try {
    return await readText(invocation, await openOperand(invocation, operand));
  } catch (error) {
    const reason = errorText(error);
    invocation.complain(
      reason === "Is a directory"
        ? `${quoteForShell(operand)}: read error: ${reason}`
        : `failed to open ${quoteName(operand)} for reading: ${reason}`,
    );
    return undefined;
  }
}

export const tac: MachineCommand = {
  name: "tac",
  usage: "tac [OPTION]... [FILE]...",
  async run(invocation) {
    const options = invocation.options(["b,before", "s,separator="]);
    const separator = argumentBytes(options.value("s") ?? "\n") || "\0";
    const writer = new LineWriter(outputSink(invocation));
    for (const operand of options.operands.length === 0 ? ["-"] : options.operands) {
      const text = await readOperand(invocation, operand);
      if (text === undefined) continue;
      await writeReversed(invocation, writer, { text, separator, isBefore: options.has("b") });
    }
    await writer.flush();
  },
};

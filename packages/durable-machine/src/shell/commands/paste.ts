import { argumentBytes, LineWriter, lineGroups } from "./byte-lines.ts";
import { outputSink } from "./byte-sink.ts";
import { openOperand } from "./byte-source.ts";
import { errorText } from "./error-text.ts";
import type { Invocation, MachineCommand } from "./invocation.ts";
import { UsageError } from "./options.ts";
import { quoteForShell } from "./quoting.ts";

const ESCAPES: Record<string, string> = { "0": "", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t", v: "\v" };

function readDelimiters(list: string): string[] {
  if (/(?:^|[^\\])(?:\\\\)*\\$/.test(list)) {
    throw new UsageError(`delimiter list ends with an unescaped backslash: ${list}`, {
      hint: false,
    });
  }
  const delimiters = argumentBytes(list).match(/\\[\s\S]|[\s\S]/g) ?? [""];
  return delimiters.map((text) => {
    if (!text.startsWith("\\")) return text;
    return ESCAPES[text.charAt(1)] ?? text.charAt(1);
  });
}

/** Gives the lines of a file one by one. */
class LineReader {
  readonly #groups: AsyncGenerator<string[]>;
  #group: readonly string[] = [];
  #index = 0;

  constructor(groups: AsyncGenerator<string[]>) {
    this.#groups = groups;
  }

  /** @returns undefined at the end. */
  async next(): Promise<string | undefined> {
    while (this.#index >= this.#group.length) {
      const { value, done } = await this.#groups.next();
      if (done) return undefined;
      this.#group = value;
      this.#index = 0;
    }
    return this.#group[this.#index++];
  }
}

interface Style {
  delimiters: readonly string[];
  end: string;
}

async function openLines(invocation: Invocation, operand: string, end: string): Promise<LineReader> {
  return new LineReader(lineGroups(invocation, await openOperand(invocation, operand), end));
}

/** One line of all lines of a file. */
async function pasteFile(
  invocation: Invocation,
  writer: LineWriter,
  { operand, delimiters, end }: Style & { operand: string },
): Promise<void> {
  try {
    const reader = await openLines(invocation, operand, end);
    let index = 0;
    for (let line = await reader.next(); line !== undefined; line = await reader.next()) {
      const delimiter = index === 0 ? "" : (delimiters[(index - 1) % delimiters.length] ?? "");
      await writer.write(delimiter + line);
      index++;
    }
    await writer.write(end);
  } catch (error) {
    invocation.complain(`${quoteForShell(operand)}: ${errorText(error)}`);
  }
}

async function openAll(
  invocation: Invocation,
  operands: readonly string[],
  end: string,
): Promise<LineReader[]> {
  const input = await openLines(invocation, "-", end);
  const readers: LineReader[] = [];
  for (const operand of operands) {
    try {
      // Whoever names standard input twice gets its lines in turn.
      readers.push(operand === "-" ? input : await openLines(invocation, operand, end));
    } catch (error) {
      invocation.fail(`${quoteForShell(operand)}: ${errorText(error)}`);
    }
  }
  return readers;
}

/** Lines of one line of each file. */
async function pasteColumns(
  invocation: Invocation,
  writer: LineWriter,
  { operands, delimiters, end }: Style & { operands: readonly string[] },
): Promise<void> {
  const readers = await openAll(invocation, operands, end);
  for (;;) {
    let row = "";
    let hasLine = false;
    for (const [index, reader] of readers.entries()) {
      const line = await reader.next();
      if (line !== undefined) hasLine = true;
      const delimiter = index === 0 ? "" : (delimiters[(index - 1) % delimiters.length] ?? "");
      row += delimiter + (line ?? "");
    }
    if (!hasLine) return;
    await writer.write(row + end);
    await invocation.step(1 / 16);
  }
}

export const paste: MachineCommand = {
  name: "paste",
  usage: "paste [OPTION]... [FILE]...",
  async run(invocation) {
    const options = invocation.options(["d,delimiters=", "s,serial", "z,zero-terminated"]);
    const style = {
      delimiters: readDelimiters(options.value("d") ?? "\t"),
      end: options.has("z") ? "\0" : "\n",
    };
    const operands = options.operands.length === 0 ? ["-"] : options.operands;
    const writer = new LineWriter(outputSink(invocation));
    if (options.has("s")) {
      for (const operand of operands) await pasteFile(invocation, writer, { ...style, operand });
    } else await pasteColumns(invocation, writer, { ...style, operands });
    await writer.flush();
  },
};

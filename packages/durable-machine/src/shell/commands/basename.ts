import type { MachineCommand } from "./invocation.ts";
import { UsageError } from "./options.ts";
import { quoteWord } from "./quoting.ts";

/** The last part of a name and what stands before it. Neither ends with a slash, except for the root. */
function splitName(name: string): { directory: string; last: string } {
  const [, start = "", last = ""] = /^(.*?)([^/]*)\/*$/s.exec(name) ?? [];
  const isRoot = last === "" && name !== "";
  const directory = start.replace(/\/+$/, "") || (start === "" ? "." : "/");
  return { directory, last: isRoot ? "/" : last };
}

/** The last part of a name without the suffix, unless it is nothing but the suffix. */
function baseOf(name: string, suffix = ""): string {
  const { last } = splitName(name);
  return suffix !== "" && last !== suffix && last.endsWith(suffix) ? last.slice(0, -suffix.length) : last;
}

export const basename: MachineCommand = {
  name: "basename",
  usage: "basename NAME [SUFFIX]\n  or:  basename OPTION... NAME...",
  async run(invocation) {
    const options = invocation.options("a,multiple s,suffix= z,zero", { operandsEndOptions: true });
    const { operands } = options;
    if (operands.length === 0) throw new UsageError("missing operand");
    const isMultiple = options.has("a", "s");
    if (!isMultiple && operands[2] !== undefined) {
      throw new UsageError(`extra operand ${quoteWord(operands[2])}`);
    }
    const suffix = isMultiple ? options.value("s") : operands[1];
    for (const name of isMultiple ? operands : operands.slice(0, 1)) {
      await invocation.print(baseOf(name, suffix) + (options.has("z") ? "\0" : "\n"));
    }
  },
};

export const dirname: MachineCommand = {
  name: "dirname",
  usage: "dirname [OPTION] NAME...",
  async run(invocation) {
    const options = invocation.options("z,zero");
    if (options.operands.length === 0) throw new UsageError("missing operand");
    for (const name of options.operands) {
      await invocation.print(splitName(name).directory + (options.has("z") ? "\0" : "\n"));
    }
  },
};

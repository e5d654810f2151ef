import type { MachineCommand } from "./invocation.ts";
import { UsageError } from "./options.ts";
import { quoteWord } from "./quoting.ts";

function lastPart(name: string, suffix: string): string {
  const trimmed = name.replace(/(?<!\/)\/+$/, "");
  if (trimmed === "") return name === "" ? "" : "/";
  const part = trimmed.slice(trimmed.lastIndexOf("/") + 1);
  // A name never consists of the suffix alone.
  return suffix !== "" && part !== suffix && part.endsWith(suffix) ? part.slice(0, -suffix.length) : part;
}

function directoryPart(name: string): string {
  const trimmed = name.replace(/(?<!\/)\/+$/, "");
  if (trimmed === "") return name === "" ? "." : "/";
  const slash = trimmed.lastIndexOf("/");
  if (slash === -1) return ".";
  return trimmed.slice(0, slash).replace(/(?<!\/)\/+$/, "") || "/";
}

export const basename: MachineCommand = {
  name: "basename",
  usage: "basename NAME [SUFFIX]\n  or:  basename OPTION... NAME...",
  async run(invocation) {
    const options = invocation.options(["a,multiple", "s,suffix=", "z,zero"], { operandsEndOptions: true });
    const [first, second = "", extra] = options.operands;
    if (first === undefined) throw new UsageError("missing operand");
    const end = options.has("z") ? "\0" : "\n";
    const takesMany = options.has("a", "s");
    if (!takesMany && extra !== undefined) throw new UsageError(`extra operand ${quoteWord(extra)}`);
    const suffix = takesMany ? (options.value("s") ?? "") : second;
    const names = takesMany ? options.operands : [first];
    for (const name of names) await invocation.print(lastPart(name, suffix) + end);
  },
};

export const dirname: MachineCommand = {
  name: "dirname",
  usage: "dirname [OPTION] NAME...",
  async run(invocation) {
    const options = invocation.options(["z,zero"]);
    if (options.operands.length === 0) throw new UsageError("missing operand");
    const end = options.has("z") ? "\0" : "\n";
    for (const name of options.operands) await invocation.print(directoryPart(name) + end);
  },
};

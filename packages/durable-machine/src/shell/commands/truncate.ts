import { statusOf } from "./destinations.ts";
import { errorText } from "./error-text.ts";
import type { Invocation, MachineCommand } from "./invocation.ts";
import { UsageError } from "./options.ts";
import { quoteName, quoteWord } from "./quoting.ts";
import { parseSize } from "./sizes.ts";

/** Reckons a file's new size from its old one; undefined: the text is no size. */
export function parseSizeChange(text: string): ((size: number) => number) | undefined {
  const [, operator = "", digits = ""] = /^\s*([-+<>/%]?)(.*)$/.exec(text) ?? [];
  const amount = parseSize(digits);
  if (amount === undefined) return undefined;
  switch (operator) {
    case "+":
      return (size) => size + amount;
    case "-":
      return (size) => Math.max(0, size - amount);
    case "<":
      return (size) => Math.min(size, amount);
    case ">":
      return (size) => Math.max(size, amount);
    case "/":
      return amount === 0 ? undefined : (size) => Math.floor(size / amount) * amount;
    case "%":
      return amount === 0 ? undefined : (size) => Math.ceil(size / amount) * amount;
    default:
      return () => amount;
  }
}

function resize(
  invocation: Invocation,
  operand: string,
  change: (size: number) => number,
  creates: boolean,
): void {
  const { files, credentials } = invocation;
  const path = invocation.path(operand);
  if (statusOf(invocation, operand) === undefined) {
    if (!creates) return;
    files.writeAll(path, new Uint8Array(0), credentials);
  }
  files.truncate(path, credentials, change(files.status(path, credentials).size));
}

export const truncate: MachineCommand = {
  name: "truncate",
  usage: "truncate OPTION... FILE...",
  async run(invocation) {
    const options = invocation.options(["c,no-create", "o,io-blocks", "r,reference=", "s,size="]);
    const size = options.value("s");
    const reference = options.value("r");
    if (size === undefined && reference === undefined) {
      throw new UsageError("you must specify either '--size' or '--reference'");
    }
    if (size !== undefined && reference !== undefined && !/^[-+<>/%]/.test(size)) {
      throw new UsageError("you must specify a relative '--size' with '--reference'");
    }
    if (options.operands.length === 0) throw new UsageError("missing file operand");
    const change = parseSizeChange(size ?? "+0");
    if (change === undefined) return invocation.fail(`Invalid number: ${quoteWord(size ?? "")}`);
    const model = reference === undefined ? undefined : statusOf(invocation, reference);
    if (reference !== undefined && model === undefined) {
      invocation.fail(`cannot stat ${quoteName(reference)}: No such file or directory`);
    }
    for (const operand of options.operands) {
      await invocation.step(4);
      try {
        resize(invocation, operand, (old) => change(model?.size ?? old), !options.has("c"));
      } catch (error) {
        const text = errorText(error);
        const isFull = text === "No space left on device";
        if (isFull) invocation.complain(`failed to truncate ${quoteName(operand)}: ${text}`);
        else invocation.complain(`cannot open ${quoteName(operand)} for writing: ${text}`);
      }
    }
    return undefined;
  },
};

export const fallocate: MachineCommand = {
  name: "fallocate",
  usage: "fallocate [options] <filename>",
  async run(invocation) {
    const options = invocation.options(["l,length=", "n,keep-size", "o,offset=", "v,verbose", "x,posix"]);
    const [operand] = options.operands;
    if (operand === undefined) return invocation.fail("no filename specified");
    const length = parseSize(options.value("l") ?? "");
    const offset = parseSize(options.value("o") ?? "0");
    if (length === undefined || length === 0) return invocation.fail("invalid length value specified");
    if (offset === undefined) return invocation.fail("invalid offset value specified");
    try {
      // Room is only taken by what is there: a file that keeps its size stays as it is.
      const grow = (size: number) => (options.has("n") ? size : Math.max(size, offset + length));
      resize(invocation, operand, grow, true);
    } catch (error) {
      const text = errorText(error);
      const isFull = text === "No space left on device";
      invocation.fail(isFull ? `fallocate failed: ${text}` : `cannot open ${operand}: ${text}`);
    }
    return undefined;
  },
};

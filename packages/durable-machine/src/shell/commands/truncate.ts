import { statusOf } from "./destinations.ts";
import { errorText } from "./error-text.ts";
import type { Invocation, MachineCommand } from "./invocation.ts";
import { UsageError } from "./options.ts";
import { quoteName, quoteWord } from "./quoting.ts";
import { parseSize } from "./sizes.ts";

type SizeChange = (size: number) => number;

/** How a size such as `10M`, `+1K` or `-5` changes another one; undefined: the text is no size. */
function parseSizeChange(text: string): SizeChange | undefined {
  const [, sign, digits = ""] = /^\s*([-+]?)(.*)$/.exec(text) ?? [];
  const amount = parseSize(digits);
  if (amount === undefined) return undefined;
  if (sign === "+") return (size) => size + amount;
  return sign === "-" ? (size) => Math.max(0, size - amount) : () => amount;
}

/** What is said where a file cannot be opened, and where there is no room. */
interface Failures {
  open: string;
  grow: string;
}

/** Changes a file's size, and makes a file that is missing. */
function resize(invocation: Invocation, operand: string, change: SizeChange, failures: Failures): void {
  const { files, credentials } = invocation;
  try {
    const path = invocation.path(operand);
    if (statusOf(invocation, operand) === undefined) files.writeAll(path, new Uint8Array(0), credentials);
    files.truncate(path, credentials, change(files.status(path, credentials).size));
  } catch (error) {
    const text = errorText(error);
    const isFull = text === "No space left on device";
    invocation.complain(`${isFull ? failures.grow : failures.open}: ${text}`);
  }
}

export const truncate: MachineCommand = {
  name: "truncate",
  usage: "truncate OPTION... FILE...",
  async run(invocation) {
    const options = invocation.options(["c,no-create", "r,reference=", "s,size="]);
    const reference = options.value("r");
    const model = reference === undefined ? undefined : statusOf(invocation, reference);
    if (reference !== undefined && model === undefined) {
      return invocation.fail(`cannot stat ${quoteName(reference)}: No such file or directory`);
    }
    const size = options.value("s") ?? (model && "+0");
    if (size === undefined) throw new UsageError("you must specify either '--size' or '--reference'");
    if (options.operands.length === 0) throw new UsageError("missing file operand");
    const change = parseSizeChange(size);
    if (change === undefined) return invocation.fail(`Invalid number: ${quoteWord(size)}`);
    for (const operand of options.operands) {
      await invocation.step(4);
      if (options.has("c") && statusOf(invocation, operand) === undefined) continue;
      const name = quoteName(operand);
      const failures = { open: `cannot open ${name} for writing`, grow: `failed to truncate ${name}` };
      resize(invocation, operand, (old) => change(model?.size ?? old), failures);
    }
    return undefined;
  },
};

export const fallocate: MachineCommand = {
  name: "fallocate",
  usage: "fallocate -l LENGTH FILE",
  async run(invocation) {
    const options = invocation.options(["l,length="]);
    const [operand] = options.operands;
    if (operand === undefined) return invocation.fail("no filename specified");
    const length = parseSize(options.value("l") ?? "");
    if (!length) return invocation.fail("invalid length value specified");
    const failures = { open: `cannot open ${operand}`, grow: "fallocate failed" };
    resize(invocation, operand, (size) => Math.max(size, length), failures);
    return undefined;
  },
};

import { FileError } from "../../file-system/file-error.ts";
import { statusOf } from "./destinations.ts";
import { errorText } from "./error-text.ts";
import { Complaint, type Invocation, type MachineCommand } from "./invocation.ts";
import { UsageError } from "./options.ts";
import { quoteName, quoteWord } from "./quoting.ts";
import { parseSize } from "./sizes.ts";

function resize(invocation: Invocation, operand: string, change: (size: number) => number): void {
  const { files, credentials } = invocation;
  try {
    const path = invocation.path(operand);
    if (statusOf(invocation, operand) === undefined) files.writeAll(path, new Uint8Array(0), credentials);
    files.truncate(path, credentials, change(files.status(path, credentials).size));
  } catch (error) {
    const name = quoteName(operand);
    const isFull = error instanceof FileError && error.code === "ENOSPC";
    const failure = isFull ? `failed to truncate ${name}` : `cannot open ${name} for writing`;
    throw new Complaint(`${failure}: ${errorText(error)}`);
  }
}

export const truncate: MachineCommand = {
  name: "truncate",
  usage: "truncate -s SIZE FILE...",
  async run(invocation) {
    const options = invocation.options("c,no-create s,size=");
    const text = options.value("s");
    if (text === undefined) throw new UsageError("you must specify either '--size' or '--reference'");
    if (options.operands.length === 0) throw new UsageError("missing file operand");
    const [, sign, digits = ""] = /^([-+]?)(.*)$/.exec(text) ?? [];
    const amount = parseSize(digits);
    if (amount === undefined) return invocation.fail(`Invalid number: ${quoteWord(text)}`);
    const change = (size: number) => {
      if (sign === "+") return size + amount;
      return sign === "-" ? Math.max(0, size - amount) : amount;
    };
    for (const operand of options.operands) {
      if (options.has("c") && statusOf(invocation, operand) === undefined) continue;
      await invocation.guard(async () => resize(invocation, operand, change));
    }
  },
};

import { FileError } from "../../file-system/file-error.ts";
import { statusOf } from "./destinations.ts";
import { errorText, unlessRefused } from "./error-text.ts";
import type { Invocation, MachineCommand } from "./invocation.ts";
import { type ParsedOptions, UsageError } from "./options.ts";
import { parseDate, parseStamp } from "./parse-date.ts";
import { quoteName, quoteWord } from "./quoting.ts";

/** The right to write a file. */
const WRITE = 2;

interface Times {
  accessedAt: number;
  modifiedAt: number;
}

function chooseTimes(invocation: Invocation, options: ParsedOptions): Times {
  const now = Date.now();
  const reference = options.value("r");
  if (reference !== undefined) {
    const status = statusOf(invocation, reference);
    if (status) return status;
    return invocation.fail(`failed to get attributes of ${quoteName(reference)}: No such file or directory`);
  }
  const date = options.value("d");
  const text = date ?? options.value("t");
  if (text === undefined) return { accessedAt: now, modifiedAt: now };
  const time = date === undefined ? parseStamp(text, now) : parseDate(text, now);
  if (time === undefined) return invocation.fail(`invalid date format ${quoteWord(text)}`);
  return { accessedAt: time, modifiedAt: time };
}

function touchFile(invocation: Invocation, operand: string, options: ParsedOptions, times: Times): void {
  const { files, credentials } = invocation;
  const path = invocation.path(operand);
  let before: Times | undefined = unlessRefused(["ENOENT"], () => files.status(path, credentials));
  if (before === undefined) {
    if (options.has("c", "h")) return;
    if (operand.endsWith("/")) throw new FileError("ENOENT", "open", path);
    files.writeAll(path, new Uint8Array(0), credentials);
    before = files.status(path, credentials);
  }
  const isBoth = options.has("a") === options.has("m");
  try {
    files.setTimes(path, credentials, {
      accessedAt: isBoth || options.has("a") ? times.accessedAt : before.accessedAt,
      modifiedAt: isBoth || options.has("m") ? times.modifiedAt : before.modifiedAt,
    });
  } catch (error) {
    if (!(error instanceof FileError && error.code === "EPERM")) throw error;
    if (!files.permits(path, credentials, WRITE)) throw new FileError("EACCES", "utime", path);
    if (options.has("d", "t", "r")) throw error;
    // That a file is changed now, whoever may write it may say.
    files.truncate(path, credentials, files.status(path, credentials).size);
  }
}

export const touch: MachineCommand = {
  name: "touch",
  usage: "touch [OPTION]... FILE...",
  async run(invocation) {
    const patterns = ["a", "c,no-create", "d,date=", "f", "h,no-dereference", "m", "r,reference=", "t="];
    const options = invocation.options(patterns);
    if (options.operands.length === 0) throw new UsageError("missing file operand");
    const times = chooseTimes(invocation, options);
    for (const operand of options.operands) {
      await invocation.step(2);
      try {
        if (!invocation.path(operand).startsWith("/dev/")) touchFile(invocation, operand, options, times);
      } catch (error) {
        const text = errorText(error);
        const what =
          text === "Operation not permitted" || operand.endsWith("/") ? "setting times of" : "cannot touch";
        invocation.complain(`${what} ${quoteName(operand)}: ${text}`);
      }
    }
  },
};

import { FileError, unlessRefused } from "../../file-system/file-error.ts";
import { WRITE } from "../../file-system/permissions.ts";
import { errorText } from "./error-text.ts";
import type { Invocation, MachineCommand } from "./invocation.ts";
import { type ParsedOptions, UsageError } from "./options.ts";
import { parseDate, parseStamp } from "./parse-date.ts";
import { quoteName, quoteWord } from "./quoting.ts";

type Times = { accessedAt: number; modifiedAt: number };

function chooseTimes(invocation: Invocation, options: ParsedOptions): Times {
  const now = Date.now();
  const reference = options.value("r");
  if (reference !== undefined) {
    return invocation.attempt("failed to get attributes of", reference, (files, path, credentials) =>
      files.status(path, credentials),
    );
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
  const existing = unlessRefused(["ENOENT"], () => files.status(path, credentials));
  if (existing === undefined) {
    if (options.has("c", "h")) return;
    if (operand.endsWith("/")) throw new FileError("ENOENT", "open", path);
    files.writeAll(path, new Uint8Array(0), credentials);
  }
  const before = existing ?? files.status(path, credentials);
  const { accessedAt } = options.has("m") && !options.has("a") ? before : times;
  const { modifiedAt } = options.has("a") && !options.has("m") ? before : times;
  try {
    files.setTimes(path, credentials, { accessedAt, modifiedAt });
  } catch (error) {
    if (!(error instanceof FileError && error.code === "EPERM")) throw error;
    if (!files.permits(path, credentials, WRITE)) throw new FileError("EACCES", "utime", path);
    if (options.has("d", "t", "r")) throw error;
    // The right to write a file includes setting its times to now, which truncating it to its own size does.
    files.truncate(path, credentials, before.size);
  }
}

export const touch: MachineCommand = {
  name: "touch",
  async run(invocation) {
    const options = invocation.options("a c,no-create d,date= f h,no-dereference m r,reference= t=");
    if (options.operands.length === 0) throw new UsageError("missing file operand");
    const times = chooseTimes(invocation, options);
    for (const operand of options.operands) {
      await invocation.step(2);
      try {
        if (!invocation.path(operand).startsWith("/dev/")) touchFile(invocation, operand, options, times);
      } catch (error) {
        const text = errorText(error);
        const isDenied = text === "Operation not permitted" || operand.endsWith("/");
        invocation.complain(
          `${isDenied ? "setting times of" : "cannot touch"} ${quoteName(operand)}: ${text}`,
        );
      }
    }
  },
};

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
  const stamp = options.value("t");
  const text = date ?? stamp;
  const time = date !== undefined ? parseDate(date, now) : stamp !== undefined ? parseStamp(stamp, now) : now;
  if (time === undefined) return invocation.fail(`invalid date format ${quoteWord(text ?? "")}`);
  return { accessedAt: time, modifiedAt: time };
}

/** Which of the times is set: `-a` and `-m` name them, `--time` does it in words. */
function chosenTimes(options: ParsedOptions): { access: boolean; modification: boolean } {
  const word = options.value("time");
  const access = options.has("a") || ["atime", "access", "use"].includes(word ?? "");
  const modification = options.has("m") || ["mtime", "modify"].includes(word ?? "");
  return access || modification ? { access, modification } : { access: true, modification: true };
}

function touchFile(invocation: Invocation, operand: string, options: ParsedOptions, times: Times): void {
  const { files, credentials } = invocation;
  const path = invocation.path(operand);
  const there = unlessRefused(["ENOENT"], () => files.status(path, credentials));
  if (there === undefined) {
    if (options.has("c", "h")) return;
    if (operand.endsWith("/")) {
      invocation.complain(`setting times of ${quoteName(operand)}: No such file or directory`);
      return;
    }
    files.writeAll(path, new Uint8Array(0), credentials);
  }
  setTimes(invocation, path, { options, times, before: there ?? files.status(path, credentials) });
}

function setTimes(
  invocation: Invocation,
  path: string,
  { options, times, before }: { options: ParsedOptions; times: Times; before: Times },
): void {
  const { files, credentials } = invocation;
  const chosen = chosenTimes(options);
  try {
    files.setTimes(path, credentials, {
      accessedAt: chosen.access ? times.accessedAt : before.accessedAt,
      modifiedAt: chosen.modification ? times.modifiedAt : before.modifiedAt,
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
    const options = invocation.options([
      "a",
      "c,no-create",
      "d,date=",
      "f",
      "h,no-dereference",
      "m",
      "r,reference=",
      "t=",
      ",time=",
    ]);
    if (options.operands.length === 0) throw new UsageError("missing file operand");
    const times = chooseTimes(invocation, options);
    for (const operand of options.operands) {
      await invocation.step(2);
      try {
        if (!invocation.path(operand).startsWith("/dev/")) touchFile(invocation, operand, options, times);
      } catch (error) {
        const text = errorText(error);
        const isThere = text === "Operation not permitted" || operand.endsWith("/");
        invocation.complain(
          `${isThere ? "setting times of" : "cannot touch"} ${quoteName(operand)}: ${text}`,
        );
      }
    }
  },
};

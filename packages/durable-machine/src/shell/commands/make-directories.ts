import { FileError } from "../../file-system/file-error.ts";
import { directoryName, statusOf } from "./destinations.ts";
import { unlessRefused } from "./error-text.ts";
import type { Invocation, MachineCommand } from "./invocation.ts";
import { parseModeChange } from "./modes.ts";
import { UsageError } from "./options.ts";
import { quoteName, quoteWord } from "./quoting.ts";

interface DirectoryWish {
  /** Permission bits of the last one; undefined: what the umask leaves, as of those above it. */
  mode?: number | undefined;
  /** What is written of each that is made, before its name. */
  announcement?: string | undefined;
}

async function makeOne(invocation: Invocation, operand: string, wish: DirectoryWish): Promise<void> {
  invocation.attempt("cannot create directory", operand, (files, path, credentials) => {
    files.makeDirectory(path, credentials);
    // Outside the umask, which a mode that is asked for does not heed.
    if (wish.mode !== undefined) files.changeMode(path, credentials, wish.mode);
  });
  if (wish.announcement !== undefined) await invocation.print(`${wish.announcement} ${quoteName(operand)}\n`);
}

/**
 * Makes a directory unless it is there, and what is missing above it.
 *
 * @throws Complaint
 */
export async function makeDirectories(
  invocation: Invocation,
  operand: string,
  { mode, announcement }: DirectoryWish,
): Promise<void> {
  for (const { index, 0: name } of operand.matchAll(/[^/]+(?:\/+$)?/g)) {
    const directory = operand.slice(0, index + name.length);
    await invocation.step(1 + directory.length / 100);
    const isLast = directory === operand;
    const there = statusOf(invocation, directory);
    if (there === undefined || (isLast && there.type !== "directory")) {
      await makeOne(invocation, directory, { mode: isLast ? mode : undefined, announcement });
    } else if (there.type !== "directory") {
      invocation.attempt("cannot create directory", directory, () => {
        throw new FileError("ENOTDIR", "mkdir", directory);
      });
    }
  }
}

export const mkdir: MachineCommand = {
  name: "mkdir",
  usage: "mkdir [OPTION]... DIRECTORY...",
  async run(invocation) {
    const options = invocation.options("m,mode= p,parents v,verbose");
    if (options.operands.length === 0) throw new UsageError("missing operand");
    const text = options.value("m");
    const change = text === undefined ? undefined : parseModeChange(text, invocation.credentials.umask);
    if (text !== undefined && change === undefined) invocation.fail(`invalid mode ${quoteWord(text)}`);
    const announcement = options.has("v") ? "mkdir: created directory" : undefined;
    const wish = { mode: change?.(0o777, true), announcement };
    for (const operand of options.operands) {
      const isDeep = options.has("p") && operand !== "";
      await invocation.guard(() => (isDeep ? makeDirectories : makeOne)(invocation, operand, wish));
    }
  },
};

export const rmdir: MachineCommand = {
  name: "rmdir",
  usage: "rmdir [OPTION]... DIRECTORY...",
  async run(invocation) {
    const options = invocation.options(",ignore-fail-on-non-empty p,parents v,verbose");
    if (options.operands.length === 0) throw new UsageError("missing operand");
    const ignored = options.has("ignore-fail-on-non-empty") ? (["ENOTEMPTY"] as const) : [];
    const remove = async (operand: string, failure: string): Promise<void> => {
      if (options.has("v")) await invocation.print(`rmdir: removing directory, ${quoteName(operand)}\n`);
      const isRemoved = invocation.attempt(failure, operand, (files, path, credentials) =>
        unlessRefused(ignored, () => {
          files.removeDirectory(path, credentials);
          return true;
        }),
      );
      const above = directoryName(operand);
      const goesOn = isRemoved && options.has("p") && operand.includes("/") && above !== "/";
      if (goesOn) await remove(above, "failed to remove directory");
    };
    for (const operand of options.operands) {
      await invocation.guard(() => remove(operand.replace(/\/+$/, "") || operand, "failed to remove"));
    }
  },
};

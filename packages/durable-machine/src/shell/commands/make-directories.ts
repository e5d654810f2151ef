import { FileError } from "../../file-system/file-error.ts";
import { directoryName, statusOf } from "./destinations.ts";
import { errorText } from "./error-text.ts";
import type { Invocation, MachineCommand } from "./invocation.ts";
import { parseModeChange } from "./modes.ts";
import { UsageError } from "./options.ts";
import { quoteName, quoteWord } from "./quoting.ts";

interface DirectoryWish {
  /** Permission bits; undefined: what the umask leaves. */
  mode: number | undefined;
  parents: boolean;
  /** Told of each that is made. */
  onMade: (operand: string) => Promise<void>;
}

async function makeOne(invocation: Invocation, operand: string, wish: DirectoryWish): Promise<void> {
  const { files, credentials } = invocation;
  const path = invocation.path(operand);
  // Every directory on the way is passed.
  await invocation.step(1 + path.length / 100);
  files.makeDirectory(path, credentials);
  // Outside the umask, which a mode that is asked for does not heed.
  if (wish.mode !== undefined) files.changeMode(path, credentials, wish.mode);
  await wish.onMade(operand);
}

/**
 * Makes a directory, and with `parents` what is missing above it, with the umask's mode.
 *
 * @returns whether it is there now; what is not, is complained of.
 */
export async function makeDirectory(
  invocation: Invocation,
  operand: string,
  wish: DirectoryWish,
): Promise<boolean> {
  const { parents, onMade } = wish;
  try {
    const there = statusOf(invocation, operand);
    if (there?.type === "directory" && parents) return true;
    const above = directoryName(operand);
    const isMissing = parents && above !== operand && statusOf(invocation, above) === undefined;
    if (isMissing && !(await makeDirectory(invocation, above, { mode: undefined, parents, onMade })))
      return false;
    // `..` of a directory that has just been made is there now.
    if (isMissing && statusOf(invocation, operand)?.type === "directory") return true;
    // What stands in the way is named, not what it is in the way of.
    if (parents && statusOf(invocation, above)?.type === "file") {
      invocation.complainOf("cannot create directory", above, new FileError("ENOTDIR", "mkdir", above));
      return false;
    }
    await makeOne(invocation, operand, wish);
    return true;
  } catch (error) {
    invocation.complainOf("cannot create directory", operand, error);
    return false;
  }
}

export const mkdir: MachineCommand = {
  name: "mkdir",
  usage: "mkdir [OPTION]... DIRECTORY...",
  async run(invocation) {
    const options = invocation.options(["m,mode=", "p,parents", "v,verbose"]);
    if (options.operands.length === 0) throw new UsageError("missing operand");
    const text = options.value("m");
    const change = text === undefined ? undefined : parseModeChange(text, invocation.credentials.umask);
    if (text !== undefined && change === undefined) invocation.fail(`invalid mode ${quoteWord(text)}`);
    const mode = change?.(0o777, true);
    const onMade = async (operand: string) => {
      if (options.has("v"))
        await invocation.print(`${invocation.name}: created directory ${quoteName(operand)}\n`);
    };
    for (const operand of options.operands) {
      await invocation.step(4);
      await makeDirectory(invocation, operand, { mode, parents: options.has("p"), onMade });
    }
  },
};

async function removeOne(
  invocation: Invocation,
  operand: string,
  { verbose, isParent }: { verbose: boolean; isParent: boolean },
): Promise<boolean> {
  if (verbose) await invocation.print(`${invocation.name}: removing directory, ${quoteName(operand)}\n`);
  try {
    invocation.files.removeDirectory(invocation.path(operand), invocation.credentials);
    return true;
  } catch (error) {
    const isFilled = error instanceof FileError && error.code === "ENOTEMPTY";
    if (isFilled && invocation.args.includes("--ignore-fail-on-non-empty")) return false;
    const what = isParent ? "failed to remove directory" : "failed to remove";
    invocation.complain(`${what} ${quoteName(operand)}: ${errorText(error)}`);
    return false;
  }
}

export const rmdir: MachineCommand = {
  name: "rmdir",
  usage: "rmdir [OPTION]... DIRECTORY...",
  async run(invocation) {
    const options = invocation.options([",ignore-fail-on-non-empty", "p,parents", "v,verbose"]);
    if (options.operands.length === 0) throw new UsageError("missing operand");
    for (const operand of options.operands) {
      await invocation.step(4);
      let path = operand.replace(/\/+$/, "") || operand;
      const verbose = options.has("v");
      let removed = await removeOne(invocation, path, { verbose, isParent: false });
      while (removed && options.has("p") && path.includes("/")) {
        path = directoryName(path);
        if (path === "/") break;
        removed = await removeOne(invocation, path, { verbose, isParent: true });
      }
    }
  },
};

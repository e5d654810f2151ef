import { FileError, unlessRefused } from "../../file-system/file-error.ts";
import { baseName, join } from "./destinations.ts";
import { Complaint, type Invocation, type MachineCommand } from "./invocation.ts";
import { type ParsedOptions, UsageError } from "./options.ts";
import { quoteName } from "./quoting.ts";
import { describeType } from "./stat.ts";

const OPTIONS =
  "d,dir f,force i I ,no-preserve-root ,one-file-system ,preserve-root=? R,recursive r v,verbose";

async function remove(invocation: Invocation, operand: string, options: ParsedOptions): Promise<void> {
  const name = quoteName(operand);
  const isRecursive = options.has("r", "R");
  const prompt = options.last("f", "i", "I");
  if (operand === "" && prompt === "f") return;
  if (isRecursive && /^\.\.?$/.test(baseName(operand))) {
    throw new Complaint(`refusing to remove '.' or '..' directory: skipping ${name}`);
  }
  const status = invocation.attempt("cannot remove", operand, (files, path, credentials) =>
    unlessRefused(prompt === "f" ? ["ENOENT", "ENOTDIR"] : [], () =>
      files.status(path, credentials, { followSymlink: false }),
    ),
  );
  if (status === undefined) return;
  const isDirectory = status.type === "directory";
  if (isDirectory && !isRecursive && !options.has("d")) {
    throw new Complaint(`cannot remove ${name}: Is a directory`);
  }
  if (isDirectory && isRecursive && (await removeEntries(invocation, operand, options))) return;
  if (prompt === "i" && !(await invocation.confirm(`remove ${describeType(status)} ${name}?`))) return;
  const isRemoved = invocation.attempt("cannot remove", operand, (files, path, credentials) =>
    // The remaining entries have already been reported.
    unlessRefused(isRecursive ? ["ENOTEMPTY"] : [], () => {
      if (isDirectory) files.removeDirectory(path, credentials);
      else files.unlink(path, credentials);
      return true;
    }),
  );
  if (!isRemoved || !options.has("v")) return;
  await invocation.print(`removed ${isDirectory ? "directory " : ""}${name}\n`);
}

/** @returns whether nothing is left to do about the directory itself. */
async function removeEntries(invocation: Invocation, operand: string, options: ParsedOptions) {
  const asks = options.last("f", "i", "I") === "i";
  if (!asks && !options.has("v")) {
    try {
      await invocation.files.removeTree(invocation.path(operand), invocation.credentials);
      return true;
    } catch (error) {
      // One file cannot be removed: the others are removed one by one.
      if (!(error instanceof FileError)) throw error;
    }
  }
  const entries = invocation.attempt("cannot remove", operand, (files, path, credentials) =>
    files.list(path, credentials),
  );
  const question = `descend into directory ${quoteName(operand)}?`;
  if (asks && entries.length > 0 && !(await invocation.confirm(question))) return true;
  for (const { name } of entries) {
    await invocation.guard(() => remove(invocation, join(operand, name), options));
  }
  return false;
}

export const rm: MachineCommand = {
  name: "rm",
  async run(invocation) {
    const options = invocation.options(OPTIONS);
    if (options.operands.length === 0 && !options.has("f")) throw new UsageError("missing operand");
    for (const operand of options.operands) {
      if (/^\/+$/.test(operand) && options.has("r", "R") && !options.has("no-preserve-root")) {
        invocation.complain(`it is dangerous to operate recursively on ${quoteName(operand)}`);
        invocation.complain("use --no-preserve-root to override this failsafe");
      } else {
        await invocation.guard(() => remove(invocation, operand, options));
      }
    }
  },
};

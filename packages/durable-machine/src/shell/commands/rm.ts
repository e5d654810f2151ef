import { FileError } from "../../file-system/file-error.ts";
import type { FileStatus } from "../../file-system/file-system.ts";
import { baseName, join } from "./destinations.ts";
import { unlessRefused } from "./error-text.ts";
import { Complaint, type Invocation, type MachineCommand } from "./invocation.ts";
import { type ParsedOptions, UsageError } from "./options.ts";
import { quoteName } from "./quoting.ts";

const OPTIONS =
  "d,dir f,force i I ,no-preserve-root ,one-file-system ,preserve-root=? R,recursive r v,verbose";

function describeType({ type, size }: FileStatus): string {
  if (type !== "file") return type === "directory" ? "directory" : "symbolic link";
  return size === 0 ? "regular empty file" : "regular file";
}

class Remover {
  readonly #invocation: Invocation;
  readonly #isRecursive: boolean;
  readonly #removesEmpty: boolean;
  readonly #isForced: boolean;
  readonly #asks: boolean;
  readonly #isVerbose: boolean;

  constructor(invocation: Invocation, options: ParsedOptions) {
    const last = options.last("f", "i", "I");
    this.#invocation = invocation;
    this.#isRecursive = options.has("r", "R");
    this.#removesEmpty = options.has("d");
    this.#isForced = last === "f";
    this.#asks = last === "i";
    this.#isVerbose = options.has("v");
  }

  /** @throws Complaint */
  async remove(operand: string): Promise<void> {
    const name = quoteName(operand);
    if (operand === "" && this.#isForced) return;
    if (this.#isRecursive && /^\.\.?$/.test(baseName(operand))) {
      throw new Complaint(`refusing to remove '.' or '..' directory: skipping ${name}`);
    }
    const status = this.#invocation.attempt("cannot remove", operand, (files, path, credentials) =>
      unlessRefused(this.#isForced ? ["ENOENT", "ENOTDIR"] : [], () =>
        files.status(path, credentials, { followSymlink: false }),
      ),
    );
    if (status === undefined) return;
    const isDirectory = status.type === "directory";
    if (isDirectory && !this.#isRecursive && !this.#removesEmpty) {
      throw new Complaint(`cannot remove ${name}: Is a directory`);
    }
    if (isDirectory && this.#isRecursive && (await this.#removeEntries(operand))) return;
    if (this.#asks && !(await this.#invocation.confirm(`remove ${describeType(status)} ${name}?`))) return;
    const isRemoved = this.#invocation.attempt("cannot remove", operand, (files, path, credentials) =>
      // What keeps a directory from being empty has been reported already.
      unlessRefused(this.#isRecursive ? ["ENOTEMPTY"] : [], () => {
        if (isDirectory) files.removeDirectory(path, credentials);
        else files.unlink(path, credentials);
        return true;
      }),
    );
    if (!isRemoved || !this.#isVerbose) return;
    await this.#invocation.print(`removed ${isDirectory ? "directory " : ""}${name}\n`);
  }

  /** @returns whether nothing is left to do about the directory itself. */
  async #removeEntries(operand: string): Promise<boolean> {
    const invocation = this.#invocation;
    if (!this.#asks && !this.#isVerbose) {
      try {
        await invocation.files.removeTree(invocation.path(operand), invocation.credentials);
        return true;
      } catch (error) {
        // Where one file cannot be removed, the others are removed one by one.
        if (!(error instanceof FileError)) throw error;
      }
    }
    const entries = invocation.attempt("cannot remove", operand, (files, path, credentials) =>
      files.list(path, credentials),
    );
    const asks = this.#asks && entries.length > 0;
    if (asks && !(await invocation.confirm(`descend into directory ${quoteName(operand)}?`))) return true;
    for (const { name } of entries) await invocation.guard(() => this.remove(join(operand, name)));
    return false;
  }
}

export const rm: MachineCommand = {
  name: "rm",
  usage: "rm [OPTION]... [FILE]...",
  async run(invocation) {
    const options = invocation.options(OPTIONS);
    if (options.operands.length === 0 && !options.has("f")) throw new UsageError("missing operand");
    const remover = new Remover(invocation, options);
    for (const operand of options.operands) {
      if (/^\/+$/.test(operand) && options.has("r", "R") && !options.has("no-preserve-root")) {
        invocation.complain(`it is dangerous to operate recursively on ${quoteName(operand)}`);
        invocation.complain("use --no-preserve-root to override this failsafe");
      } else {
        await invocation.guard(() => remover.remove(operand));
      }
    }
  },
};

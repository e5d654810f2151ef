import { FileError } from "../../file-system/file-error.ts";
import type { FileStatus } from "../../file-system/file-system.ts";
import { confirm } from "./confirmation.ts";
import { baseName, join } from "./destinations.ts";
import type { Invocation, MachineCommand } from "./invocation.ts";
import { type ParsedOptions, UsageError } from "./options.ts";
import { quoteName } from "./quoting.ts";

interface Removal {
  recursive: boolean;
  emptyDirectories: boolean;
  force: boolean;
  asks: boolean;
  verbose: boolean;
}

function describe({ type, size }: FileStatus): string {
  if (type === "directory") return "directory";
  if (type === "symlink") return "symbolic link";
  return size === 0 ? "regular empty file" : "regular file";
}

/** Removes what operands name. */
class Remover {
  readonly #invocation: Invocation;
  readonly #removal: Removal;

  constructor(invocation: Invocation, removal: Removal) {
    this.#invocation = invocation;
    this.#removal = removal;
  }

  async remove(operand: string): Promise<void> {
    await this.#invocation.step(4);
    if (/^\.\.?$/.test(baseName(operand)) && this.#removal.recursive) {
      const name = quoteName(operand);
      return this.#invocation.complain(`refusing to remove '.' or '..' directory: skipping ${name}`);
    }
    let status: FileStatus;
    try {
      status = this.#invocation.files.status(this.#invocation.path(operand), this.#invocation.credentials, {
        followSymlink: false,
      });
    } catch (error) {
      const isMissing = error instanceof FileError && (error.code === "ENOENT" || error.code === "ENOTDIR");
      if (!(this.#removal.force && isMissing)) this.#invocation.complainOf("cannot remove", operand, error);
      return;
    }
    if (status.type === "directory") await this.#removeDirectory(operand, status);
    else await this.#removeLeaf(operand, status);
  }

  async #removeDirectory(operand: string, status: FileStatus): Promise<void> {
    const { recursive, emptyDirectories, asks, verbose } = this.#removal;
    const { files, credentials } = this.#invocation;
    const path = this.#invocation.path(operand);
    if (!recursive && !emptyDirectories) {
      return this.#invocation.complain(`cannot remove ${quoteName(operand)}: Is a directory`);
    }
    if (!recursive || asks || verbose) return await this.#removeStepwise(operand, status);
    try {
      await files.removeTree(path, credentials);
    } catch (error) {
      // One file that cannot be removed does not keep the others: all that can go, goes.
      if (!(error instanceof FileError)) throw error;
      await this.#removeStepwise(operand, status);
    }
  }

  /** Entry by entry, so that each can be asked for, told, and complained of. */
  async #removeStepwise(operand: string, status: FileStatus): Promise<void> {
    const { recursive, asks } = this.#removal;
    const { files, credentials } = this.#invocation;
    const path = this.#invocation.path(operand);
    try {
      const entries = recursive ? files.list(path, credentials) : [];
      const question = `descend into directory ${quoteName(operand)}?`;
      if (asks && entries.length > 0 && !(await confirm(this.#invocation, question))) return;
      for (const { name } of entries) await this.remove(join(operand, name));
      if (!(await this.#mayRemove(operand, status))) return;
      files.removeDirectory(path, credentials);
    } catch (error) {
      const isKept = error instanceof FileError && error.code === "ENOTEMPTY" && recursive;
      // What keeps it from being empty has been told already.
      if (!isKept) this.#invocation.complainOf("cannot remove", operand, error);
      return;
    }
    await this.#tell(`removed directory ${quoteName(operand)}`);
  }

  async #removeLeaf(operand: string, status: FileStatus): Promise<void> {
    if (!(await this.#mayRemove(operand, status))) return;
    try {
      this.#invocation.files.unlink(this.#invocation.path(operand), this.#invocation.credentials);
    } catch (error) {
      return this.#invocation.complainOf("cannot remove", operand, error);
    }
    await this.#tell(`removed ${quoteName(operand)}`);
  }

  async #mayRemove(operand: string, status: FileStatus): Promise<boolean> {
    if (!this.#removal.asks) return true;
    return await confirm(this.#invocation, `remove ${describe(status)} ${quoteName(operand)}?`);
  }

  async #tell(text: string): Promise<void> {
    if (this.#removal.verbose) await this.#invocation.print(`${text}\n`);
  }
}

function readRemoval(options: ParsedOptions): Removal {
  const wish = options.last("f", "i", "I", "interactive");
  return {
    recursive: options.has("r", "R"),
    emptyDirectories: options.has("d"),
    force: wish === "f",
    asks: wish === "i" || (wish === "interactive" && (options.value("interactive") ?? "always") === "always"),
    verbose: options.has("v"),
  };
}

export const rm: MachineCommand = {
  name: "rm",
  usage: "rm [OPTION]... [FILE]...",
  async run(invocation) {
    const options = invocation.options([
      "d,dir",
      "f,force",
      "i",
      "I",
      ",interactive=?",
      ",no-preserve-root",
      ",one-file-system",
      ",preserve-root=?",
      "R,recursive",
      "r",
      "v,verbose",
    ]);
    const removal = readRemoval(options);
    if (options.operands.length === 0 && !removal.force) throw new UsageError("missing operand");
    const remover = new Remover(invocation, removal);
    for (const operand of options.operands) {
      if (/^\/+$/.test(operand) && removal.recursive && !options.has("no-preserve-root")) {
        invocation.complain(`it is dangerous to operate recursively on ${quoteName(operand)}`);
        invocation.complain("use --no-preserve-root to override this failsafe");
      } else {
        await remover.remove(operand);
      }
    }
  },
};

import type { DirectoryEntry } from "../../file-system/file-system.ts";
import { join, statusOf } from "./destinations.ts";
import { errorText, unlessRefused } from "./error-text.ts";
import { matchesGlob } from "./glob.ts";
import type { Invocation, MachineCommand } from "./invocation.ts";
import { lookUp } from "./look-up.ts";
import { formatList, formatTotal } from "./ls-format.ts";
import { type Comparison, isLong, type ListedFile, orderOf } from "./ls-order.ts";
import type { ParsedOptions } from "./options.ts";
import { quoteName } from "./quoting.ts";

const MINOR_PROBLEM = 1;
const SERIOUS_PROBLEM = 2;

/** `-C`, `-x`, `-w`, `-N`, `-q` and `--color` only matter to terminals, to which no command writes here. */
const OPTIONS = `a,all A,almost-all f d,directory R,recursive I,ignore= L,dereference H,dereference-command-line
  1 C x m F,classify p ,file-type i,inode s,size N,literal q,hide-control-chars ,color=? w,width=
  l g o n,numeric-uid-gid G,no-group ,full-time ,time-style= h,human-readable ,si k,kibibytes
  S t v U c u ,sort= r,reverse ,group-directories-first`;

class Listing {
  readonly #invocation: Invocation;
  readonly #options: ParsedOptions;
  readonly #order: Comparison | undefined;
  /** The directories around the current one: a followed symlink may lead back into them. */
  readonly #listed = new Set<number>();
  #exitCode = 0;
  #hasPrinted = false;

  constructor(invocation: Invocation, options: ParsedOptions) {
    this.#invocation = invocation;
    this.#options = options;
    this.#order = orderOf(options);
  }

  /** @returns the exit code. */
  async run(): Promise<number> {
    const { operands } = this.#options;
    const files: ListedFile[] = [];
    const directories: ListedFile[] = [];
    for (const operand of operands.length === 0 ? ["."] : operands) {
      await this.#invocation.step();
      const file = await this.#lookUpOperand(operand);
      if (file?.status.type === "directory" && !this.#options.has("d")) directories.push(file);
      else if (file) files.push(file);
    }
    await this.#printList(this.#sort(files));
    for (const { name, status } of this.#sort(directories)) {
      await this.#listDirectory(name, status.inode, SERIOUS_PROBLEM);
    }
    return this.#exitCode;
  }

  #sort(files: ListedFile[]): ListedFile[] {
    return this.#order === undefined ? files : files.sort(this.#order);
  }

  async #printList(files: readonly ListedFile[]): Promise<void> {
    if (files.length > 0) this.#hasPrinted = true;
    await this.#invocation.print(formatList(files, this.#options, this.#invocation.environment.users));
  }

  #fail(message: string, exitCode: number): void {
    this.#invocation.complain(message);
    this.#exitCode = Math.max(this.#exitCode, exitCode);
  }

  async #lookUpOperand(operand: string): Promise<ListedFile | undefined> {
    const { files, credentials } = this.#invocation;
    const followSymlink = this.#options.has("L", "H");
    try {
      const status = await lookUp(this.#invocation, operand, { followSymlink });
      if (status.type === "symlink" && !isLong(this.#options) && !this.#options.has("d", "F")) {
        const path = this.#invocation.path(operand);
        const target = unlessRefused(["ENOENT"], () => files.status(path, credentials));
        if (target?.type === "directory") return { name: operand, status: target };
      }
      return this.#withTarget({ name: operand, status }, operand);
    } catch (error) {
      this.#fail(`cannot access ${quoteName(operand)}: ${errorText(error)}`, SERIOUS_PROBLEM);
      return undefined;
    }
  }

  #withTarget(file: ListedFile, operand: string): ListedFile {
    if (file.status.type !== "symlink" || !isLong(this.#options)) return file;
    const { files, credentials } = this.#invocation;
    const text = files.readSymlink(this.#invocation.path(operand), credentials);
    return { ...file, target: { text, status: statusOf(this.#invocation, operand) } };
  }

  /** @param failure the exit code where it cannot be opened. */
  async #listDirectory(directory: string, inode: number, failure: number): Promise<void> {
    const { files, credentials } = this.#invocation;
    if (this.#listed.has(inode)) {
      return this.#fail(`${directory}: not listing already-listed directory`, SERIOUS_PROBLEM);
    }
    let entries: DirectoryEntry[];
    try {
      entries = files.list(this.#invocation.path(directory), credentials);
    } catch (error) {
      return this.#fail(`cannot open directory ${quoteName(directory)}: ${errorText(error)}`, failure);
    }
    const shown = await this.#shownFiles(directory, entries);
    const isNamed = this.#options.operands.length > 1 || this.#options.has("R");
    const hasTotal = isLong(this.#options) || this.#options.has("s");
    const heading = (this.#hasPrinted ? "\n" : "") + (isNamed ? `${directory}:\n` : "");
    await this.#invocation.print(heading + (hasTotal ? formatTotal(shown, this.#options) : ""));
    await this.#printList(shown);
    this.#hasPrinted = true;
    if (!this.#options.has("R")) return;
    this.#listed.add(inode);
    for (const { name, status } of shown) {
      if (status.type !== "directory" || name === "." || name === "..") continue;
      await this.#listDirectory(join(directory, name), status.inode, MINOR_PROBLEM);
    }
    this.#listed.delete(inode);
  }

  async #shownFiles(directory: string, entries: readonly DirectoryEntry[]): Promise<ListedFile[]> {
    const hidden = this.#options.last("a", "A", "f");
    const ignored = this.#options.values("I");
    const shown: ListedFile[] = [];
    for (const name of hidden === "a" || hidden === "f" ? [".", ".."] : []) {
      const status = await lookUp(this.#invocation, join(directory, name), { followSymlink: true });
      shown.push({ name, status });
    }
    for (const entry of entries) {
      await this.#invocation.step();
      const { name } = entry;
      if (hidden === undefined && name.startsWith(".")) continue;
      if (ignored.some((glob) => matchesGlob(name, glob))) continue;
      const path = join(directory, name);
      const isFollowed = entry.type === "symlink" && this.#options.has("L");
      const status = isFollowed ? statusOf(this.#invocation, path) : entry;
      if (status !== undefined) shown.push(this.#withTarget({ name, status }, path));
      else this.#fail(`cannot access ${quoteName(path)}: No such file or directory`, MINOR_PROBLEM);
    }
    return this.#sort(shown);
  }
}

export const ls: MachineCommand = {
  name: "ls",
  usage: "ls [OPTION]... [FILE]...",
  usageExitCode: SERIOUS_PROBLEM,
  async run(invocation) {
    return await new Listing(invocation, invocation.options(OPTIONS)).run();
  },
};

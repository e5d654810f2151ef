import type { DirectoryEntry } from "../../file-system/file-system.ts";
import { join } from "./destinations.ts";
import { errorText, unlessRefused } from "./error-text.ts";
import { matchesGlob } from "./glob.ts";
import type { Invocation, MachineCommand } from "./invocation.ts";
import { lookUp, type SeenStatus } from "./look-up.ts";
import { formatList, formatTotal, type ListedFile } from "./ls-format.ts";
import { LS_OPTIONS, type LsRequest, readLsRequest } from "./ls-options.ts";
import { sortFiles } from "./ls-sort.ts";
import { quoteName } from "./quoting.ts";

const MINOR_PROBLEM = 1;
const SERIOUS_PROBLEM = 2;

/** One run of `ls`. */
class Listing {
  readonly #invocation: Invocation;
  readonly #request: LsRequest;
  readonly #now = Date.now();
  /** Directories that are being listed: where symlinks are followed, one may lead back into them. */
  readonly #listed = new Set<number>();
  #exitCode = 0;
  #hasPrinted = false;

  constructor(invocation: Invocation, request: LsRequest) {
    this.#invocation = invocation;
    this.#request = request;
  }

  /** @returns the exit code. */
  async run(operands: readonly string[]): Promise<number> {
    const files: ListedFile[] = [];
    const directories: ListedFile[] = [];
    for (const operand of operands) {
      const file = await this.#lookUpOperand(operand);
      if (file === undefined) continue;
      const isOpened = file.status.type === "directory" && !this.#request.directoriesThemselves;
      (isOpened ? directories : files).push(file);
    }
    const list = formatList(sortFiles(files, this.#request), this.#request, {
      now: this.#now,
      beside: directories,
    });
    await this.#print(list);
    const isNamed = operands.length > 1 || this.#request.recursive;
    for (const { name, status } of sortFiles(directories, this.#request)) {
      this.#listed.add(status.inode);
      await this.#listDirectory(name, { isNamed, isOperand: true });
      this.#listed.delete(status.inode);
    }
    return this.#exitCode;
  }

  async #print(text: string): Promise<void> {
    if (text !== "") this.#hasPrinted = true;
    await this.#invocation.print(text);
  }

  #complain(what: string, operand: string, error: unknown, exitCode: number): void {
    this.#invocation.complain(`${what} ${quoteName(operand)}: ${errorText(error)}`);
    this.#exitCode = Math.max(this.#exitCode, exitCode);
  }

  async #lookUpOperand(operand: string): Promise<ListedFile | undefined> {
    const { follows } = this.#request;
    const followSymlink = follows === "all" || follows === "operands";
    try {
      const status = await lookUp(this.#invocation, operand, { followSymlink });
      const followed =
        follows === "operand-directories" ? this.#followedDirectory(operand, status) : undefined;
      return this.#withTarget({ name: operand, status: followed ?? status }, operand);
    } catch (error) {
      this.#complain("cannot access", operand, error, SERIOUS_PROBLEM);
      return undefined;
    }
  }

  /** The directory behind a symlink; undefined: there is none. */
  #followedDirectory(operand: string, { type }: SeenStatus): SeenStatus | undefined {
    if (type !== "symlink") return undefined;
    const { files, credentials } = this.#invocation;
    const status = unlessRefused(["ENOENT"], () => files.status(this.#invocation.path(operand), credentials));
    return status?.type === "directory" ? status : undefined;
  }

  #statusBehind(operand: string): SeenStatus | undefined {
    return unlessRefused(["ENOENT", "ENOTDIR", "EACCES", "ELOOP"], () =>
      this.#invocation.files.status(this.#invocation.path(operand), this.#invocation.credentials),
    );
  }

  #withTarget(file: ListedFile, operand: string): ListedFile {
    const { layout, directoriesFirst } = this.#request;
    if (file.status.type !== "symlink" || !(layout === "long" || directoriesFirst)) return file;
    const { files, credentials } = this.#invocation;
    const text = files.readSymlink(this.#invocation.path(operand), credentials);
    return { ...file, target: { text, status: this.#statusBehind(operand) } };
  }

  async #listDirectory(
    directory: string,
    { isNamed, isOperand }: { isNamed: boolean; isOperand: boolean },
  ): Promise<void> {
    const { files, credentials } = this.#invocation;
    let entries: DirectoryEntry[];
    try {
      entries = files.list(this.#invocation.path(directory), credentials);
    } catch (error) {
      const exitCode = isOperand ? SERIOUS_PROBLEM : MINOR_PROBLEM;
      return this.#complain("cannot open directory", directory, error, exitCode);
    }
    const shown = await this.#shownFiles(directory, entries);
    await this.#print((this.#hasPrinted ? "\n" : "") + (isNamed ? `${directory}:\n` : ""));
    this.#hasPrinted = true;
    const hasTotal = this.#request.layout === "long" || this.#request.blocks;
    if (hasTotal) await this.#print(formatTotal(shown, this.#request));
    await this.#print(formatList(shown, this.#request, { now: this.#now, beside: [] }));
    if (!this.#request.recursive) return;
    for (const { name, status } of shown) {
      const isBelow = status.type === "directory" && name !== "." && name !== "..";
      if (isBelow) await this.#descend(join(directory, name), status.inode);
    }
  }

  async #descend(directory: string, inode: number): Promise<void> {
    if (this.#listed.has(inode)) {
      this.#invocation.complain(`${directory}: not listing already-listed directory`);
      this.#exitCode = SERIOUS_PROBLEM;
      return;
    }
    this.#listed.add(inode);
    await this.#listDirectory(directory, { isNamed: true, isOperand: false });
    this.#listed.delete(inode);
  }

  async #shownFiles(directory: string, entries: readonly DirectoryEntry[]): Promise<ListedFile[]> {
    const { hidden, ignored, follows } = this.#request;
    const shown: ListedFile[] = [];
    if (hidden === "all") {
      for (const name of [".", ".."]) {
        shown.push({
          name,
          status: await lookUp(this.#invocation, join(directory, name), { followSymlink: true }),
        });
      }
    }
    for (const entry of entries) {
      await this.#invocation.step();
      const { name } = entry;
      if ((hidden === "none" && name.startsWith(".")) || ignored.some((glob) => matchesGlob(name, glob)))
        continue;
      const path = join(directory, name);
      const behind = follows === "all" && entry.type === "symlink" ? this.#statusBehind(path) : entry;
      if (behind !== undefined) shown.push(this.#withTarget({ name, status: behind }, path));
      else this.#complainOfDangling(path);
    }
    return sortFiles(shown, this.#request);
  }

  #complainOfDangling(path: string): void {
    this.#invocation.complain(`cannot access ${quoteName(path)}: No such file or directory`);
    this.#exitCode = Math.max(this.#exitCode, MINOR_PROBLEM);
  }
}

function lister(name: string, defaults: readonly string[]): MachineCommand {
  return {
    name,
    usage: `${name} [OPTION]... [FILE]...`,
    usageExitCode: SERIOUS_PROBLEM,
    async run(invocation) {
      const options = invocation.options(LS_OPTIONS, { args: [...defaults, ...invocation.args] });
      const request = readLsRequest(options, invocation.environment.users);
      return await new Listing(invocation, request).run(
        options.operands.length === 0 ? ["."] : options.operands,
      );
    },
  };
}

export const ls = lister("ls", []);
export const dir = lister("dir", ["-C", "-b"]);
export const vdir = lister("vdir", ["-l", "-b"]);

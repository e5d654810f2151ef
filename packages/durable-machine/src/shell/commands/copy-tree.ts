import { FileError } from "../../file-system/file-error.ts";
import type { DirectoryEntry, FileStatus } from "../../file-system/file-system.ts";
import { openSink } from "./byte-sink.ts";
import { openPath, pieces } from "./byte-source.ts";
import { confirm } from "./confirmation.ts";
import { directoryName, join, statusOf } from "./destinations.ts";
import { unlessRefused } from "./error-text.ts";
import type { Invocation } from "./invocation.ts";
import { quoteName } from "./quoting.ts";

export interface CopyStyle {
  recursive: boolean;
  /** Which symlinks are copied as what they lead to: none, those of the command line, all. */
  follows: "none" | "operands" | "all";
  /** What to do where there is something already. */
  existing: "overwrite" | "keep" | "ask";
  onlyNewer: boolean;
  /** Remove what cannot be written, and try again. */
  force: boolean;
  removesDestination: boolean;
  preservesMode: boolean;
  preservesOwner: boolean;
  preservesTimes: boolean;
  /** Names of the same file become names of the same copy. */
  preservesLinks: boolean;
  /** Make links in place of copies. */
  links: "hard" | "symbolic" | undefined;
  verbose: boolean;
}

/** A file of no more bytes is copied at once, which is several times faster than in steps. */
const SMALL_FILE_BYTES = 128 * 1024;

interface Entry {
  source: string;
  destination: string;
  status: FileStatus;
}

function isDevice(path: string): boolean {
  return path.startsWith("/dev/");
}

/** Copies files and trees as `cp` does, and complains of what it cannot. */
export class TreeCopy {
  readonly #invocation: Invocation;
  readonly #style: CopyStyle;
  /** The first copy of each file that has several names. */
  readonly #copies = new Map<number, string>();
  /** Directories that the copying itself has made: they are not copied again into themselves. */
  readonly #made = new Set<number>();

  /** Directories that are being copied: where symlinks are followed, one may lead back into them. */
  readonly #open = new Set<number>();

  constructor(invocation: Invocation, style: CopyStyle) {
    this.#invocation = invocation;
    this.#style = style;
  }

  /** Copies what an operand names. */
  async copy(source: string, destination: string): Promise<void> {
    await this.#copyNode(source, destination, true);
  }

  async #copyNode(source: string, destination: string, isOperand: boolean): Promise<void> {
    await this.#invocation.step(4);
    const { follows } = this.#style;
    const followSymlink = follows === "all" || (follows === "operands" && isOperand);
    if (isDevice(source)) return await this.#copyDevice(source, destination);
    let status: FileStatus;
    try {
      status = this.#invocation.files.status(this.#path(source), this.#invocation.credentials, {
        followSymlink,
      });
    } catch (error) {
      return this.#invocation.complainOf("cannot stat", source, error);
    }
    if (status.type === "directory") await this.#copyDirectory({ source, destination, status }, isOperand);
    else await this.#copyLeaf({ source, destination, status });
  }

  #path(operand: string): string {
    return this.#invocation.path(operand);
  }

  async #announce({ source, destination }: Pick<Entry, "source" | "destination">): Promise<void> {
    if (this.#style.verbose) {
      await this.#invocation.print(`${quoteName(source)} -> ${quoteName(destination)}\n`);
    }
  }

  async #copyDirectory(entry: Entry, isOperand: boolean): Promise<void> {
    const { source, destination, status } = entry;
    const invocation = this.#invocation;
    if (!this.#style.recursive) {
      return invocation.complain(`-r not specified; omitting directory ${quoteName(source)}`);
    }
    const existing =
      statusOf(invocation, destination) ?? statusOf(invocation, destination, { followSymlink: false });
    if (existing?.inode === status.inode) return this.#complainOfSame(entry);
    if (isOperand && this.#liesInside(destination, status.inode)) {
      const names = `${quoteName(source)}, into itself, ${quoteName(destination)}`;
      return invocation.complain(`cannot copy a directory, ${names}`);
    }
    if (existing !== undefined && existing.type !== "directory") {
      const names = `${quoteName(destination)} with directory ${quoteName(source)}`;
      return invocation.complain(`cannot overwrite non-directory ${names}`);
    }
    if (this.#open.has(status.inode)) {
      return invocation.complain(`cannot copy cyclic symbolic link ${quoteName(source)}`);
    }
    if (existing === undefined && !(await this.#makeDirectory(entry))) return;
    this.#open.add(status.inode);
    await this.#copyEntries(source, destination);
    this.#open.delete(status.inode);
    if (existing === undefined || this.#style.preservesMode) this.#setMode(entry);
    this.#preserve(entry);
  }

  async #makeDirectory(entry: Entry): Promise<boolean> {
    const { files, credentials } = this.#invocation;
    const path = this.#path(entry.destination);
    try {
      // Its owner needs all rights until it is filled.
      files.makeDirectory(path, credentials, { mode: entry.status.mode | 0o700 });
    } catch (error) {
      this.#invocation.complainOf("cannot create directory", entry.destination, error);
      return false;
    }
    await this.#announce(entry);
    this.#made.add(files.status(path, credentials).inode);
    return true;
  }

  async #copyEntries(source: string, destination: string): Promise<void> {
    const { files, credentials } = this.#invocation;
    let entries: DirectoryEntry[];
    try {
      entries = files.list(this.#path(source), credentials);
    } catch (error) {
      return this.#invocation.complainOf("cannot access", source, error);
    }
    for (const { name, inode } of entries) {
      if (!this.#made.has(inode)) await this.#copyNode(join(source, name), join(destination, name), false);
    }
  }

  /** Whether a place, which may be missing yet, is within a directory. */
  #liesInside(destination: string, inode: number): boolean {
    const place = statusOf(this.#invocation, destination) ? destination : directoryName(destination);
    if (statusOf(this.#invocation, place) === undefined) return false;
    let path = this.#invocation.files.resolve(this.#path(place), this.#invocation.credentials);
    while (statusOf(this.#invocation, path)?.inode !== inode) {
      if (path === "/") return false;
      path = directoryName(path);
    }
    return true;
  }

  async #copyLeaf(entry: Entry): Promise<void> {
    const { source, destination } = entry;
    if (!(await this.#clearDestination(entry))) return;
    const done =
      this.#linkToCopy(entry) ??
      this.#linkInstead(entry) ??
      (entry.status.type === "symlink" ? this.#copySymlink(entry) : await this.#copyContent(entry));
    if (done) await this.#announce({ source, destination });
  }

  #complainOfSame({ source, destination }: Entry): void {
    this.#invocation.complain(`${quoteName(source)} and ${quoteName(destination)} are the same file`);
  }

  /** Looks at what is there already. @returns whether the copying goes on. */
  async #clearDestination(entry: Entry): Promise<boolean> {
    const { destination, status } = entry;
    const invocation = this.#invocation;
    const style = this.#style;
    let there: FileStatus | undefined;
    try {
      there = unlessRefused(["ENOENT"], () =>
        invocation.files.status(this.#path(destination), invocation.credentials, { followSymlink: false }),
      );
    } catch (error) {
      invocation.complainOf("cannot stat", destination, error);
      return false;
    }
    if (there === undefined) return true;
    const target = statusOf(invocation, destination);
    const counterpart = status.type === "symlink" ? there : target;
    if (style.existing === "keep") return false;
    if (style.onlyNewer && counterpart && counterpart.modifiedAt >= status.modifiedAt) return false;
    if (counterpart?.inode === status.inode) {
      // A hard link to itself is there already, and so is a copy of a file under another of its names.
      if (style.links !== "hard" && !(style.preservesLinks && this.#copies.get(status.inode))) {
        this.#complainOfSame(entry);
      }
      return false;
    }
    if (target?.type === "directory") {
      invocation.complain(`cannot overwrite directory ${quoteName(destination)} with non-directory`);
      return false;
    }
    if (style.existing === "ask" && !(await confirm(invocation, `overwrite ${quoteName(destination)}?`))) {
      return false;
    }
    const replacesName = status.type === "symlink" || (style.links !== undefined && style.force);
    if (style.removesDestination || replacesName) return this.#unlink(destination);
    if (target === undefined && style.links === undefined) {
      invocation.complain(`not writing through dangling symlink ${quoteName(destination)}`);
      return false;
    }
    return true;
  }

  #unlink(destination: string): boolean {
    try {
      this.#invocation.files.unlink(this.#path(destination), this.#invocation.credentials);
      return true;
    } catch (error) {
      this.#invocation.complainOf("cannot remove", destination, error);
      return false;
    }
  }

  /** Makes a second name of a file a second name of its copy. @returns undefined: it is no second name. */
  #linkToCopy({ destination, status }: Entry): boolean | undefined {
    if (!this.#style.preservesLinks || status.links < 2) return undefined;
    const copy = this.#copies.get(status.inode);
    if (copy === undefined) {
      this.#copies.set(status.inode, destination);
      return undefined;
    }
    return this.#attempt("cannot create hard link", destination, () => {
      if (statusOf(this.#invocation, destination, { followSymlink: false })) this.#unlink(destination);
      this.#invocation.files.link(this.#path(copy), this.#path(destination), this.#invocation.credentials);
    });
  }

  /** @returns undefined: no link is wanted. */
  #linkInstead({ source, destination }: Entry): boolean | undefined {
    const { files, credentials } = this.#invocation;
    const { links } = this.#style;
    if (links === undefined) return undefined;
    if (links === "symbolic" && !source.startsWith("/") && directoryName(destination) !== ".") {
      this.#invocation.complain(
        `${quoteName(destination)}: can make relative symbolic links only in current directory`,
      );
      return false;
    }
    const what = `cannot create ${links === "hard" ? "hard" : "symbolic"} link`;
    return this.#attempt(what, destination, () => {
      if (links === "hard") files.link(this.#path(source), this.#path(destination), credentials);
      else files.symlink(source, this.#path(destination), credentials);
    });
  }

  #copySymlink(entry: Entry): boolean {
    const { files, credentials } = this.#invocation;
    return this.#attempt("cannot create symbolic link", entry.destination, () => {
      const target = files.readSymlink(this.#path(entry.source), credentials);
      files.symlink(target, this.#path(entry.destination), credentials);
      if (this.#style.preservesOwner) this.#preserveOwner(entry);
    });
  }

  async #copyContent(entry: Entry): Promise<boolean> {
    const { source, destination } = entry;
    const { files, credentials } = this.#invocation;
    if (!files.permits(this.#path(source), credentials, 4)) {
      this.#invocation.complain(`cannot open ${quoteName(source)} for reading: Permission denied`);
      return false;
    }
    if (isDevice(destination)) return await this.#pour(source, destination);
    if (!(await this.#copyFile(entry))) return false;
    if (this.#style.preservesMode) this.#setMode(entry);
    this.#preserve(entry);
    return true;
  }

  /** Copies content; a new file also has the mode, as far as the umask lets it. */
  async #copyFile({ source, destination, status: { mode, size } }: Entry): Promise<boolean> {
    const { files, credentials } = this.#invocation;
    const copy = async () => {
      const [from, to] = [this.#path(source), this.#path(destination)];
      if (size > SMALL_FILE_BYTES) return await files.copyFile(from, to, credentials);
      files.writeAll(to, files.readAll(from, credentials), credentials, { mode: mode & 0o777 });
      await this.#invocation.stepBytes(size);
    };
    try {
      await copy().catch(async (error) => {
        const isClosed = error instanceof FileError && error.code === "EACCES";
        const to = this.#path(destination);
        if (!isClosed || !this.#style.force || !files.exists(to, credentials)) throw error;
        files.unlink(to, credentials);
        await copy();
      });
      return true;
    } catch (error) {
      this.#complainOfWriting(destination, error);
      return false;
    }
  }

  #complainOfWriting(destination: string, error: unknown): void {
    if (error instanceof FileError && error.code === "ENOSPC") {
      this.#invocation.complainOf("error writing", destination, error);
      return;
    }
    // A slash at the end asks for a directory, which a copy of a file does not make.
    const missesDirectory = destination.endsWith("/") && error instanceof FileError;
    const refusal = missesDirectory ? new FileError("ENOTDIR", "open", destination) : error;
    this.#invocation.complainOf("cannot create regular file", destination, refusal);
  }

  async #copyDevice(source: string, destination: string): Promise<void> {
    if (await this.#pour(source, destination)) await this.#announce({ source, destination });
  }

  /** Copies what has no place among the files: from a device, or into one. */
  async #pour(source: string, destination: string): Promise<boolean> {
    try {
      const input = await openPath(this.#invocation, source);
      const sink = openSink(this.#invocation, destination);
      for await (const piece of pieces(input)) await sink.write(piece);
      await sink.flush();
      return true;
    } catch (error) {
      this.#complainOfWriting(destination, error);
      return false;
    }
  }

  #attempt(what: string, destination: string, action: () => void): boolean {
    try {
      action();
      return true;
    } catch (error) {
      this.#invocation.complainOf(what, destination, error);
      return false;
    }
  }

  #setMode({ destination, status }: Entry): void {
    const { files, credentials } = this.#invocation;
    const mode = this.#style.preservesMode ? status.mode : status.mode & 0o777 & ~credentials.umask;
    this.#attempt("preserving permissions for", destination, () =>
      files.changeMode(this.#path(destination), credentials, mode),
    );
  }

  #preserve(entry: Entry): void {
    const { files, credentials } = this.#invocation;
    const path = this.#path(entry.destination);
    // A change of owner takes the set-user bits away, so that the mode comes behind it.
    if (this.#style.preservesOwner && this.#preserveOwner(entry) && this.#style.preservesMode)
      this.#setMode(entry);
    const { accessedAt, modifiedAt } = entry.status;
    if (this.#style.preservesTimes) {
      this.#attempt("preserving times for", entry.destination, () =>
        files.setTimes(path, credentials, { accessedAt, modifiedAt }),
      );
    }
  }

  /** @returns whether the owner could be given: to others only root can. */
  #preserveOwner({ destination, status: { uid, gid } }: Entry): boolean {
    const { files, credentials } = this.#invocation;
    const change = () =>
      files.changeOwner(this.#path(destination), credentials, { uid, gid }, { followSymlink: false });
    return (
      unlessRefused(["EPERM"], () => {
        change();
        return true;
      }) ?? false
    );
  }
}

import { FileError } from "../../file-system/file-error.ts";
import type { FileStatus } from "../../file-system/file-system.ts";
import { openSink } from "./byte-sink.ts";
import { openPath, pieces } from "./byte-source.ts";
import {
  join,
  keepsExisting,
  liesInside,
  type Placement,
  requireSameKind,
  sameFile,
  statusOf,
} from "./destinations.ts";
import { unlessRefused } from "./error-text.ts";
import { Complaint, type Invocation } from "./invocation.ts";
import { type ParsedOptions, UsageError } from "./options.ts";
import { quoteName, quoteWord } from "./quoting.ts";

export const CP_OPTIONS = `a,archive d f,force H i,interactive L,dereference n,no-clobber P,no-dereference p
  ,preserve=? ,no-preserve= R,recursive r ,remove-destination ,reflink=? ,sparse= t,target-directory=
  T,no-target-directory u,update v,verbose x,one-file-system`;

/** A file of no more bytes is copied at once, which is several times faster than in steps. */
const SMALL_FILE_BYTES = 128 * 1024;

const ATTRIBUTES = ["mode", "ownership", "timestamps", "links", "context", "xattr"];

function attributesOf(names: string): string[] {
  return names.split(",").flatMap((name) => {
    if (name === "all") return ATTRIBUTES;
    if (ATTRIBUTES.includes(name)) return name;
    throw new UsageError(`invalid argument ${quoteWord(name)} for ${quoteWord("--preserve")}`);
  });
}

/** What `-p`, `-a`, `-d` and `--preserve` keep, less what `--no-preserve` names. */
function preservedAttributes(options: ParsedOptions): Set<string> {
  const preserved = new Set<string>();
  for (const { key, value = "mode,ownership,timestamps" } of options.given) {
    const names = { a: "all", d: "links", p: value, preserve: value }[key];
    if (names !== undefined) for (const name of attributesOf(names)) preserved.add(name);
    if (key === "no-preserve") for (const name of attributesOf(value)) preserved.delete(name);
  }
  return preserved;
}

/** Which symlinks are copied as what they lead to: all, those of the command line, or none. */
function readFollowing(options: ParsedOptions): "L" | "H" | "P" {
  const wish = options.last("L", "H", "P", "d", "a") ?? (options.has("r", "R") ? "P" : "L");
  return wish === "L" || wish === "H" ? wish : "P";
}

interface Entry extends Placement {
  status: FileStatus;
}

function isDevice(path: string): boolean {
  return path.startsWith("/dev/");
}

/** Copies files and trees as `cp` does. What it cannot copy is complained of. */
export class TreeCopy {
  readonly #invocation: Invocation;
  readonly #options: ParsedOptions;
  readonly #follows: "L" | "H" | "P";
  readonly #preserved: ReadonlySet<string>;
  /** The first copy of each file that has several names. */
  readonly #copies = new Map<number, string>();
  /** Directories that the copying itself has made: they are not copied again into themselves. */
  readonly #made = new Set<number>();
  /** Directories that are being copied: where symlinks are followed, one may lead back into them. */
  readonly #open = new Set<number>();

  /** @param options those of CP_OPTIONS. */
  constructor(invocation: Invocation, options: ParsedOptions) {
    this.#invocation = invocation;
    this.#options = options;
    this.#follows = readFollowing(options);
    this.#preserved = preservedAttributes(options);
  }

  /** Copies a file, or a directory with what is in it. */
  async copy({ source, destination }: Placement, isOperand = true): Promise<void> {
    const followSymlink = this.#follows === "L" || (this.#follows === "H" && isOperand);
    await this.#invocation.guard(async () => {
      if (isDevice(source)) return await this.#pour({ source, destination });
      const status = this.#invocation.attempt("cannot stat", source, (files, path, credentials) =>
        files.status(path, credentials, { followSymlink }),
      );
      const entry = { source, destination, status };
      if (status.type === "directory") await this.#copyDirectory(entry, isOperand);
      else if (await this.#clearDestination(entry)) await this.#copyFile(entry);
    });
  }

  async #announce({ source, destination }: Placement): Promise<void> {
    if (!this.#options.has("v")) return;
    await this.#invocation.print(`${quoteName(source)} -> ${quoteName(destination)}\n`);
  }

  async #copyDirectory(entry: Entry, isOperand: boolean): Promise<void> {
    const { source, destination, status } = entry;
    if (!this.#options.has("r", "R", "a")) {
      throw new Complaint(`-r not specified; omitting directory ${quoteName(source)}`);
    }
    const existing =
      statusOf(this.#invocation, destination) ??
      statusOf(this.#invocation, destination, { followSymlink: false });
    if (existing?.inode === status.inode) throw sameFile(entry);
    if (isOperand && liesInside(this.#invocation, destination, status)) {
      const names = `${quoteName(source)}, into itself, ${quoteName(destination)}`;
      throw new Complaint(`cannot copy a directory, ${names}`);
    }
    if (existing !== undefined) requireSameKind(entry, status, existing);
    if (this.#open.has(status.inode)) {
      throw new Complaint(`cannot copy cyclic symbolic link ${quoteName(source)}`);
    }
    if (existing === undefined) await this.#makeDirectory(entry);
    this.#open.add(status.inode);
    await this.#invocation.guard(() => this.#copyEntries(entry));
    this.#open.delete(status.inode);
    const { umask } = this.#invocation.credentials;
    this.#preserve(entry, existing === undefined ? status.mode & 0o777 & ~umask : undefined);
  }

  async #makeDirectory(entry: Entry): Promise<void> {
    this.#invocation.attempt("cannot create directory", entry.destination, (files, path, credentials) => {
      // Its owner needs all rights until it is filled.
      files.makeDirectory(path, credentials, { mode: entry.status.mode | 0o700 });
      this.#made.add(files.status(path, credentials).inode);
    });
    await this.#announce(entry);
  }

  async #copyEntries({ source, destination }: Placement): Promise<void> {
    const entries = this.#invocation.attempt("cannot access", source, (files, path, credentials) =>
      files.list(path, credentials),
    );
    for (const { name, inode } of entries) {
      if (this.#made.has(inode)) continue;
      await this.copy({ source: join(source, name), destination: join(destination, name) }, false);
    }
  }

  /** Makes room where something is already. @returns whether the copying goes on. */
  async #clearDestination(entry: Entry): Promise<boolean> {
    const { destination, status } = entry;
    const named = this.#invocation.attempt("cannot stat", destination, (files, path, credentials) =>
      unlessRefused(["ENOENT"], () => files.status(path, credentials, { followSymlink: false })),
    );
    if (named === undefined) return true;
    const target = statusOf(this.#invocation, destination);
    const there = status.type === "symlink" ? named : target;
    if (this.#options.has("n")) return false;
    if (await keepsExisting(this.#invocation, this.#options, { destination, status, there })) return false;
    if (there?.inode === status.inode) {
      // What is there may be a copy of the file under another of its names.
      if (this.#preserved.has("links") && this.#copies.has(status.inode)) return false;
      throw sameFile(entry);
    }
    if (target !== undefined) requireSameKind(entry, status, target);
    if (this.#options.has("remove-destination") || status.type === "symlink") {
      this.#invocation.attempt("cannot remove", destination, (files, path, credentials) =>
        files.unlink(path, credentials),
      );
    } else if (target === undefined) {
      throw new Complaint(`not writing through dangling symlink ${quoteName(destination)}`);
    }
    return true;
  }

  async #copyFile(entry: Entry): Promise<void> {
    const { source, destination, status } = entry;
    if (this.#linkToCopy(entry)) return await this.#announce(entry);
    if (status.type === "symlink") {
      this.#invocation.attempt("cannot create symbolic link", destination, (files, path, credentials) =>
        files.symlink(files.readSymlink(this.#invocation.path(source), credentials), path, credentials),
      );
      this.#preserveOwner(entry);
      return await this.#announce(entry);
    }
    const { files, credentials } = this.#invocation;
    if (!files.permits(this.#invocation.path(source), credentials, 4)) {
      throw new Complaint(`cannot open ${quoteName(source)} for reading: Permission denied`);
    }
    if (isDevice(destination)) return await this.#pour(entry);
    await this.#writing(destination, () => this.#copyContent(entry));
    this.#preserve(entry, undefined);
    await this.#announce(entry);
  }

  /** Makes a second name of a file a second name of its copy. @returns whether it is one. */
  #linkToCopy({ destination, status }: Entry): boolean {
    if (!this.#preserved.has("links") || status.links < 2) return false;
    const copy = this.#copies.get(status.inode);
    if (copy === undefined) {
      this.#copies.set(status.inode, destination);
      return false;
    }
    this.#invocation.attempt("cannot create hard link", destination, (files, path, credentials) => {
      if (statusOf(this.#invocation, destination, { followSymlink: false })) files.unlink(path, credentials);
      files.link(this.#invocation.path(copy), path, credentials);
    });
    return true;
  }

  /** Copies content; a new file also has the mode, as far as the umask lets it. */
  async #copyContent({ source, destination, status: { mode, size } }: Entry): Promise<void> {
    const { files, credentials } = this.#invocation;
    const [from, to] = [this.#invocation.path(source), this.#invocation.path(destination)];
    const copy = async () => {
      if (size > SMALL_FILE_BYTES) return await files.copyFile(from, to, credentials);
      files.writeAll(to, files.readAll(from, credentials), credentials, { mode: mode & 0o777 });
      await this.#invocation.stepBytes(size);
    };
    await copy().catch(async (error) => {
      const isClosed = error instanceof FileError && error.code === "EACCES";
      if (!isClosed || !this.#options.has("f") || !files.exists(to, credentials)) throw error;
      files.unlink(to, credentials);
      await copy();
    });
  }

  /** Copies what has no place among the files: from a device, or into one. */
  async #pour({ source, destination }: Placement): Promise<void> {
    await this.#writing(destination, async () => {
      const input = await openPath(this.#invocation, source);
      const sink = openSink(this.#invocation, destination);
      for await (const piece of pieces(input)) await sink.write(piece);
      await sink.flush();
    });
    await this.#announce({ source, destination });
  }

  /** @throws Complaint where the file system refuses to write. */
  async #writing(destination: string, write: () => Promise<void>): Promise<void> {
    await write().catch((error) => {
      const isFull = error instanceof FileError && error.code === "ENOSPC";
      // A slash at the end asks for a directory, which a copy of a file does not make.
      const isMisnamed = destination.endsWith("/") && error instanceof FileError && !isFull;
      this.#invocation.attempt(isFull ? "error writing" : "cannot create regular file", destination, () => {
        throw isMisnamed ? new FileError("ENOTDIR", "open", destination) : error;
      });
    });
  }

  /** @param newMode what a new directory has where its source's mode is not preserved. */
  #preserve(entry: Entry, newMode: number | undefined): void {
    const { destination, status } = entry;
    // A change of owner takes the set-id bits away, so that the mode comes behind it. With another owner than the
    // source's they would give other rights.
    const isOwned = this.#preserveOwner(entry) || !this.#preserved.has("ownership");
    const kept = isOwned ? status.mode : status.mode & 0o777;
    const mode = this.#preserved.has("mode") ? kept : newMode;
    if (mode !== undefined) {
      this.#invocation.attempt("preserving permissions for", destination, (files, path, credentials) =>
        files.changeMode(path, credentials, mode),
      );
    }
    if (!this.#preserved.has("timestamps")) return;
    this.#invocation.attempt("preserving times for", destination, (files, path, credentials) =>
      files.setTimes(path, credentials, status),
    );
  }

  /** @returns whether the owner is now the source's: to others only root can give a file. */
  #preserveOwner({ destination, status: { uid, gid } }: Entry): boolean {
    if (!this.#preserved.has("ownership")) return false;
    const { files, credentials } = this.#invocation;
    const path = this.#invocation.path(destination);
    const isGiven = unlessRefused(["EPERM"], () => {
      files.changeOwner(path, credentials, { uid, gid }, { followSymlink: false });
      return true;
    });
    return isGiven ?? false;
  }
}

import { FileError } from "../../../file-system/file-error.ts";
import type { FileStatus } from "../../../file-system/file-system.ts";
import { openSink } from "../byte-sink.ts";
import { PIECE_LENGTH, readFully } from "../byte-source.ts";
import { directoryName, join, statusOf } from "../destinations.ts";
import { errorText } from "../error-text.ts";
import type { Invocation } from "../invocation.ts";
import { safeName, stripParts } from "./member-names.ts";
import type { TarMember } from "./tar-header.ts";
import type { TarRequest } from "./tar-options.ts";
import type { TarReader } from "./tar-reader.ts";

/** A member and the path where it goes. */
interface Placed {
  member: TarMember;
  path: string;
}

/** A file of no more bytes is written at once. */
const SMALL_FILE_BYTES = 128 * 1024;

/** Whether a symlink could lead out of the directory that it is in. */
function mayLeadOut(target: string): boolean {
  return target.startsWith("/") || target.split("/").includes("..");
}

/** Makes files of an archive's members. */
export class Extraction {
  readonly #invocation: Invocation;
  readonly #request: TarRequest;
  readonly #reader: TarReader;
  readonly #base: string;
  readonly #warned = new Set<string>();
  /** Symlinks that are only made at the end: until then nothing of the archive can be written through them. */
  readonly #symlinks = new Map<string, TarMember>();
  /** Directories, whose modes and times would stand in the way of, or be changed by, what is put into them. */
  readonly #directories: Placed[] = [];

  constructor(invocation: Invocation, request: TarRequest, reader: TarReader) {
    this.#invocation = invocation;
    this.#request = request;
    this.#reader = reader;
    const top = request.options.has("one-top-level") ? topLevel(request) : undefined;
    const directory = request.directory ?? ".";
    this.#base = invocation.path(top === undefined ? directory : join(directory, top));
  }

  /** @throws TarFormatError of an archive that breaks off. */
  async extract(member: TarMember): Promise<void> {
    const placed = this.#place(member);
    if (placed === undefined) return;
    try {
      this.#makeParents(placed.path);
      await this.#make(placed);
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      const what = {
        directory: "Cannot mkdir",
        symlink: `Cannot create symlink to '${member.target}'`,
        link: `Cannot hard link to '${safeName(member.target).rest}'`,
        file: error.code === "ENOSPC" ? "Cannot write" : "Cannot open",
        other: "Cannot open",
      }[member.type];
      this.#invocation.complain(`${member.name}: ${what}: ${errorText(error)}`);
    }
  }

  /** Makes what was left for the end. */
  finish(): void {
    for (const [path, member] of this.#symlinks) {
      this.#attempt({ member, path }, () => {
        this.#clear(path);
        this.#invocation.files.symlink(member.target, path, this.#invocation.credentials);
        this.#setOwner({ member, path });
      });
    }
    for (const placed of this.#directories.toReversed()) this.#attempt(placed, () => this.#setStatus(placed));
  }

  #attempt({ member }: Placed, action: () => void): void {
    try {
      action();
    } catch (error) {
      this.#invocation.complain(`${member.name}: ${errorText(error)}`);
    }
  }

  /** Undefined: nothing is left of its name. */
  #place(member: TarMember): Placed | undefined {
    const name = stripParts(this.#safeName(member.name), this.#request.strippedParts);
    if (name === undefined || name === "") return undefined;
    return { member, path: join(this.#base, name.replace(/\/+$/, "")) };
  }

  #safeName(name: string): string {
    const { prefix, rest } = safeName(name);
    if (prefix !== "" && !this.#warned.has(prefix)) {
      this.#warned.add(prefix);
      this.#invocation.warn(`Removing leading \`${prefix}' from member names`);
    }
    return rest;
  }

  #makeParents(path: string): void {
    const above = directoryName(path);
    if (statusOf(this.#invocation, above) !== undefined) return;
    this.#invocation.files.makeDirectory(above, this.#invocation.credentials, { parents: true });
  }

  async #make(placed: Placed): Promise<void> {
    const { member, path } = placed;
    if (member.type === "directory") return this.#makeDirectory(placed);
    if (member.type === "other") {
      return this.#invocation.complain(`${member.name}: Cannot create: not a file, a directory or a link`);
    }
    if (this.#keepsExisting(placed)) return;
    this.#clear(path);
    this.#symlinks.delete(path);
    if (member.type === "symlink") this.#makeSymlink(placed);
    else if (member.type === "link") this.#makeLink(placed);
    else {
      await this.#writeContent(placed);
      this.#setStatus(placed);
    }
  }

  #keepsExisting({ member, path }: Placed): boolean {
    const there = statusOf(this.#invocation, path, { followSymlink: false });
    if (there === undefined && !this.#symlinks.has(path)) return false;
    // A hard link that is there already is as it should be.
    if (member.type === "link" && there?.inode === this.#statusOfLinked(member)?.inode) return true;
    if (this.#request.options.has("skip-old-files")) return true;
    if (this.#request.options.has("k")) throw new FileError("EEXIST", "open", path);
    return false;
  }

  /** What is in the way goes, so that nothing is written through a symlink, or into another name of a file. */
  #clear(path: string): void {
    const { files, credentials } = this.#invocation;
    const there = statusOf(this.#invocation, path, { followSymlink: false });
    if (there === undefined) return;
    if (there.type === "directory") files.removeDirectory(path, credentials);
    else files.unlink(path, credentials);
  }

  #makeDirectory(placed: Placed): void {
    const { files, credentials } = this.#invocation;
    const there = statusOf(this.#invocation, placed.path);
    // A directory that is there keeps its status but for what the archive says of it.
    if (there !== undefined && there.type !== "directory") this.#clear(placed.path);
    if (there?.type !== "directory") files.makeDirectory(placed.path, credentials, { mode: 0o700 });
    this.#directories.push(placed);
  }

  #makeSymlink(placed: Placed): void {
    const { member, path } = placed;
    if (mayLeadOut(member.target)) {
      this.#symlinks.set(path, member);
      return;
    }
    this.#invocation.files.symlink(member.target, path, this.#invocation.credentials);
    this.#setOwner(placed);
  }

  /** Where the other name of a hard link is. */
  #linkedPath(member: TarMember): string {
    return join(this.#base, stripParts(this.#safeName(member.target), this.#request.strippedParts) ?? "");
  }

  #statusOfLinked(member: TarMember): FileStatus | undefined {
    return statusOf(this.#invocation, this.#linkedPath(member), { followSymlink: false });
  }

  #makeLink({ member, path }: Placed): void {
    const existing = this.#linkedPath(member);
    const later = this.#symlinks.get(existing);
    if (later) this.#symlinks.set(path, { ...later, name: member.name });
    else this.#invocation.files.link(existing, path, this.#invocation.credentials);
  }

  async #writeContent({ member, path }: Placed): Promise<void> {
    const { files, credentials } = this.#invocation;
    // Nobody else reads what is not whole yet, unless it is whole at once.
    if (member.size <= SMALL_FILE_BYTES) {
      files.writeAll(path, await readFully(this.#reader, member.size), credentials, {
        mode: member.mode & 0o777,
      });
      return;
    }
    files.writeAll(path, new Uint8Array(0), credentials, { mode: 0o600 });
    const sink = openSink(this.#invocation, path);
    for (;;) {
      const piece = await this.#reader.read(PIECE_LENGTH);
      if (piece.length === 0) break;
      await sink.write(piece);
    }
    await sink.flush();
  }

  #setStatus(placed: Placed): void {
    const { files, credentials } = this.#invocation;
    const { options } = this.#request;
    const { member, path } = placed;
    this.#setOwner(placed);
    // Root restores modes exactly unless told not to; others as far as their umask allows.
    const isExact =
      options.has("p", "same-permissions") || (credentials.uid === 0 && !options.has("no-same-permissions"));
    const mode = isExact ? member.mode : member.mode & 0o777 & ~credentials.umask;
    const before = files.status(path, credentials);
    if (before.mode !== mode) files.changeMode(path, credentials, mode);
    if (options.has("m")) return;
    files.setTimes(path, credentials, { accessedAt: before.accessedAt, modifiedAt: member.modifiedAt });
  }

  #setOwner({ member, path }: Placed): void {
    const { files, credentials } = this.#invocation;
    const { users } = this.#invocation.environment;
    const { options } = this.#request;
    if (credentials.uid !== 0 || options.has("no-same-owner", "o")) return;
    const byName = !options.has("numeric-owner");
    const uid = (byName ? users.find(member.userName)?.uid : undefined) ?? member.uid;
    const gid = (byName ? users.findGroup(member.groupName) : undefined) ?? member.gid;
    if (uid === credentials.uid && gid === credentials.gid) return;
    files.changeOwner(path, credentials, { uid, gid }, { followSymlink: false });
  }
}

/** The directory that everything goes into: the archive's name without its ending. */
function topLevel({ options, archive }: TarRequest): string {
  return (
    options.value("one-top-level") ?? archive.replace(/^.*\//, "").replace(/\.(?:tar(?:\.\w+)?|tgz)$/, "")
  );
}

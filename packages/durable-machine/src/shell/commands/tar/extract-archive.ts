import type { TarHeader } from "modern-tar";
import { FileError } from "../../../file-system/file-error.ts";
import type { FileStatus } from "../../../file-system/file-system.ts";
import { openSink } from "../byte-sink.ts";
import { readFully } from "../byte-source.ts";
import { directoryName, join, statusOf } from "../destinations.ts";
import { errorText } from "../error-text.ts";
import type { Invocation } from "../invocation.ts";
import type { Member } from "./archive-streams.ts";
import { newNameGuard, stripParts } from "./members.ts";
import type { TarRequest } from "./tar-options.ts";

/** A member and the path where it goes. */
interface Placed {
  header: TarHeader;
  path: string;
}

/** Content of no more bytes is written at once. */
const SMALL_FILE_BYTES = 128 * 1024;

/** Whether a symlink could lead out of the directory that it is in. */
function mayLeadOut(target: string): boolean {
  return target.startsWith("/") || target.split("/").includes("..");
}

/** Makes files of an archive's members. */
export class Extraction {
  readonly #invocation: Invocation;
  readonly #request: TarRequest;
  readonly #base: string;
  readonly #safeName: (name: string) => string;
  /**
   * Symlinks that are only made at the end, by their paths. Until then an empty file stands there, so that nothing
   * of the archive can be written through them.
   */
  readonly #symlinks = new Map<string, Placed & { inode: number }>();
  /** Directories, whose modes and times would stand in the way of, or be changed by, what is put into them. */
  readonly #directories: Placed[] = [];

  constructor(invocation: Invocation, request: TarRequest) {
    this.#invocation = invocation;
    this.#request = request;
    this.#base = invocation.path(request.directory ?? ".");
    this.#safeName = newNameGuard(invocation);
  }

  /** @throws ArchiveError */
  async extract(member: Member): Promise<void> {
    const { header } = member;
    const path = this.#pathOf(header.name);
    if (path === undefined) return;
    try {
      const above = directoryName(path);
      if (statusOf(this.#invocation, above) === undefined) {
        this.#invocation.files.makeDirectory(above, this.#invocation.credentials, { parents: true });
      }
      await this.#make(member, path);
    } catch (error) {
      this.#complain(header, error);
    }
  }

  /** Makes what was left for the end. */
  finish(): void {
    const { files, credentials } = this.#invocation;
    for (const placed of this.#symlinks.values()) {
      const { header, path, inode } = placed;
      // Another member may have taken the place.
      if (this.#statusAt(path)?.inode !== inode) continue;
      this.#attempt(header, () => {
        files.unlink(path, credentials);
        files.symlink(header.linkname ?? "", path, credentials);
        this.#setOwner(placed);
      });
    }
    for (const placed of this.#directories.toReversed())
      this.#attempt(placed.header, () => this.#setStatus(placed));
  }

  #attempt(header: TarHeader, action: () => void): void {
    try {
      action();
    } catch (error) {
      this.#complain(header, error);
    }
  }

  #complain({ name, type = "file", linkname = "" }: TarHeader, error: unknown): void {
    if (!(error instanceof FileError)) throw error;
    const actions: Partial<Record<typeof type, string>> = {
      directory: "Cannot mkdir",
      symlink: `Cannot create symlink to '${linkname}'`,
      link: `Cannot hard link to '${this.#safeName(linkname)}'`,
    };
    const action = actions[type] ?? (error.code === "ENOSPC" ? "Cannot write" : "Cannot open");
    this.#invocation.complain(`${name}: ${action}: ${errorText(error)}`);
  }

  /** Where a member goes; undefined: nothing is left of its name. */
  #pathOf(name: string): string | undefined {
    const rest = stripParts(this.#safeName(name), this.#request.strippedParts);
    return rest === undefined ? undefined : join(this.#base, rest);
  }

  #statusAt(path: string): FileStatus | undefined {
    return statusOf(this.#invocation, path, { followSymlink: false });
  }

  async #make(member: Member, path: string): Promise<void> {
    const { header } = member;
    const { type = "file" } = header;
    if (type === "directory") return this.#makeDirectory({ header, path });
    if (type !== "file" && type !== "link" && type !== "symlink") {
      return this.#invocation.complain(`${header.name}: Cannot mknod: Operation not permitted`);
    }
    if (this.#keepsExisting(header, path)) return;
    this.#clear(path);
    if (type === "symlink") this.#makeSymlink({ header, path });
    else if (type === "link") this.#makeLink({ header, path });
    else {
      await this.#writeContent(member, path);
      this.#setStatus({ header, path });
    }
  }

  #keepsExisting(header: TarHeader, path: string): boolean {
    const existing = this.#statusAt(path);
    if (existing === undefined) return false;
    // A hard link that is there already is as it should be.
    const linked = header.type === "link" ? this.#pathOf(header.linkname ?? "") : undefined;
    if (linked !== undefined && this.#statusAt(linked)?.inode === existing.inode) return true;
    if (this.#request.options.has("skip-old-files")) return true;
    if (this.#request.options.has("k")) throw new FileError("EEXIST", "open", path);
    return false;
  }

  /** Removes what is in the way, so that nothing is written through a symlink, or into another name of a file. */
  #clear(path: string): void {
    const { files, credentials } = this.#invocation;
    this.#symlinks.delete(path);
    const existing = this.#statusAt(path);
    if (existing?.type === "directory") files.removeDirectory(path, credentials);
    else if (existing !== undefined) files.unlink(path, credentials);
  }

  #makeDirectory(placed: Placed): void {
    const existing = statusOf(this.#invocation, placed.path);
    if (existing?.type !== "directory") {
      this.#clear(placed.path);
      this.#invocation.files.makeDirectory(placed.path, this.#invocation.credentials, { mode: 0o700 });
    }
    this.#directories.push(placed);
  }

  #makeSymlink(placed: Placed): void {
    const { files, credentials } = this.#invocation;
    const { header, path } = placed;
    const target = header.linkname ?? "";
    if (mayLeadOut(target)) {
      files.writeAll(path, new Uint8Array(0), credentials, { mode: 0o600 });
      this.#symlinks.set(path, { header, path, inode: files.status(path, credentials).inode });
    } else {
      files.symlink(target, path, credentials);
      this.#setOwner(placed);
    }
  }

  #makeLink({ header, path }: Placed): void {
    const linked = this.#pathOf(header.linkname ?? "") ?? this.#base;
    this.#invocation.files.link(linked, path, this.#invocation.credentials);
    const symlink = this.#symlinks.get(linked);
    if (symlink) this.#symlinks.set(path, { ...symlink, path });
  }

  async #writeContent({ header, read }: Member, path: string): Promise<void> {
    const { files, credentials } = this.#invocation;
    const mode = (header.mode ?? 0o644) & 0o777;
    if (header.size <= SMALL_FILE_BYTES) {
      files.writeAll(path, await readFully({ read }, header.size), credentials, { mode });
      return;
    }
    // Other users must not read an incomplete file.
    files.writeAll(path, new Uint8Array(0), credentials, { mode: 0o600 });
    const sink = openSink(this.#invocation, path);
    for (let piece = await read(); piece.length > 0; piece = await read()) await sink.write(piece);
    await sink.flush();
  }

  #setStatus(placed: Placed): void {
    const { files, credentials } = this.#invocation;
    const { options } = this.#request;
    const { header, path } = placed;
    this.#setOwner(placed);
    // Root restores modes exactly unless told not to; others as far as their umask allows.
    const isExact =
      options.has("p", "same-permissions") || (credentials.uid === 0 && !options.has("no-same-permissions"));
    const { mode: packedMode = 0o644, mtime } = header;
    const mode = isExact ? packedMode & 0o7777 : packedMode & 0o777 & ~credentials.umask;
    const before = files.status(path, credentials);
    if (before.mode !== mode) files.changeMode(path, credentials, mode);
    if (options.has("m") || mtime === undefined) return;
    files.setTimes(path, credentials, { accessedAt: before.accessedAt, modifiedAt: mtime.getTime() });
  }

  #setOwner({ header, path }: Placed): void {
    const { files, credentials } = this.#invocation;
    const { users } = this.#invocation.environment;
    const { options } = this.#request;
    if (credentials.uid !== 0 || options.has("no-same-owner", "o")) return;
    const { uname = "", gname = "" } = options.has("numeric-owner") ? {} : header;
    const uid = users.find(uname)?.uid ?? header.uid ?? 0;
    const gid = users.findGroup(gname) ?? header.gid ?? 0;
    if (uid === credentials.uid && gid === credentials.gid) return;
    files.changeOwner(path, credentials, { uid, gid }, { followSymlink: false });
  }
}

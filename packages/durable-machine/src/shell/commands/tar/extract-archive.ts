import type { TarHeader } from "modern-tar";
import { FileError } from "../../../file-system/file-error.ts";
import { openSink } from "../byte-sink.ts";
import { readFully } from "../byte-source.ts";
import { directoryName, join, statusOf } from "../destinations.ts";
import { errorText } from "../error-text.ts";
import type { Invocation } from "../invocation.ts";
import type { Member } from "./archive-streams.ts";
import { newNameGuard, stripParts } from "./members.ts";
import type { TarRequest } from "./tar.ts";

/** Content up to this size is written at once. */
const SMALL_FILE_BYTES = 128 * 1024;

const NOTHING = new Uint8Array(0);

export class Extraction {
  readonly #invocation: Invocation;
  readonly #request: TarRequest;
  readonly #base: string;
  readonly #safeName: (name: string) => string;
  /**
   * Symlinks by their paths. They are made at the end, so that nothing from the archive is written through
   * them. Until then an empty file with this inode takes their place.
   */
  readonly #symlinks = new Map<string, { header: TarHeader; inode: number }>();
  /** Directories get their modes and times at the end, because their content needs and changes them. */
  readonly #directories: { header: TarHeader; path: string }[] = [];

  constructor(invocation: Invocation, request: TarRequest) {
    this.#invocation = invocation;
    this.#request = request;
    this.#base = invocation.path(request.directory ?? ".");
    this.#safeName = newNameGuard(invocation);
  }

  async extract(member: Member): Promise<void> {
    const { files, credentials } = this.#invocation;
    const { header } = member;
    const { type = "file" } = header;
    const path = this.#pathOf(header.name);
    if (path === undefined) return;
    try {
      const parent = directoryName(path);
      if (statusOf(this.#invocation, parent) === undefined) {
        files.makeDirectory(parent, credentials, { parents: true });
      }
      if (type === "directory") this.#makeDirectory(header, path);
      else if (type !== "file" && type !== "link" && type !== "symlink") {
        this.#invocation.complain(`${header.name}: Cannot mknod: Operation not permitted`);
      } else {
        this.#clear(path);
        if (type === "symlink") {
          files.writeAll(path, NOTHING, credentials, { mode: 0o600 });
          this.#symlinks.set(path, { header, inode: files.status(path, credentials).inode });
        } else if (type === "link") this.#makeLink(header, path);
        else await this.#makeFile(member, path);
      }
    } catch (error) {
      this.#reportError(header, error);
    }
  }

  finish(): void {
    const { files, credentials } = this.#invocation;
    const attempt = (header: TarHeader, action: () => void) => {
      try {
        action();
      } catch (error) {
        this.#reportError(header, error);
      }
    };
    for (const [path, { header, inode }] of this.#symlinks) {
      // Another member may have taken the place.
      if (statusOf(this.#invocation, path, { followSymlink: false })?.inode !== inode) continue;
      attempt(header, () => {
        files.unlink(path, credentials);
        files.symlink(header.linkname ?? "", path, credentials);
        this.#setOwner(header, path);
      });
    }
    for (const { header, path } of this.#directories.toReversed()) {
      attempt(header, () => this.#setStatus(header, path));
    }
  }

  #reportError({ name, type = "file", linkname = "" }: TarHeader, error: unknown): void {
    const actions: Partial<Record<typeof type, string>> = {
      directory: "mkdir",
      symlink: `create symlink to '${linkname}'`,
      link: `hard link to '${this.#safeName(linkname)}'`,
    };
    const isFull = error instanceof FileError && error.code === "ENOSPC";
    const action = actions[type] ?? (isFull ? "write" : "open");
    this.#invocation.complain(`${name}: Cannot ${action}: ${errorText(error)}`);
  }

  /** Where a member goes; undefined if nothing is left of its name. */
  #pathOf(name: string): string | undefined {
    const rest = stripParts(this.#safeName(name), this.#request.strippedParts);
    return rest === undefined ? undefined : join(this.#base, rest);
  }

  /** Removes what is at a path, so that nothing is written through a symlink or into a file's other name. */
  #clear(path: string): void {
    const { files, credentials } = this.#invocation;
    this.#symlinks.delete(path);
    const existing = statusOf(this.#invocation, path, { followSymlink: false });
    if (existing?.type === "directory") files.removeDirectory(path, credentials);
    else if (existing !== undefined) files.unlink(path, credentials);
  }

  #makeDirectory(header: TarHeader, path: string): void {
    if (statusOf(this.#invocation, path)?.type !== "directory") {
      this.#clear(path);
      this.#invocation.files.makeDirectory(path, this.#invocation.credentials, { mode: 0o700 });
    }
    this.#directories.push({ header, path });
  }

  #makeLink(header: TarHeader, path: string): void {
    const linked = this.#pathOf(header.linkname ?? "") ?? this.#base;
    this.#invocation.files.link(linked, path, this.#invocation.credentials);
    const symlink = this.#symlinks.get(linked);
    if (symlink) this.#symlinks.set(path, symlink);
  }

  async #makeFile({ header, read }: Member, path: string): Promise<void> {
    const { files, credentials } = this.#invocation;
    if (header.size <= SMALL_FILE_BYTES) {
      const content = await readFully({ read }, header.size);
      files.writeAll(path, content, credentials, { mode: (header.mode ?? 0o644) & 0o777 });
    } else {
      // Other users must not read an incomplete file.
      files.writeAll(path, NOTHING, credentials, { mode: 0o600 });
      const sink = openSink(this.#invocation, path);
      for (let piece = await read(); piece.length > 0; piece = await read()) await sink.write(piece);
      await sink.flush();
    }
    this.#setStatus(header, path);
  }

  #setStatus(header: TarHeader, path: string): void {
    const { files, credentials } = this.#invocation;
    const { options } = this.#request;
    this.#setOwner(header, path);
    const isRoot = credentials.uid === 0;
    const isExact = options.has("p") || (isRoot && !options.has("no-same-permissions"));
    const { mode: packedMode = 0o644, mtime } = header;
    const mode = isExact ? packedMode & 0o7777 : packedMode & 0o777 & ~credentials.umask;
    const before = files.status(path, credentials);
    if (before.mode !== mode) files.changeMode(path, credentials, mode);
    if (options.has("m") || mtime === undefined) return;
    files.setTimes(path, credentials, { accessedAt: before.accessedAt, modifiedAt: mtime.getTime() });
  }

  #setOwner(header: TarHeader, path: string): void {
    const { files, credentials, environment } = this.#invocation;
    const { options } = this.#request;
    if (credentials.uid !== 0 || options.has("o")) return;
    const { uname = "", gname = "" } = options.has("numeric-owner") ? {} : header;
    const uid = environment.users.find(uname)?.uid ?? header.uid ?? 0;
    const gid = environment.users.findGroup(gname) ?? header.gid ?? 0;
    if (uid === credentials.uid && gid === credentials.gid) return;
    files.changeOwner(path, credentials, { uid, gid }, { followSymlink: false });
  }
}

import type { TarHeader } from "modern-tar";
import type { DirectoryEntry, FileStatus } from "../../../file-system/file-system.ts";
import { openSink, outputSink } from "../byte-sink.ts";
import { type ByteSource, openPath, PIECE_LENGTH } from "../byte-source.ts";
import { join, statusOf } from "../destinations.ts";
import { errorText } from "../error-text.ts";
import type { Invocation } from "../invocation.ts";
import { ArchiveWriter } from "./archive-streams.ts";
import { describeMember, isExcluded, newNameGuard } from "./members.ts";
import type { TarRequest } from "./tar-options.ts";

interface PackedFile {
  /** As it was named. */
  name: string;
  path: string;
  status: FileStatus;
}

/** Puts files into an archive. */
class Creation {
  readonly #invocation: Invocation;
  readonly #request: TarRequest;
  readonly #archive: ArchiveWriter;
  /** The archive's own file, which is not put into itself. */
  readonly #ownInode: number | undefined;
  readonly #safeName: (name: string) => string;
  /** The first member of each file that has several names. */
  readonly #linked = new Map<number, string>();
  /** Directories that are being added: where symlinks are followed, one may lead back into them. */
  readonly #open = new Set<number>();

  constructor(invocation: Invocation, request: TarRequest, archive: ArchiveWriter) {
    this.#invocation = invocation;
    this.#request = request;
    this.#archive = archive;
    this.#ownInode = request.archive === "-" ? undefined : statusOf(invocation, request.archive)?.inode;
    this.#safeName = newNameGuard(invocation);
  }

  async add(name: string, path: string): Promise<void> {
    await this.#invocation.step(4);
    if (isExcluded(name, this.#request.excluded)) return;
    const { files, credentials } = this.#invocation;
    let status: FileStatus;
    try {
      status = files.status(path, credentials, { followSymlink: this.#request.options.has("h") });
    } catch (error) {
      return this.#invocation.complain(`${name}: Cannot stat: ${errorText(error)}`);
    }
    if (status.inode === this.#ownInode) this.#invocation.warn(`${name}: file is the archive; not dumped`);
    else if (status.type === "directory") await this.#addDirectory({ name, path, status });
    else await this.#addFile({ name, path, status });
  }

  async #addFile(file: PackedFile): Promise<void> {
    const { inode, links, type } = file.status;
    const header = this.#headerOf(file);
    const first = links > 1 ? this.#linked.get(inode) : undefined;
    if (first !== undefined) return await this.#addMember({ ...header, type: "link", linkname: first });
    if (links > 1) this.#linked.set(inode, header.name);
    if (type === "file") return await this.#addContent(file, header);
    const linkname = this.#invocation.files.readSymlink(file.path, this.#invocation.credentials);
    await this.#addMember({ ...header, type: "symlink", linkname });
  }

  async #addDirectory(file: PackedFile): Promise<void> {
    const { inode } = file.status;
    if (this.#open.has(inode)) return this.#invocation.complain(`${file.name}: file system loop detected`);
    let entries: DirectoryEntry[];
    try {
      entries = this.#invocation.files.list(file.path, this.#invocation.credentials);
    } catch (error) {
      return this.#invocation.complain(`${file.name}: Cannot open: ${errorText(error)}`);
    }
    const header = this.#headerOf(file);
    const name = header.name.replace(/\/*$/, "/");
    if (header.name !== "") await this.#addMember({ ...header, name, type: "directory" });
    if (this.#request.options.has("no-recursion")) return;
    this.#open.add(inode);
    for (const entry of entries) await this.add(join(file.name, entry.name), join(file.path, entry.name));
    this.#open.delete(inode);
  }

  async #addContent({ name, path }: PackedFile, header: TarHeader): Promise<void> {
    let source: ByteSource;
    try {
      source = await openPath(this.#invocation, path);
    } catch (error) {
      return this.#invocation.complain(`${name}: Cannot open: ${errorText(error)}`);
    }
    const size = source.size ?? 0;
    await this.#addMember({ ...header, size }, this.#contentOf(source, name, size));
  }

  /** As many bytes as the header has promised, whatever becomes of the file meanwhile. */
  async *#contentOf(source: ByteSource, name: string, size: number): AsyncGenerator<Uint8Array> {
    let left = size;
    while (left > 0) {
      const piece = await source.read(left);
      if (piece.length === 0) break;
      left -= piece.length;
      yield piece;
    }
    if (left > 0) this.#invocation.complain(`${name}: File shrank by ${left} bytes; padding with zeros`);
    for (; left > 0; left -= PIECE_LENGTH) yield new Uint8Array(Math.min(left, PIECE_LENGTH));
  }

  #headerOf({ name, status }: PackedFile): TarHeader {
    const { owner, group, options } = this.#request;
    const { users } = this.#invocation.environment;
    const uid = owner ?? status.uid;
    const gid = group ?? status.gid;
    // Numbers that nobody has have no name in an archive.
    const nameOf = (found: string) => (options.has("numeric-owner") || /^\d+$/.test(found) ? "" : found);
    return {
      name: this.#safeName(name),
      mode: status.mode,
      uid,
      gid,
      uname: nameOf(users.userName(uid)),
      gname: nameOf(users.groupName(gid)),
      size: 0,
      mtime: new Date(Math.max(0, status.modifiedAt)),
    };
  }

  async #addMember(header: TarHeader, content?: AsyncIterable<Uint8Array>): Promise<void> {
    await this.#archive.add(header, content);
    const { archive, options, verbosity } = this.#request;
    if (verbosity === 0) return;
    const line = verbosity > 1 ? describeMember(header, options.has("numeric-owner")) : header.name;
    // Standard output may be taken by the archive.
    if (archive === "-") this.#invocation.say(`${line}\n`);
    else await this.#invocation.print(`${line}\n`);
  }
}

/** Makes an archive. @throws FileError where it cannot be written. */
export async function createArchive(invocation: Invocation, request: TarRequest): Promise<void> {
  const sink = request.archive === "-" ? outputSink(invocation) : openSink(invocation, request.archive);
  const archive = new ArchiveWriter(sink, request.gzip);
  try {
    const creation = new Creation(invocation, request, archive);
    for (const { name, directory } of request.operands) {
      const isBelow = directory !== undefined && !name.startsWith("/");
      await creation.add(name, invocation.path(isBelow ? join(directory, name) : name));
    }
    await archive.end();
    await sink.flush();
  } catch (error) {
    archive.abort();
    throw error;
  }
}

import type { DirectoryEntry, FileStatus } from "../../../file-system/file-system.ts";
import type { ByteSink } from "../byte-sink.ts";
import { type ByteSource, openPath } from "../byte-source.ts";
import { parseOwnership } from "../chown.ts";
import { join } from "../destinations.ts";
import { errorText } from "../error-text.ts";
import type { Invocation } from "../invocation.ts";
import { parseDate } from "../parse-date.ts";
import { MemberDescriber } from "./describe-member.ts";
import { isExcluded, safeName } from "./member-names.ts";
import { BLOCK_LENGTH, paddingOf, type TarMember, writeHeader } from "./tar-header.ts";
import type { TarOperand, TarRequest } from "./tar-options.ts";

/** Archives are multiples of this, as tapes had them. */
const RECORD_LENGTH = 20 * BLOCK_LENGTH;

interface ArchivedFile {
  /** As it was named. */
  name: string;
  path: string;
  status: FileStatus;
}

/** Writes files into an archive. */
export class ArchiveWriter {
  readonly #invocation: Invocation;
  readonly #request: TarRequest;
  readonly #sink: ByteSink;
  readonly #describer: MemberDescriber;
  /** The archive's own file, which is not put into itself. */
  readonly #ownInode: number | undefined;
  readonly #warned = new Set<string>();
  /** The first member of each file that has several names. */
  readonly #linked = new Map<number, string>();
  /** Directories that are being added: where symlinks are followed, one may lead back into them. */
  readonly #open = new Set<number>();
  #length: number;

  /** @param options.offset where in the archive it begins. */
  constructor(
    invocation: Invocation,
    request: TarRequest,
    { sink, ownInode, offset }: { sink: ByteSink; ownInode: number | undefined; offset: number },
  ) {
    this.#invocation = invocation;
    this.#request = request;
    this.#sink = sink;
    this.#ownInode = ownInode;
    this.#length = offset;
    this.#describer = new MemberDescriber({
      numericOwner: request.options.has("numeric-owner"),
      fullTime: request.options.has("full-time"),
    });
  }

  async add({ name, directory }: TarOperand): Promise<void> {
    const path = this.#invocation.path(
      directory === undefined || name.startsWith("/") ? name : join(directory, name),
    );
    await this.#addPath(name, path);
  }

  async #addPath(name: string, path: string): Promise<void> {
    await this.#invocation.step(4);
    if (isExcluded(name, this.#request.excluded)) return;
    let status: FileStatus;
    try {
      status = this.#invocation.files.status(path, this.#invocation.credentials, {
        followSymlink: this.#request.options.has("h"),
      });
    } catch (error) {
      return this.#invocation.complain(`${name}: Cannot stat: ${errorText(error)}`);
    }
    if (status.inode === this.#ownInode)
      return this.#invocation.warn(`${name}: file is the archive; not dumped`);
    await this.#addFile({ name, path, status });
  }

  async #addFile(file: ArchivedFile): Promise<void> {
    const { status } = file;
    if (status.type === "directory") return await this.#addDirectory(file);
    const first = status.links > 1 ? this.#linked.get(status.inode) : undefined;
    const member = this.#memberOf(file);
    if (first !== undefined)
      return await this.#addMember({ ...member, type: "link", size: 0, target: first });
    if (status.links > 1) this.#linked.set(status.inode, member.name);
    if (status.type === "symlink") {
      const target = this.#invocation.files.readSymlink(file.path, this.#invocation.credentials);
      return await this.#addMember({ ...member, type: "symlink", size: 0, target });
    }
    await this.#addContent(file, member);
  }

  async #addDirectory(file: ArchivedFile): Promise<void> {
    const { inode } = file.status;
    if (this.#open.has(inode)) return this.#invocation.complain(`${file.name}: file system loop detected`);
    let entries: DirectoryEntry[];
    try {
      entries = this.#invocation.files.list(file.path, this.#invocation.credentials);
    } catch (error) {
      return this.#invocation.complain(`${file.name}: Cannot open: ${errorText(error)}`);
    }
    const member = this.#memberOf(file);
    const name = member.name.endsWith("/") ? member.name : `${member.name}/`;
    if (member.name !== "") await this.#addMember({ ...member, name, type: "directory", size: 0 });
    if (this.#request.options.has("no-recursion")) return;
    this.#open.add(inode);
    for (const entry of entries) {
      await this.#addPath(join(file.name, entry.name), join(file.path, entry.name));
    }
    this.#open.delete(inode);
  }

  async #addContent({ name, path }: ArchivedFile, member: TarMember): Promise<void> {
    let source: ByteSource;
    try {
      source = await openPath(this.#invocation, path);
    } catch (error) {
      return this.#invocation.complain(`${name}: Cannot open: ${errorText(error)}`);
    }
    await this.#addMember(member);
    let left = member.size;
    while (left > 0) {
      const piece = await this.#read(source, name, left);
      if (piece.length === 0) break;
      left -= piece.length;
      await this.#write(piece);
    }
    // Its header has promised so many bytes.
    if (left > 0) this.#invocation.complain(`${name}: File shrank by ${left} bytes; padding with zeros`);
    await this.#writeZeros(left + paddingOf(member.size));
  }

  /** The next bytes of a file; none at its end, and where it can no longer be read. */
  async #read(source: ByteSource, name: string, length: number): Promise<Uint8Array> {
    try {
      return await source.read(length);
    } catch (error) {
      this.#invocation.complain(`${name}: Read error: ${errorText(error)}`);
      return new Uint8Array(0);
    }
  }

  #memberOf({ name, status }: ArchivedFile): TarMember {
    const { options } = this.#request;
    const { users } = this.#invocation.environment;
    const uid = parseOwnership(options.value("owner") ?? "", users).uid ?? status.uid;
    const gid = parseOwnership(`:${options.value("group") ?? ""}`, users).gid ?? status.gid;
    const isNumeric = options.has("numeric-owner");
    const time = options.value("mtime");
    return {
      name: this.#safeName(name),
      type: "file",
      mode: status.mode,
      uid,
      gid,
      userName: isNumeric ? "" : nameOf(users.userName(uid)),
      groupName: isNumeric ? "" : nameOf(users.groupName(gid)),
      size: status.type === "file" ? status.size : 0,
      modifiedAt: (time === undefined ? undefined : parseDate(time, Date.now())) ?? status.modifiedAt,
      target: "",
    };
  }

  #safeName(name: string): string {
    const { prefix, rest } = safeName(name);
    if (prefix !== "" && !this.#warned.has(prefix)) {
      this.#warned.add(prefix);
      this.#invocation.warn(`Removing leading \`${prefix}' from member names`);
    }
    return rest;
  }

  async #addMember(member: TarMember): Promise<void> {
    for (const block of writeHeader(member)) await this.#write(block);
    if (this.#request.verbosity === 0) return;
    const line = this.#request.verbosity > 1 ? this.#describer.describe(member) : member.name;
    // Standard output may be taken by the archive.
    if (this.#request.archive === "-") this.#invocation.say(`${line}\n`);
    else await this.#invocation.print(`${line}\n`);
  }

  async #write(bytes: Uint8Array): Promise<void> {
    this.#length += bytes.length;
    await this.#sink.write(bytes);
  }

  async #writeZeros(length: number): Promise<void> {
    for (let left = length; left > 0; left -= RECORD_LENGTH) {
      await this.#write(new Uint8Array(Math.min(left, RECORD_LENGTH)));
    }
  }

  /** Writes the end of the archive. */
  async end(): Promise<void> {
    const end = this.#length + 2 * BLOCK_LENGTH;
    await this.#writeZeros(Math.ceil(end / RECORD_LENGTH) * RECORD_LENGTH - this.#length);
    await this.#sink.flush();
  }
}

/** Numbers that nobody has have no name in an archive. */
function nameOf(name: string): string {
  return /^\d+$/.test(name) ? "" : name;
}

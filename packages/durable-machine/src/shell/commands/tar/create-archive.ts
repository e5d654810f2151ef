import { createTarPacker, type TarHeader } from "modern-tar";
import { FileError } from "../../../file-system/file-error.ts";
import type { FileStatus } from "../../../file-system/file-system.ts";
import { openSink, outputSink } from "../byte-sink.ts";
import { type ByteSource, openPath, PIECE_LENGTH } from "../byte-source.ts";
import { join, statusOf } from "../destinations.ts";
import { errorText } from "../error-text.ts";
import type { Invocation } from "../invocation.ts";
import { describeMember, isExcluded, newNameGuard } from "./members.ts";
import type { TarRequest } from "./tar.ts";

/** A member, whose content is as long as the header says. */
interface NewMember {
  header: TarHeader;
  content?: AsyncIterable<Uint8Array>;
}

class Creation {
  readonly #invocation: Invocation;
  readonly #request: TarRequest;
  /** The archive does not contain itself. */
  readonly #ownInode: number | undefined;
  readonly #safeName: (name: string) => string;
  /** The first names of files with several names. */
  readonly #linked = new Map<number, string>();

  constructor(invocation: Invocation, request: TarRequest) {
    this.#invocation = invocation;
    this.#request = request;
    this.#ownInode = request.archive === "-" ? undefined : statusOf(invocation, request.archive)?.inode;
    this.#safeName = newNameGuard(invocation);
  }

  async *members(): AsyncGenerator<NewMember> {
    const { archive, operands, verbosity } = this.#request;
    for (const { name, directory } of operands) {
      const isBelow = directory !== undefined && !name.startsWith("/");
      const path = this.#invocation.path(isBelow ? join(directory, name) : name);
      for await (const member of this.#membersAt(name, path)) {
        const line = verbosity > 1 ? describeMember(member.header) : member.header.name;
        // With `-f -` the archive itself goes to standard output.
        if (verbosity > 0 && archive === "-") this.#invocation.say(`${line}\n`);
        else if (verbosity > 0) await this.#invocation.print(`${line}\n`);
        yield member;
      }
    }
  }

  async *#membersAt(name: string, path: string): AsyncGenerator<NewMember> {
    await this.#invocation.step(4);
    if (isExcluded(name, this.#request.excluded)) return;
    try {
      const { files, credentials } = this.#invocation;
      const status = files.status(path, credentials, { followSymlink: false });
      if (status.inode === this.#ownInode) this.#invocation.warn(`${name}: file is the archive; not dumped`);
      else if (status.type === "directory") yield* this.#directoryMembers(name, path, status);
      else yield await this.#fileMember(name, path, status);
    } catch (error) {
      const action = error instanceof FileError && error.code === "ENOENT" ? "stat" : "open";
      this.#invocation.complain(`${name}: Cannot ${action}: ${errorText(error)}`);
    }
  }

  async *#directoryMembers(name: string, path: string, status: FileStatus): AsyncGenerator<NewMember> {
    const entries = this.#invocation.files.list(path, this.#invocation.credentials);
    const header = this.#headerOf(name, status);
    if (header.name !== "") {
      yield { header: { ...header, name: header.name.replace(/(?<!\/)\/*$/, "/"), type: "directory" } };
    }
    if (this.#request.options.has("no-recursion")) return;
    for (const entry of entries) yield* this.#membersAt(join(name, entry.name), join(path, entry.name));
  }

  async #fileMember(name: string, path: string, status: FileStatus): Promise<NewMember> {
    const header = this.#headerOf(name, status);
    const linked = this.#linked.get(status.inode);
    if (linked !== undefined) return { header: { ...header, type: "link", linkname: linked } };
    if (status.links > 1) this.#linked.set(status.inode, header.name);
    if (status.type === "symlink") {
      const linkname = this.#invocation.files.readSymlink(path, this.#invocation.credentials);
      return { header: { ...header, type: "symlink", linkname } };
    }
    const source = await openPath(this.#invocation, path);
    const size = source.size ?? 0;
    return { header: { ...header, size }, content: this.#contentOf(source, name, size) };
  }

  /** Returns as many bytes as the header says, even if the file shrinks in the meantime. */
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

  #headerOf(name: string, status: FileStatus): TarHeader {
    const { users } = this.#invocation.environment;
    const { uid, gid, mode, modifiedAt } = status;
    const nameOf = (name: string) => (/^\d+$/.test(name) ? "" : name);
    return {
      name: this.#safeName(name),
      mode,
      uid,
      gid,
      uname: nameOf(users.userName(uid)),
      gname: nameOf(users.groupName(gid)),
      size: 0,
      mtime: new Date(Math.max(0, modifiedAt)),
    };
  }
}

export async function createArchive(invocation: Invocation, request: TarRequest): Promise<void> {
  const sink = request.archive === "-" ? outputSink(invocation) : openSink(invocation, request.archive);
  const { readable, controller } = createTarPacker();
  let failure: unknown;
  const write = async (bytes: Uint8Array) => {
    await sink.write(bytes).catch((error: unknown) => {
      failure = error;
      throw error;
    });
  };
  const packed = request.gzip ? readable.pipeThrough(new CompressionStream("gzip")) : readable;
  const written = packed.pipeTo(new WritableStream({ write }));
  written.catch(() => {});
  try {
    for await (const { header, content } of new Creation(invocation, request).members()) {
      const writer = controller.add(header).getWriter();
      // A write may never end once the sink has failed.
      for await (const piece of content ?? []) await Promise.race([writer.write(piece), written]);
      await Promise.race([writer.close(), written]);
    }
    controller.finalize();
    await written;
    await sink.flush();
  } catch (error) {
    controller.error(error);
    throw failure ?? error;
  }
}

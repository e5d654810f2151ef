import { CHUNK_BYTES, Contents } from "./contents.ts";
import { Refusal } from "./file-error.ts";
import { type FileType, type Inode, Inodes, ROOT_INODE } from "./inodes.ts";
import { byteLength } from "./path.ts";
import { type RunTransaction, SCHEMA, type Sql } from "./sql.ts";

/** What a name counts towards the quota, so that empty files are not free. */
export const NAME_BYTES = 512;

const DIRECTORY_BYTES = 4096;

/** Larger contents are removed in steps. */
export const MAX_BYTES_PER_STEP = 32 * CHUNK_BYTES;

type Counters = {
  used: number;
  files: number;
  /** Inodes and contents are numbered together, and no number is used twice. */
  nextNumber: number;
};

/** A rename is a `rename` with the old path, then a `create` with the new one. */
export interface FileChange {
  type: "create" | "write" | "delete" | "rename";
  /** Absolute and without symlinks in its directories. */
  path: string;
  isDirectory: boolean;
}

type NewFile = Pick<Inode, "type" | "mode" | "uid" | "gid"> & { target?: string };

export interface VolumeOptions {
  sql: Sql;
  transaction: RunTransaction;
  quotaBytes: number;
  now: () => number;
  onChanges: (changes: FileChange[]) => void;
  onOrphans: () => void;
}

/**
 * Files as rows, with their link counts and the quota. An inode without links is an orphan: its content
 * belongs to no file, or not yet, and is removed in steps, even after a crash.
 */
export class Volume {
  readonly inodes: Inodes;
  readonly contents: Contents;
  isClosed = false;
  readonly #options: VolumeOptions;
  readonly #holds = new Set<{ content: number }>();
  #counters: Counters = { used: 0, files: 0, nextNumber: 0 };
  #changes: FileChange[] = [];
  #hasNewOrphans = false;
  #isTransacting = false;

  constructor(options: VolumeOptions) {
    this.#options = options;
    this.inodes = new Inodes(options.sql, options.now);
    this.contents = new Contents(options.sql);
  }

  format(fill: () => void): void {
    this.#options.transaction(() => {
      for (const statement of SCHEMA) this.#options.sql.exec(statement);
    });
    this.transact(() => {
      if (this.inodes.get(ROOT_INODE) !== undefined) return;
      this.#insert({ type: "directory", mode: 0o755, uid: 0, gid: 0 });
      fill();
    });
  }

  usage(): { usedBytes: number; quotaBytes: number; files: number } {
    const { used, files } = this.#loadCounters();
    return { usedBytes: used, quotaBytes: this.#options.quotaBytes, files };
  }

  /** Nested calls are part of the outer transaction. */
  transact<T>(work: () => T): T {
    if (this.#isTransacting) return work();
    this.#isTransacting = true;
    this.#changes = [];
    this.#hasNewOrphans = false;
    let result: T;
    try {
      result = this.#options.transaction(() => this.#runCounted(work));
    } finally {
      this.inodes.endTransaction();
      this.#isTransacting = false;
    }
    if (this.#hasNewOrphans) this.#options.onOrphans();
    if (this.#changes.length > 0) this.#options.onChanges(this.#changes);
    return result;
  }

  /** Runs changes and undoes them. @throws Refusal if they would be refused. */
  rehearse(work: () => void): void {
    const undo = new Error("undone");
    try {
      this.transact(() => {
        work();
        throw undo;
      });
    } catch (error) {
      if (error !== undo) throw error;
    }
  }

  /** Listeners are notified of the change once the transaction is done. */
  report(type: FileChange["type"], path: string, isDirectory: boolean): void {
    this.#changes.push({ type, path, isDirectory });
  }

  create(directory: Inode, name: string, file: NewFile): Inode {
    this.#take(NAME_BYTES + byteLength(file.target ?? ""));
    const created = this.#insert(file);
    this.inodes.addEntry(directory.inode, name, created.inode);
    if (file.type === "directory") this.inodes.addLinks(directory.inode, 1);
    return created;
  }

  link(directory: Inode, name: string, inode: Inode): void {
    this.#take(NAME_BYTES);
    this.inodes.addEntry(directory.inode, name, inode.inode);
    this.inodes.addLinks(inode.inode, 1);
  }

  /** A directory must be empty. */
  unlink(directory: number, name: string, { inode, type }: Pick<Inode, "inode" | "type">): void {
    this.#removeName(directory, name, type);
    if (type === "directory") this.deleteDirectory(inode);
    else this.#dropLink(inode);
  }

  /** Turns a directory into an orphan. */
  detach(parent: number, name: string, directory: number): void {
    this.#removeName(parent, name, "directory");
    this.inodes.update(directory, { links: 0 });
  }

  deleteDirectory(inode: number): void {
    this.inodes.delete(inode);
    this.#counters.files -= 1;
  }

  move(source: { directory: Inode; name: string }, target: { directory: Inode; name: string }, file: Inode) {
    const [from, to] = [source.directory.inode, target.directory.inode];
    this.inodes.deleteEntry(from, source.name);
    this.inodes.addEntry(to, target.name, file.inode);
    this.inodes.update(file.inode, {});
    if (file.type === "directory" && from !== to) {
      this.inodes.addLinks(from, -1);
      this.inodes.addLinks(to, 1);
    }
  }

  write(file: Inode, offset: number, bytes: Uint8Array, mode: number): void {
    const size = Math.max(file.size, offset + bytes.byteLength);
    this.#take(size - file.size);
    this.contents.write(file.content, offset, bytes);
    this.inodes.setContent({ ...file, size, mode });
  }

  resize(file: Inode, size: number, mode: number): void {
    const resized = size === 0 ? this.#withoutContent(file) : file;
    this.#take(size - resized.size);
    if (size < resized.size) this.contents.cut(resized.content, size);
    this.inodes.setContent({ ...resized, size, mode });
  }

  replace(file: Inode, bytes: Uint8Array, mode: number): void {
    this.write(this.#withoutContent(file), 0, bytes, mode);
  }

  replaceByOrphan(file: Inode, orphan: Inode, mode: number): void {
    this.inodes.setContent({ ...file, content: orphan.content, size: orphan.size, mode });
    this.inodes.setContent({ ...orphan, content: file.content, size: file.size });
  }

  createOrphan(content = this.#nextNumber(), size = 0): Inode {
    const inode = this.#nextNumber();
    const ownership = { mode: 0, uid: 0, gid: 0 };
    return this.inodes.insert({ ...ownership, inode, type: "file", links: 0, size, content, target: "" });
  }

  appendToOrphan(orphan: Inode, bytes: Uint8Array): Inode {
    if (bytes.byteLength === 0) return orphan;
    this.#take(bytes.byteLength);
    this.contents.putChunk(orphan.content, Math.floor(orphan.size / CHUNK_BYTES), bytes);
    const size = orphan.size + bytes.byteLength;
    this.inodes.update(orphan.inode, { size });
    return { ...orphan, size };
  }

  /** Keeps a content, or a directory, from being removed. @returns a function that releases it. */
  hold({ content }: Inode): () => void {
    const hold = { content };
    this.#holds.add(hold);
    return () => {
      if (this.#holds.delete(hold)) this.#options.onOrphans();
    };
  }

  orphans(): Inode[] {
    return this.inodes.orphans().filter((orphan) => !this.#isHeld(orphan));
  }

  /** Removes the end of an orphaned file, or all of it if it is small. @returns what is left. */
  reclaim(orphan: Inode): Inode | undefined {
    const { inode, content, size } = orphan;
    const rest = Math.max(0, Math.floor((size - MAX_BYTES_PER_STEP) / CHUNK_BYTES) * CHUNK_BYTES);
    this.contents.cut(content, rest);
    this.#take(rest - size);
    if (rest === 0) {
      this.inodes.delete(inode);
      return undefined;
    }
    this.inodes.update(inode, { size: rest });
    return { ...orphan, size: rest };
  }

  #runCounted<T>(work: () => T): T {
    if (this.isClosed) throw new Refusal("EIO");
    const stored = this.#loadCounters();
    this.#counters = { ...stored };
    const result = work();
    const { used, files, nextNumber } = this.#counters;
    if (used !== stored.used || files !== stored.files || nextNumber !== stored.nextNumber) {
      const query = "UPDATE file_space SET used = ?, files = ?, next_number = ? WHERE id = 1";
      this.#options.sql.exec(query, used, files, nextNumber);
    }
    return result;
  }

  /** @throws Refusal EIO before the tables are created, and after they are gone with the session. */
  #loadCounters(): Counters {
    const query = "SELECT used, files, next_number AS nextNumber FROM file_space WHERE id = 1";
    const [counters] = this.#options.sql.exec<Counters>(query).toArray();
    if (counters === undefined) throw new Refusal("EIO");
    return counters;
  }

  #nextNumber(): number {
    return this.#counters.nextNumber++;
  }

  /** Negative bytes are returned to the quota. @throws Refusal ENOSPC */
  #take(bytes: number): void {
    if (bytes > 0) this.#makeRoom(bytes);
    this.#counters.used += bytes;
  }

  /** Removes orphans at once if there is not enough room for new bytes. @throws Refusal ENOSPC */
  #makeRoom(bytes: number): void {
    const excess = () => this.#counters.used + bytes - this.#options.quotaBytes;
    if (excess() <= 0) return;
    const orphans = this.orphans().filter(({ type }) => type === "file");
    if (excess() > orphans.reduce((sum, { size }) => sum + size, 0)) throw new Refusal("ENOSPC");
    for (let orphan = orphans.pop(); excess() > 0 && orphan !== undefined; ) {
      orphan = this.reclaim(orphan) ?? orphans.pop();
    }
  }

  #insert({ target = "", ...file }: NewFile): Inode {
    const isDirectory = file.type === "directory";
    const inode = this.#nextNumber();
    const size = isDirectory ? DIRECTORY_BYTES : byteLength(target);
    this.#counters.files += 1;
    return this.inodes.insert({ ...file, inode, links: isDirectory ? 2 : 1, size, content: inode, target });
  }

  #removeName(directory: number, name: string, type: FileType): void {
    this.#take(-NAME_BYTES);
    this.inodes.deleteEntry(directory, name);
    if (type === "directory") this.inodes.addLinks(directory, -1);
  }

  #dropLink(inode: number): void {
    const file = this.inodes.get(inode);
    if (file === undefined) return;
    if (file.links > 1) {
      this.inodes.addLinks(inode, -1);
      return;
    }
    this.#withoutContent(file);
    this.inodes.delete(inode);
    this.#counters.files -= 1;
  }

  /** Removes a file's content, but does not update its row yet. Large or held content becomes an orphan. */
  #withoutContent(file: Inode): Inode {
    if (file.size > MAX_BYTES_PER_STEP || this.#isHeld(file)) {
      this.createOrphan(file.content, file.size);
      this.#hasNewOrphans = true;
      return { ...file, content: this.#nextNumber(), size: 0 };
    }
    if (file.size > 0) this.contents.cut(file.content, 0);
    this.#take(-file.size);
    return { ...file, size: 0 };
  }

  #isHeld({ content }: Inode): boolean {
    return [...this.#holds].some((hold) => hold.content === content);
  }
}

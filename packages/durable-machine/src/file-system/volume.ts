import { CHUNK_BYTES, Contents } from "./contents.ts";
import type { FileChange, FileType } from "./file-system.ts";
import { type Inode, Inodes, ROOT_INODE } from "./inodes.ts";
import { byteLength } from "./path.ts";
import { Refusal } from "./refusal.ts";
import { type Snapshot, Snapshots } from "./snapshots.ts";
import { NAME_BYTES, Space } from "./space.ts";
import type { RunTransaction, Sql } from "./sql.ts";

const DIRECTORY_BYTES = 4096;

/** As much content is removed in one go; of more the rest is left to be removed in steps. */
const MOST_BYTES_AT_ONCE = 32 * CHUNK_BYTES;

export interface VolumeParts {
  sql: Sql;
  transaction: RunTransaction;
  quotaBytes: number;
  now: () => number;
  /** Told of what a transaction has changed, after it is done. */
  onChanges: (changes: FileChange[]) => void;
  /** Told that something has come to be an orphan, or may now be removed. */
  onOrphans: () => void;
}

/**
 * The files as rows, and what must hold between them: link counts, what is used of the quota, and that content stays
 * while it is read. Knows no paths and no rights.
 *
 * Content that no file has, or has yet, belongs to an orphan: an inode without a name. All the rest of a file is gone
 * or made at once; an orphan is removed in steps, also after a crash.
 */
export class Volume {
  readonly inodes: Inodes;
  readonly contents: Contents;
  readonly space: Space;
  readonly #snapshots: Snapshots;
  readonly #parts: VolumeParts;
  /** Orphans that somebody works on. */
  readonly #held = new Set<number>();
  #changes: FileChange[] = [];
  #hasNewOrphans = false;
  #isTransacting = false;
  #isClosed = false;

  constructor(parts: VolumeParts) {
    this.#parts = parts;
    this.inodes = new Inodes(parts.sql);
    this.contents = new Contents(parts.sql);
    this.space = new Space(parts.sql, parts.quotaBytes);
    this.#snapshots = new Snapshots(this.contents, (bytes) => this.take(bytes));
  }

  /**
   * Makes the tables and the root directory, unless that has been done, and forgets what was kept for readers whom a
   * crash has ended.
   *
   * @param fill run once the root directory is made.
   */
  format(fill: () => void): void {
    this.#parts.transaction(() => {
      this.inodes.createTables();
      this.contents.createTable();
      this.space.createTable();
    });
    this.transact(() => {
      this.#snapshots.removeLeftovers();
      if (this.inodes.get(ROOT_INODE) !== undefined) return;
      this.#createRoot();
      fill();
    });
  }

  get now(): number {
    return this.#parts.now();
  }

  /** Refuses all changes from now on. */
  close(): void {
    this.#isClosed = true;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  usage(): { usedBytes: number; quotaBytes: number; files: number } {
    this.space.load();
    return { usedBytes: this.space.used, quotaBytes: this.space.quotaBytes, files: this.space.files };
  }

  /** Runs what changes files: all of it is done, or where it throws, nothing. What is run within is part of it. */
  transact<T>(work: () => T): T {
    if (this.#isTransacting) return work();
    this.#isTransacting = true;
    try {
      return this.#transactOnce(work);
    } catch (error) {
      this.inodes.forget();
      throw error;
    } finally {
      this.#isTransacting = false;
    }
  }

  #transactOnce<T>(work: () => T): T {
    this.#changes = [];
    this.#hasNewOrphans = false;
    const result = this.#parts.transaction(() => {
      this.#begin();
      const result = work();
      this.space.save();
      return result;
    });
    const changes = this.#changes;
    if (this.#hasNewOrphans) this.#parts.onOrphans();
    if (changes.length > 0) this.#parts.onChanges(changes);
    return result;
  }

  /** Runs what changes files and undoes it, to learn whether it would be refused. */
  rehearse(work: () => void): void {
    const undo = new Error("undone");
    try {
      this.#parts.transaction(() => {
        this.#begin();
        work();
        throw undo;
      });
    } catch (error) {
      this.inodes.forget();
      if (error !== undo) throw error;
    }
  }

  /** Notes a change, of which listeners are told when the transaction is done. */
  tell(type: FileChange["type"], path: string, isDirectory: boolean): void {
    this.#changes.push({ type, path, isDirectory });
  }

  /**
   * Counts bytes against the quota, or gives them back where they are negative. Where room is short, orphans are
   * removed as far as it takes.
   *
   * @throws Refusal ENOSPC
   */
  take(bytes: number): void {
    if (bytes > 0 && this.space.excessWith(bytes) > 0) this.#makeRoom(bytes);
    this.space.count(bytes);
  }

  /** Makes a file, under a name that is free. */
  create(
    directory: Inode,
    name: string,
    file: Pick<Inode, "type" | "mode" | "uid" | "gid"> & { target?: string },
  ): Inode {
    const { target = "", ...kind } = file;
    const isDirectory = file.type === "directory";
    const targetBytes = byteLength(target);
    this.take(NAME_BYTES + targetBytes);
    const number = this.space.nextNumber();
    const size = isDirectory ? DIRECTORY_BYTES : targetBytes;
    const created = { ...kind, inode: number, size, content: number, target };
    const inode = this.inodes.insert(created, isDirectory ? 2 : 1, this.now);
    this.inodes.addEntry(directory.inode, name, number);
    this.inodes.touch(directory.inode, this.now);
    if (isDirectory) this.inodes.addLinks(directory.inode, 1, this.now);
    this.space.countFiles(1);
    return inode;
  }

  /** Gives a file one more name. */
  link(directory: Inode, name: string, inode: Inode): void {
    this.take(NAME_BYTES);
    this.inodes.addEntry(directory.inode, name, inode.inode);
    this.inodes.touch(directory.inode, this.now);
    this.inodes.addLinks(inode.inode, 1, this.now);
  }

  /** Takes a name from what it names; with its last one a file is gone. A directory must be empty. */
  unlink(directory: number, name: string, { inode, type }: Pick<Inode, "inode" | "type">): void {
    this.take(-NAME_BYTES);
    this.inodes.deleteEntry(directory, name);
    this.inodes.touch(directory, this.now);
    if (type === "directory") {
      this.inodes.addLinks(directory, -1, this.now);
      this.deleteDirectory(inode);
    } else {
      this.#dropLink(inode);
    }
  }

  /** Takes a directory out of the tree with all that is in it: it becomes an orphan. */
  detach(directory: Inode, name: string, inode: Inode): void {
    this.take(-NAME_BYTES);
    this.inodes.deleteEntry(directory.inode, name);
    this.inodes.touch(directory.inode, this.now);
    this.inodes.addLinks(directory.inode, -1, this.now);
    this.inodes.update(inode.inode, { links: 0 });
  }

  /** Removes a directory that has neither entries nor a name. */
  deleteDirectory(inode: number): void {
    this.inodes.delete(inode);
    this.space.countFiles(-1);
  }

  /** Moves a name, in constant time. The destination's must be free. */
  move(
    source: { directory: Inode; name: string },
    destination: { directory: Inode; name: string },
    inode: Inode,
  ) {
    this.inodes.deleteEntry(source.directory.inode, source.name);
    this.inodes.addEntry(destination.directory.inode, destination.name, inode.inode);
    this.inodes.update(inode.inode, { changed_at: this.now });
    this.inodes.touch(source.directory.inode, this.now);
    this.inodes.touch(destination.directory.inode, this.now);
    if (inode.type === "directory" && source.directory.inode !== destination.directory.inode) {
      this.inodes.addLinks(source.directory.inode, -1, this.now);
      this.inodes.addLinks(destination.directory.inode, 1, this.now);
    }
  }

  /** Writes bytes into a file. @param mode what the file has from now on. */
  write(file: Inode, offset: number, bytes: Uint8Array, mode: number): void {
    const size = Math.max(file.size, offset + bytes.byteLength);
    this.take(size - file.size);
    this.#snapshots.preserve(file.content, offset, offset + bytes.byteLength);
    this.contents.write(file.content, offset, bytes);
    this.inodes.setContent({ ...file, size, mode }, this.now);
  }

  /** Makes a file shorter, or longer by zeros. */
  resize(file: Inode, size: number, mode: number): void {
    if (size === 0) {
      this.inodes.setContent({ ...this.#withoutContent(file), mode }, this.now);
      return;
    }
    this.take(size - file.size);
    if (size < file.size) {
      this.#snapshots.preserve(file.content, size, file.size);
      this.contents.cut(file.content, size);
    }
    this.inodes.setContent({ ...file, size, mode }, this.now);
  }

  /** Puts bytes in the place of all that a file holds. */
  replace(file: Inode, bytes: Uint8Array, mode: number): void {
    this.write(this.#withoutContent(file), 0, bytes, mode);
  }

  /** Puts an orphan's content in the place of all that a file holds. */
  replaceByOrphan(file: Inode, orphan: Inode, mode: number): void {
    this.inodes.setContent({ ...file, content: orphan.content, size: orphan.size, mode }, this.now);
    this.inodes.setContent({ ...orphan, content: file.content, size: file.size }, this.now);
  }

  /** Makes a file without a name, for content to come; to be held until it has come. */
  createOrphan(): Inode {
    return this.#insertOrphan(this.space.nextNumber(), 0);
  }

  /** Adds a chunk to an orphan's content. */
  appendToOrphan(orphan: Inode, bytes: Uint8Array): Inode {
    if (bytes.byteLength === 0) return orphan;
    this.take(bytes.byteLength);
    this.contents.putChunk(orphan.content, Math.floor(orphan.size / CHUNK_BYTES), bytes);
    const size = orphan.size + bytes.byteLength;
    this.inodes.update(orphan.inode, { size });
    return { ...orphan, size };
  }

  /** Keeps an orphan from being removed, until it is let go. */
  hold(orphan: number): void {
    this.#held.add(orphan);
  }

  letGo(orphan: number): void {
    if (this.#held.delete(orphan)) this.#parts.onOrphans();
  }

  /** What may be removed. */
  orphans(type: FileType): Inode[] {
    return this.inodes
      .orphans(type)
      .filter(({ inode, content }) => !this.#held.has(inode) && !this.#snapshots.isRead(content));
  }

  /** Removes some of an orphaned file's content, and with the last of it the orphan. @returns what is left. */
  reclaim(orphan: Inode): Inode | undefined {
    const { inode, content, size } = orphan;
    const rest = Math.max(0, Math.floor((size - MOST_BYTES_AT_ONCE) / CHUNK_BYTES) * CHUNK_BYTES);
    this.contents.cut(content, rest);
    this.take(rest - size);
    if (rest === 0) {
      this.inodes.delete(inode);
      return undefined;
    }
    this.inodes.update(inode, { size: rest });
    return { ...orphan, size: rest };
  }

  /** Begins to read what a file holds now; to be ended by `endReading`. */
  beginReading({ content, size }: Inode): Snapshot {
    return this.#snapshots.begin(content, size);
  }

  /** A chunk of what is read; empty behind the end. @throws Refusal EIO where it is closed: another may be in its place. */
  readChunk(snapshot: Snapshot, chunk: number): Uint8Array<ArrayBuffer> {
    if (this.#isClosed) throw new Refusal("EIO");
    return this.#snapshots.read(snapshot, chunk);
  }

  endReading(snapshot: Snapshot): void {
    if (this.#isClosed) return;
    this.transact(() => this.#snapshots.end(snapshot));
    this.#parts.onOrphans();
  }

  /** @throws Refusal EIO where it is closed. */
  #begin(): void {
    if (this.#isClosed) throw new Refusal("EIO");
    this.space.load();
  }

  #createRoot(): void {
    const root = {
      type: "directory",
      mode: 0o755,
      uid: 0,
      gid: 0,
      size: DIRECTORY_BYTES,
      target: "",
    } as const;
    // The first number that is given.
    const inode = this.space.nextNumber();
    this.inodes.insert({ ...root, inode, content: inode }, 2, this.now);
    this.space.countFiles(1);
  }

  /** What a file is when its content has been taken from it, as it is not yet written. */
  #withoutContent(file: Inode): Inode {
    if (file.size === 0) return file;
    if (this.#isRemovedAtOnce(file)) {
      this.contents.cut(file.content, 0);
      this.take(-file.size);
      return { ...file, size: 0 };
    }
    this.#insertOrphan(file.content, file.size);
    this.#hasNewOrphans = true;
    return { ...file, content: this.space.nextNumber(), size: 0 };
  }

  #insertOrphan(content: number, size: number): Inode {
    const inode = this.space.nextNumber();
    const orphan = { inode, type: "file", mode: 0, uid: 0, gid: 0, size, content, target: "" } as const;
    return this.inodes.insert(orphan, 0, this.now);
  }

  #dropLink(number: number): void {
    const inode = this.inodes.get(number);
    if (inode === undefined) return;
    if (inode.links > 1) {
      this.inodes.addLinks(number, -1, this.now);
      return;
    }
    this.space.countFiles(-1);
    if (inode.type === "file" && !this.#isRemovedAtOnce(inode)) {
      this.inodes.update(number, { links: 0 });
      this.#hasNewOrphans = true;
      return;
    }
    if (inode.type === "file" && inode.size > 0) this.contents.cut(inode.content, 0);
    this.take(-inode.size);
    this.inodes.delete(number);
  }

  #isRemovedAtOnce({ content, size }: Inode): boolean {
    return size <= MOST_BYTES_AT_ONCE && !this.#snapshots.isRead(content);
  }

  /** @throws Refusal ENOSPC */
  #makeRoom(bytes: number): void {
    const orphans = this.orphans("file");
    const reclaimable = orphans.reduce((sum, { size }) => sum + size, 0);
    if (this.space.excessWith(bytes) > reclaimable) throw new Refusal("ENOSPC");
    for (let orphan = orphans.pop(); this.space.excessWith(bytes) > 0 && orphan !== undefined; ) {
      orphan = this.reclaim(orphan) ?? orphans.pop();
    }
  }
}

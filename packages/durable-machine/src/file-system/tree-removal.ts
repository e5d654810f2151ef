import type { TimeSlice } from "../time-slice.ts";
import type { Credentials } from "../users.ts";
import { type FileErrorCode, Refusal } from "./file-error.ts";
import type { Inode, NamedInode } from "./inodes.ts";
import { checkRemovable, permits, READ } from "./permissions.ts";
import { MAX_BYTES_PER_STEP, type Volume } from "./volume.ts";

const MAX_NAMES_PER_STEP = 100;

/** A directory that is to be removed. */
export interface RemovedDirectory {
  inode: number;
  name: string;
  /** The directory that holds the name; undefined for an orphan. */
  parent?: number;
  /** Undefined if no changes are to be reported. */
  path?: string;
}

type Level = RemovedDirectory & { lastName: string };

/** Removes directories with everything in them, deepest first and in steps. Others may change them in between. */
export class TreeRemoval {
  readonly #volume: Volume;
  readonly #slice: TimeSlice;
  readonly #credentials: Credentials;
  #failure: FileErrorCode | undefined;

  constructor(volume: Volume, slice: TimeSlice, credentials: Credentials) {
    this.#volume = volume;
    this.#slice = slice;
    this.#credentials = credentials;
  }

  /**
   * Removes what the credentials permit.
   *
   * @throws Refusal EACCES, ENOTEMPTY or EPERM if something was not removed.
   */
  async remove(directory: RemovedDirectory): Promise<void> {
    const levels: Level[] = [{ ...directory, lastName: "" }];
    for (let level = levels.at(-1); level !== undefined; level = levels.at(-1)) {
      const current = level;
      const { count, below } = this.#volume.transact(() => this.#removeSome(current));
      if (below !== undefined) levels.push(below);
      else if (count === 0) levels.pop();
      await this.#slice.step(Math.max(count, 1));
    }
    if (this.#failure !== undefined) throw new Refusal(this.#failure);
  }

  /** Removes entries up to the next directory, or the directory itself when there are no more. */
  #removeSome(level: Level): { count: number; below?: Level } {
    const directory = this.#volume.inodes.get(level.inode);
    if (directory === undefined) return { count: 0 };
    const isReadable = permits(directory, this.#credentials, READ);
    const entries = isReadable
      ? this.#volume.inodes.entriesAfter(level.inode, level.lastName, MAX_NAMES_PER_STEP)
      : [];
    let bytes = 0;
    for (const [index, entry] of entries.entries()) {
      const { name, inode } = entry;
      level.lastName = name;
      const path = level.path && `${level.path}/${name}`;
      if (entry.type === "directory") {
        return { count: index + 1, below: { inode, name, parent: level.inode, path, lastName: "" } };
      }
      this.#removeEntry(directory, entry, path);
      bytes += entry.size;
      if (bytes > MAX_BYTES_PER_STEP) return { count: index + 1 };
    }
    if (entries.length === 0) this.#removeEmptied(level, directory);
    return { count: entries.length };
  }

  #removeEmptied({ name, parent, path }: Level, directory: Inode): void {
    const { inodes } = this.#volume;
    if (parent === undefined) {
      this.#volume.deleteDirectory(directory.inode);
      if (path !== undefined) this.#volume.report("delete", path, true);
      return;
    }
    const holder = inodes.get(parent);
    // It may have been moved meanwhile, and another directory have its name.
    if (holder === undefined || inodes.lookUp(parent, name)?.inode !== directory.inode) return;
    if (inodes.isEmpty(directory.inode)) this.#removeEntry(holder, { ...directory, name }, path);
    else this.#failure ??= permits(directory, this.#credentials, READ) ? "ENOTEMPTY" : "EACCES";
  }

  #removeEntry(directory: Inode, entry: NamedInode, path: string | undefined): void {
    try {
      checkRemovable(directory, entry, this.#credentials);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.#failure ??= error.code;
      return;
    }
    this.#volume.unlink(directory.inode, entry.name, entry);
    if (path !== undefined) this.#volume.report("delete", path, entry.type === "directory");
  }
}

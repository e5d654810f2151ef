import type { TimeSlice } from "../time-slice.ts";
import { type Credentials, ROOT } from "../users.ts";
import { type FileErrorCode, Refusal } from "./file-error.ts";
import type { Inode, NamedInode } from "./inodes.ts";
import { checkRemovable, permits, READ } from "./permissions.ts";
import { MAX_BYTES_PER_STEP, type Volume } from "./volume.ts";

/** @param event what failed, such as `file_reclaim_failed`. */
export type ReportError = (event: string, error: unknown) => void;

const MAX_NAMES_PER_STEP = 100;

const STEPS_PER_ORPHAN = 100;

export interface RemovedDirectory {
  inode: number;
  name: string;
  /** The directory that holds the name; undefined for an orphan. */
  parent?: number;
  /** Without a path, no changes are reported. */
  path?: string;
}

type Level = RemovedDirectory & { lastName: string };

interface Removal {
  credentials: Credentials;
  failure?: FileErrorCode;
}

/** Removes directories and orphans in steps. */
export class Reclaimer {
  readonly #volume: Volume;
  readonly #slice: TimeSlice;
  readonly #onError: ReportError;
  #running: Promise<void> | undefined;

  constructor(volume: Volume, slice: TimeSlice, onError: ReportError) {
    this.#volume = volume;
    this.#slice = slice;
    this.#onError = onError;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  async finish(): Promise<void> {
    this.start();
    await this.#running;
  }

  /** Removes a directory with its contents, deepest first. @throws Refusal if something was not removed. */
  async removeTree(directory: RemovedDirectory, credentials: Credentials): Promise<void> {
    const removal: Removal = { credentials };
    const levels: Level[] = [{ ...directory, lastName: "" }];
    for (let level = levels.at(-1); level !== undefined; level = levels.at(-1)) {
      const current = level;
      const { count, below } = this.#volume.transact(() => this.#removeSome(current, removal));
      if (below !== undefined) levels.push(below);
      else if (count === 0) levels.pop();
      await this.#slice.step(Math.max(count, 1));
    }
    if (removal.failure !== undefined) throw new Refusal(removal.failure);
  }

  async #run(): Promise<void> {
    try {
      // The transaction that made the orphan has to end first.
      await Promise.resolve();
      while (!this.#volume.isClosed) {
        const [orphan] = this.#volume.orphans();
        if (orphan === undefined) return;
        if (orphan.type === "file") this.#volume.transact(() => this.#volume.reclaim(orphan));
        else await this.removeTree({ inode: orphan.inode, name: "" }, ROOT);
        await this.#slice.step(STEPS_PER_ORPHAN);
      }
    } catch (error) {
      if (!this.#volume.isClosed) this.#onError("file_reclaim_failed", error);
    } finally {
      // This is in the same turn as the last search, so that no later orphan is missed.
      this.#running = undefined;
    }
  }

  /** Removes entries up to the next directory, or the directory itself when there are no more. */
  #removeSome(level: Level, removal: Removal): { count: number; below?: Level } {
    const { inodes } = this.#volume;
    const directory = inodes.get(level.inode);
    if (directory === undefined) return { count: 0 };
    const isReadable = permits(directory, removal.credentials, READ);
    const entries = isReadable ? inodes.entriesAfter(level.inode, level.lastName, MAX_NAMES_PER_STEP) : [];
    let bytes = 0;
    for (const [index, entry] of entries.entries()) {
      const { name, inode } = entry;
      level.lastName = name;
      const path = level.path && `${level.path}/${name}`;
      if (entry.type === "directory") {
        return { count: index + 1, below: { inode, name, parent: level.inode, path, lastName: "" } };
      }
      this.#removeEntry(directory, entry, path, removal);
      bytes += entry.size;
      if (bytes > MAX_BYTES_PER_STEP) return { count: index + 1 };
    }
    if (entries.length === 0) this.#removeEmptied(level, directory, removal);
    return { count: entries.length };
  }

  #removeEmptied({ name, parent, path }: Level, directory: Inode, removal: Removal): void {
    const { inodes } = this.#volume;
    if (parent === undefined) {
      this.#volume.deleteDirectory(directory.inode);
      if (path !== undefined) this.#volume.report("delete", path, true);
      return;
    }
    const holder = inodes.get(parent);
    // It may have been moved in the meantime, and another directory may have its name.
    if (holder === undefined || inodes.lookUp(parent, name)?.inode !== directory.inode) return;
    if (inodes.isEmpty(directory.inode)) this.#removeEntry(holder, { ...directory, name }, path, removal);
    else removal.failure ??= permits(directory, removal.credentials, READ) ? "ENOTEMPTY" : "EACCES";
  }

  #removeEntry(directory: Inode, entry: NamedInode, path: string | undefined, removal: Removal): void {
    try {
      checkRemovable(directory, entry, removal.credentials);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      removal.failure ??= error.code;
      return;
    }
    this.#volume.unlink(directory.inode, entry.name, entry);
    if (path !== undefined) this.#volume.report("delete", path, entry.type === "directory");
  }
}

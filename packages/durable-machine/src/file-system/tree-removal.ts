import type { TimeSlice } from "../time-slice.ts";
import { type Credentials, ROOT } from "../users.ts";
import { CHUNK_BYTES } from "./contents.ts";
import type { Inode, NamedInode } from "./inodes.ts";
import type { NameOperations, TakenPlace } from "./name-operations.ts";
import { permits, READ, refusalToRemove } from "./permissions.ts";
import { Refusal } from "./refusal.ts";
import type { Volume } from "./volume.ts";

/** What is removed at once, lest others wait: so many names, or so much content. */
const MOST_NAMES = 100;
const MOST_BYTES = 32 * CHUNK_BYTES;

/** A directory whose entries are being removed. */
interface Level {
  inode: number;
  name: string;
  /** Undefined: nobody is told of what is removed. */
  path: string | undefined;
  /** The last name that was looked at. */
  after: string;
}

/** Removes directories with all that is in them, deepest first and in steps. Others may change them in between. */
export class TreeRemoval {
  readonly #volume: Volume;
  readonly #slice: TimeSlice;
  readonly #credentials: Credentials;
  /** From the one that what is removed is in. */
  readonly #levels: Level[] = [];
  #refusal: Refusal | undefined;

  constructor(volume: Volume, slice: TimeSlice, credentials: Credentials) {
    this.#volume = volume;
    this.#slice = slice;
    this.#credentials = credentials;
  }

  /**
   * Removes a directory, as far as that may be done.
   *
   * @throws Refusal EACCES, ENOTEMPTY or EPERM where something was not removed.
   */
  async remove({ directory, name, inode, path }: TakenPlace): Promise<void> {
    this.#levels.push({ inode: directory.inode, name: "", path: "", after: "" });
    await this.#empty({ inode: inode.inode, name, path, after: "" });
    if (this.#refusal !== undefined) throw this.#refusal;
  }

  /**
   * Removes an orphaned directory.
   *
   * @param path where it was, to tell of what is removed in it; without it, nobody is told.
   */
  async removeOrphan(orphan: number, path?: string): Promise<void> {
    await this.#empty({ inode: orphan, name: "", path, after: "" });
    this.#volume.transact(() => {
      this.#volume.deleteDirectory(orphan);
      if (path !== undefined) this.#volume.tell("delete", path, true);
    });
  }

  async #empty(top: Level): Promise<void> {
    const above = this.#levels.length;
    this.#levels.push(top);
    for (let level = this.#levels.at(-1); level !== undefined; level = this.#levels.at(-1)) {
      if (this.#levels.length === above) return;
      const current = level;
      const steps = this.#volume.transact(() => this.#removeSome(current));
      await this.#slice.step(steps);
    }
  }

  /** Removes some of a directory's entries, until one is a directory, or the directory when it has no more. */
  #removeSome(level: Level): number {
    const directory = this.#volume.inodes.get(level.inode);
    const isReadable = directory !== undefined && permits(directory, this.#credentials, READ);
    const entries = isReadable ? this.#volume.inodes.entriesAfter(level.inode, level.after, MOST_NAMES) : [];
    if (directory === undefined || entries.length === 0) {
      this.#levels.pop();
      if (directory !== undefined) this.#removeEmptied(level, directory);
      return 1;
    }
    return this.#removeEntries(level, directory, entries);
  }

  #removeEntries(level: Level, directory: Inode, entries: NamedInode[]): number {
    let count = 0;
    let bytes = 0;
    for (const entry of entries) {
      count += 1;
      bytes += entry.size;
      level.after = entry.name;
      const path = level.path && `${level.path}/${entry.name}`;
      if (entry.type === "directory") {
        this.#levels.push({ inode: entry.inode, name: entry.name, path, after: "" });
        break;
      }
      this.#remove(directory, entry, path);
      if (bytes > MOST_BYTES) break;
    }
    return count;
  }

  /** Removes a directory that was gone through from the one above it. */
  #removeEmptied(level: Level, directory: Inode): void {
    const above = this.#levels.at(-1);
    const parent = above && this.#volume.inodes.get(above.inode);
    if (parent === undefined) return;
    // It may have been moved meanwhile, and another have its name.
    if (this.#volume.inodes.lookUp(parent.inode, level.name)?.inode !== directory.inode) return;
    if (!this.#volume.inodes.isEmpty(directory.inode)) {
      const isReadable = permits(directory, this.#credentials, READ);
      this.#refusal ??= new Refusal(isReadable ? "ENOTEMPTY" : "EACCES");
      return;
    }
    this.#remove(parent, { ...directory, name: level.name }, level.path);
  }

  #remove(directory: Inode, entry: NamedInode, path: string | undefined): void {
    const refusal = refusalToRemove(directory, entry, this.#credentials);
    if (refusal !== undefined) {
      this.#refusal ??= new Refusal(refusal);
      return;
    }
    this.#volume.unlink(directory.inode, entry.name, entry);
    if (path !== undefined) this.#volume.tell("delete", path, entry.type === "directory");
  }
}

/** Removes whatever a path names, and all below it. */
export async function removeTree(
  { volume, names, slice }: { volume: Volume; names: NameOperations; slice: TimeSlice },
  path: string,
  credentials: Credentials,
): Promise<void> {
  const place = names.placeToRemove(path, credentials);
  if (place.inode.type !== "directory") {
    volume.transact(() => names.unlink(path, credentials));
    return;
  }
  const removal = new TreeRemoval(volume, slice, credentials);
  if (credentials.uid !== ROOT.uid) {
    await removal.remove(place);
    return;
  }
  // Whom nothing can be refused takes the whole tree away at once: nobody meets a half of it, not even after a crash.
  const orphan = place.inode.inode;
  volume.hold(orphan);
  try {
    volume.transact(() => volume.detach(place.directory, place.name, place.inode));
    await removal.removeOrphan(orphan, place.path);
  } finally {
    volume.letGo(orphan);
  }
}

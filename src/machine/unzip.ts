import type { FileSystem, FileType } from "durable-machine";
import { ROOT } from "durable-machine";
import { TimeSlice } from "durable-machine/time-slice";
import type { ArchiveEntry } from "../archives/archive-entry.ts";
import { ArchiveError } from "../archives/archive-error.ts";
import { readZip } from "../archives/zip-reader.ts";
import { entryType } from "./entry-type.ts";

const MOST_ENTRIES = 100_000;

/** Set-uid and set-gid bits are not for archives to give. */
const MODE_BITS = 0o777;

/** Directories first, so that each entry finds its own; symlinks last, so that nothing is written through them. */
const ORDER: FileType[] = ["directory", "file", "symlink"];

/**
 * Unpacks a zip of the file system into a directory. All of it is checked before anything is written.
 *
 * @throws ArchiveError where it is no zip, would write outside the directory, or does not go with what is there.
 */
export async function unzipInto(files: FileSystem, zip: string, destination: string): Promise<void> {
  const { usedBytes, quotaBytes } = files.usage();
  const source = {
    size: files.status(zip, ROOT).size,
    read: (offset: number, length: number) => files.readRange(zip, ROOT, offset, length),
  };
  const entries = await readZip(source, { totalSize: quotaBytes - usedBytes, entries: MOST_ENTRIES });
  const slice = new TimeSlice();
  const place = new Destination(files, destination);
  for (const entry of entries) {
    place.require(entry);
    await slice.step();
  }
  files.makeDirectory(destination, ROOT, { parents: true });
  for (const type of ORDER) {
    for (const entry of entries) {
      if (entry.type === type) await place.write(entry);
      await slice.step();
    }
  }
  // A directory that nobody may write to is one only when all is in it; its time is that of its last entry.
  for (const entry of entries) {
    if (entry.type === "directory") place.finish(entry);
    await slice.step();
  }
}

/** The directory that a zip is unpacked into, and what is there already. */
class Destination {
  readonly #files: FileSystem;
  readonly #path: string;

  constructor(files: FileSystem, path: string) {
    this.#files = files;
    this.#path = path.replace(/\/+$/, "");
  }

  /** @throws ArchiveError where the entry cannot take its place, or that place is elsewhere. */
  require(entry: ArchiveEntry): void {
    const parts = entry.path.split("/");
    parts.forEach((_, index) => {
      const path = parts.slice(0, index + 1).join("/");
      const isLast = index === parts.length - 1;
      const there = this.#typeOf(path);
      if (there === undefined) return;
      if (!isLast || entry.type === "directory") {
        if (there === "symlink") throw new ArchiveError(`${path} is a symlink here, which it goes through`);
        if (there === "file") throw new ArchiveError(`${path} is a file here`);
      } else if (there === "directory") throw new ArchiveError(`${path} is a directory here`);
    });
  }

  async write(entry: ArchiveEntry): Promise<void> {
    // What the zip was checked against may have changed meanwhile.
    this.require(entry);
    const path = this.#at(entry.path);
    if (entry.type === "directory") {
      this.#files.makeDirectory(path, ROOT, { parents: true });
      return;
    }
    // Whatever is there is replaced, not written through.
    if (this.#typeOf(entry.path) === "symlink") this.#files.unlink(path, ROOT);
    if (entry.type === "symlink") {
      if (this.#typeOf(entry.path) === "file") this.#files.unlink(path, ROOT);
      this.#files.makeDirectory(path.slice(0, path.lastIndexOf("/")) || "/", ROOT, { parents: true });
      this.#files.symlink(entry.target, path, ROOT);
      return;
    }
    await this.#files.write(path, entry.content(), ROOT, { parents: true });
    this.finish(entry);
  }

  /** Gives a file or directory the mode and the time of its entry. */
  finish({ path, mode, modifiedAt }: ArchiveEntry): void {
    this.#files.changeMode(this.#at(path), ROOT, mode & MODE_BITS);
    this.#files.setTimes(this.#at(path), ROOT, { accessedAt: Date.now(), modifiedAt });
  }

  #at(path: string): string {
    return `${this.#path}/${path}`;
  }

  /** What is there, a symlink being one; undefined for nothing. */
  #typeOf(path: string): FileType | undefined {
    return entryType(this.#files, this.#at(path));
  }
}

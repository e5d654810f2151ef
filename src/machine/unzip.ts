import type { FileType, MachineFiles } from "durable-machine";
import { TimeSlice } from "durable-machine/time-slice";
import type { ArchiveEntry } from "../archives/archive-entry.ts";
import { ArchiveError } from "../archives/archive-error.ts";
import { readZip } from "../archives/zip-reader.ts";
import { entryType } from "./entry-type.ts";

const MAX_ENTRIES = 100_000;

/** Set-uid and set-gid bits are not for archives to give. */
const MODE_BITS = 0o777;

/** Directories first, so that each entry finds its own; symlinks last, so that nothing is written through them. */
const ORDER: FileType[] = ["directory", "file", "symlink"];

/**
 * Unpacks a zip of the file system into a directory. All of it is checked before anything is written.
 *
 * @throws ArchiveError where it is no zip, would write outside the directory, or does not go with what is there.
 */
export async function unzipInto(files: MachineFiles, zip: string, destination: string): Promise<void> {
  const { usedBytes, quotaBytes } = await files.usage();
  const source = {
    size: (await files.status(zip)).size,
    read: (offset: number, length: number) => files.readRange(zip, offset, length),
  };
  const entries = await readZip(source, { totalSize: quotaBytes - usedBytes, entries: MAX_ENTRIES });
  const slice = new TimeSlice();
  const place = new Destination(files, destination);
  for (const entry of entries) {
    await place.require(entry);
    await slice.step();
  }
  await files.makeDirectory(destination, { parents: true });
  for (const type of ORDER) {
    for (const entry of entries) {
      if (entry.type === type) await place.write(entry);
      await slice.step();
    }
  }
  // A directory that nobody may write to is one only when all is in it; its time is that of its last entry.
  for (const entry of entries) {
    if (entry.type === "directory") await place.finish(entry);
    await slice.step();
  }
}

/** The directory that a zip is unpacked into, and what is there already. */
class Destination {
  readonly #files: MachineFiles;
  readonly #path: string;

  constructor(files: MachineFiles, path: string) {
    this.#files = files;
    this.#path = path.replace(/\/+$/, "");
  }

  /** @throws ArchiveError where the entry cannot take its place, or that place is elsewhere. */
  async require(entry: ArchiveEntry): Promise<void> {
    const parts = entry.path.split("/");
    for (const index of parts.keys()) {
      const path = parts.slice(0, index + 1).join("/");
      const isLast = index === parts.length - 1;
      const there = await this.#typeOf(path);
      if (there === undefined) continue;
      if (!isLast || entry.type === "directory") {
        if (there === "symlink") throw new ArchiveError(`${path} is a symlink here, which it goes through`);
        if (there === "file") throw new ArchiveError(`${path} is a file here`);
      } else if (there === "directory") throw new ArchiveError(`${path} is a directory here`);
    }
  }

  async write(entry: ArchiveEntry): Promise<void> {
    // What the zip was checked against may have changed meanwhile.
    await this.require(entry);
    const path = this.#at(entry.path);
    if (entry.type === "directory") {
      await this.#files.makeDirectory(path, { parents: true });
      return;
    }
    // Whatever is there is replaced, not written through.
    const there = await this.#typeOf(entry.path);
    if (there === "symlink" || (there === "file" && entry.type === "symlink")) await this.#files.unlink(path);
    if (entry.type === "symlink") {
      await this.#files.makeDirectory(path.slice(0, path.lastIndexOf("/")) || "/", { parents: true });
      await this.#files.symlink(entry.target, path);
      return;
    }
    await this.#files.write(path, entry.content(), { parents: true });
    await this.finish(entry);
  }

  /** Gives a file or directory the mode and the time of its entry. */
  async finish({ path, mode, modifiedAt }: ArchiveEntry): Promise<void> {
    await this.#files.changeMode(this.#at(path), mode & MODE_BITS);
    await this.#files.setTimes(this.#at(path), { accessedAt: Date.now(), modifiedAt });
  }

  #at(path: string): string {
    return `${this.#path}/${path}`;
  }

  /** What is there, a symlink being one; undefined for nothing. */
  #typeOf(path: string): Promise<FileType | undefined> {
    return entryType(this.#files, this.#at(path));
  }
}

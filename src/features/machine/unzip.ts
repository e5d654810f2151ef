import type { FileType, MachineFiles } from "durable-machine";
import { TimeSlice } from "durable-machine/time-slice";
import type { ArchiveEntry } from "../../lib/archives/archive-entry.ts";
import { ArchiveError } from "../../lib/archives/archive-error.ts";
import { readZip } from "../../lib/archives/zip-reader.ts";
import { entryType } from "./entry-type.ts";

const MAX_ENTRIES = 100_000;

/** Archives must not set set-uid and set-gid bits. */
const MODE_BITS = 0o777;

/** Symlinks last, so that nothing is written through them. */
const ORDER: FileType[] = ["directory", "file", "symlink"];

/**
 * Checks the whole zip before it writes anything.
 *
 * @throws ArchiveError if the file is not a zip, would write outside the directory, or conflicts with
 * existing files.
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
  // Nothing conflicts in a new directory.
  const isNew = (await entryType(files, destination)) === undefined;
  for (const entry of isNew ? [] : entries) {
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
  // Last, because the mode may forbid writes and each new entry changes the time.
  for (const entry of entries) {
    if (entry.type === "directory") await place.finish(entry);
    await slice.step();
  }
}

class Destination {
  readonly #files: MachineFiles;
  readonly #path: string;

  constructor(files: MachineFiles, path: string) {
    this.#files = files;
    this.#path = path.replace(/(?<!\/)\/+$/, "");
  }

  /** @returns what exists in its place. @throws ArchiveError if the entry conflicts with existing files. */
  async require(entry: ArchiveEntry): Promise<FileType | undefined> {
    let there: FileType | undefined;
    const parts = entry.path.split("/");
    for (const index of parts.keys()) {
      const path = parts.slice(0, index + 1).join("/");
      const isLast = index === parts.length - 1;
      there = await this.#typeOf(path);
      if (there === undefined) return undefined;
      if (!isLast || entry.type === "directory") {
        if (there === "symlink") throw new ArchiveError(`${path} is a symlink here, which it goes through`);
        if (there === "file") throw new ArchiveError(`${path} is a file here`);
      } else if (there === "directory") throw new ArchiveError(`${path} is a directory here`);
    }
    return there;
  }

  async write(entry: ArchiveEntry): Promise<void> {
    // Files may have changed since the first check.
    const there = await this.require(entry);
    const path = this.#at(entry.path);
    if (entry.type === "directory") {
      await this.#files.makeDirectory(path, { parents: true });
      return;
    }
    // Existing files are replaced, never followed.
    if (there === "symlink" || (there === "file" && entry.type === "symlink")) await this.#files.unlink(path);
    if (entry.type === "symlink") {
      await this.#files.makeDirectory(path.slice(0, path.lastIndexOf("/")) || "/", { parents: true });
      await this.#files.symlink(entry.target, path);
      return;
    }
    if (entry.read === undefined) {
      await this.#files.write(path, entry.content(), { parents: true });
      await this.finish(entry);
      return;
    }
    const { mode, modifiedAt } = entry;
    await this.#files.writeSmall(path, await entry.read(), { mode: mode & MODE_BITS, modifiedAt });
  }

  async finish({ path, mode, modifiedAt }: ArchiveEntry): Promise<void> {
    await this.#files.changeMode(this.#at(path), mode & MODE_BITS);
    await this.#files.setTimes(this.#at(path), { accessedAt: Date.now(), modifiedAt });
  }

  #at(path: string): string {
    return `${this.#path}/${path}`;
  }

  #typeOf(path: string): Promise<FileType | undefined> {
    return entryType(this.#files, this.#at(path));
  }
}

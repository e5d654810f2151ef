import type { FileSystem } from "durable-machine";
import { ROOT } from "durable-machine";
import type { ArchiveEntry } from "../archives/archive-entry.ts";
import { writeZip } from "../archives/zip-writer.ts";
import { entryType } from "./entry-type.ts";

/** A zip of all that is in a directory, made as it is read; names begin at the directory. */
export function zipDirectory(files: FileSystem, path: string): ReadableStream<Uint8Array> {
  return writeZip(entriesOf(files, path.replace(/\/+$/, ""), ""));
}

async function* entriesOf(
  files: FileSystem,
  root: string,
  directory: string,
): AsyncGenerator<ArchiveEntry, void, undefined> {
  for (const { name, type, mode, modifiedAt, size } of files.list(`${root}/${directory}`, ROOT)) {
    const path = `${directory}${name}`;
    const file = `${root}/${path}`;
    // What is deleted between the listing and its turn is not in the zip.
    if (entryType(files, file) !== type) continue;
    const status = { path, mode, modifiedAt };
    if (type === "symlink") yield { ...status, type, target: files.readSymlink(file, ROOT) };
    else if (type === "file") yield { ...status, type, size, content: () => files.read(file, ROOT).body };
    else {
      yield { ...status, type };
      yield* entriesOf(files, root, `${path}/`);
    }
  }
}

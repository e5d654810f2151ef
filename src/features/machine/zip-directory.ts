import type { MachineFiles } from "durable-machine";
import { toLazyStream } from "durable-machine/lazy-stream";
import type { ArchiveEntry } from "../../lib/archives/archive-entry.ts";
import { writeZip } from "../../lib/archives/zip-writer.ts";
import { entryType } from "./entry-type.ts";

/** Generates the zip while it is read. Names are relative to the directory. */
export function zipDirectory(files: MachineFiles, path: string): ReadableStream<Uint8Array> {
  return writeZip(entriesOf(files, path.replace(/(?<!\/)\/+$/, ""), ""));
}

async function* entriesOf(
  files: MachineFiles,
  root: string,
  directory: string,
): AsyncGenerator<ArchiveEntry, void, undefined> {
  for (const { name, type, mode, modifiedAt, size } of await files.list(`${root}/${directory}`)) {
    const path = `${directory}${name}`;
    const file = `${root}/${path}`;
    // An entry may have been deleted since the listing.
    if ((await entryType(files, file)) !== type) continue;
    const status = { path, mode, modifiedAt };
    if (type === "symlink") yield { ...status, type, target: await files.readSymlink(file) };
    else if (type === "file")
      yield { ...status, type, size, content: () => toLazyStream(readFile(files, file)) };
    else {
      yield { ...status, type };
      yield* entriesOf(files, root, `${path}/`);
    }
  }
}

async function* readFile(files: MachineFiles, path: string): AsyncGenerator<Uint8Array, void, undefined> {
  yield* (await files.read(path)).body;
}

import { TimeSlice } from "durable-machine/time-slice";
import type { ArchiveEntry } from "./archive-entry.ts";
import { ArchiveError } from "./archive-error.ts";
import { findUnsafeTarget, quote, readEntryPath, requireNoConflicts } from "./archive-paths.ts";
import { type ArchiveSource, Fields } from "./archive-source.ts";
import { streamOf } from "./stream-of.ts";
import { type Content, locateContents, readContent, readSmallContent } from "./zip-content.ts";
import { type DirectoryRecord, readDirectoryRecord } from "./zip-directory-record.ts";
import { type DirectoryPlace, findDirectory } from "./zip-end.ts";
import { DEFLATED, STORED } from "./zip-format.ts";

export interface ZipLimits {
  /** Bytes of all entries, unpacked. */
  totalSize: number;
  entries: number;
}

export interface ZipOptions {
  /** Leaves out symlinks that lead out of the zip: for those who unpack nothing. Otherwise a zip with one is refused. */
  skipsUnsafeSymlinks?: boolean;
}

/** The directory is in memory while a zip is read, and its names stay there. */
const MAX_DIRECTORY_BYTES = 32 * 1024 * 1024;

/** A path has less, so that what is larger is no symlink's target. Packed, it may be a little larger. */
const MAX_TARGET_BYTES = 4096;
const MAX_PACKED_TARGET_BYTES = 2 * MAX_TARGET_BYTES;
const MAX_TARGETS_BYTES = 4 * 1024 * 1024;

/**
 * Reads the directory of a zip and checks all of it, so that nothing needs to be unpacked to know whether it may be:
 * no entry leads out of the directory that the zip is unpacked into, itself or through a symlink of the zip; no two
 * entries are of one path or share bytes of the zip; all are of a kind that can be unpacked.
 *
 * It is written here because refusing is most of it: @zip.js/zip.js 2.24 takes symlinks that lead out and entries
 * below them, and unpacks by the platform's DecompressionStream, which holds all that a zip bomb makes.
 *
 * @returns the entries in the order of the zip. The content of one, as it is read, fails with an ArchiveError where
 *     it is not what the directory says in length or checksum; it is never longer.
 * @throws ArchiveError
 */
export async function readZip(
  source: ArchiveSource,
  limits: ZipLimits,
  { skipsUnsafeSymlinks = false }: ZipOptions = {},
): Promise<ArchiveEntry[]> {
  const slice = new TimeSlice();
  const place = await findDirectory(source);
  const records: DirectoryRecord[] = [];
  for await (const record of readDirectory(source, place, limits)) {
    records.push(record);
    await slice.step();
  }
  requireSizes(records, limits);

  const entries: ArchiveEntry[] = [];
  for (const content of await locateContents(source, records, place.offset, slice)) {
    const entry = await readEntry(source, content, slice);
    const problem = entry?.type === "symlink" ? findUnsafeTarget(entry) : undefined;
    if (problem !== undefined && !skipsUnsafeSymlinks) throw new ArchiveError(problem);
    if (entry && problem === undefined) entries.push(entry);
    await slice.step();
  }
  await requireNoConflicts(entries, slice);
  return entries;
}

async function* readDirectory(
  source: ArchiveSource,
  place: DirectoryPlace,
  limits: ZipLimits,
): AsyncGenerator<DirectoryRecord, void, undefined> {
  if (place.entries > limits.entries) {
    throw new ArchiveError(`the zip has ${place.entries} entries, of ${limits.entries} allowed`, "too_large");
  }
  if (place.size > MAX_DIRECTORY_BYTES) {
    throw new ArchiveError("the names in the zip are too long in total", "too_large");
  }
  let rest = await Fields.read(source, place.offset, place.size);
  for (let count = 0; count < place.entries; count++) {
    const { record, end } = readDirectoryRecord(rest);
    yield record;
    rest = rest.slice(end, rest.length);
  }
  if (rest.length > 0) throw new ArchiveError("the zip is damaged: it has more entries than it says");
}

function requireSizes(records: DirectoryRecord[], limits: ZipLimits): void {
  const total = totalSize(records);
  if (total > limits.totalSize) {
    throw new ArchiveError(`the zip holds ${total} bytes, of ${limits.totalSize} allowed`, "too_large");
  }
  if (totalSize(records.filter(({ type }) => type === "symlink")) > MAX_TARGETS_BYTES) {
    throw new ArchiveError("the targets of the symlinks in the zip are too long in total", "too_large");
  }
  for (const { name, type, method, size, compressedSize } of records) {
    if (method !== STORED && method !== DEFLATED) {
      throw new ArchiveError(`${quote(name)} is compressed by a method that is not supported: ${method}`);
    }
    if (method === STORED && size !== compressedSize) {
      throw new ArchiveError(`the zip is damaged: ${quote(name)} has two sizes`);
    }
    if (type === "directory" && size > 0)
      throw new ArchiveError(`${quote(name)} is a directory with content`);
  }
}

function totalSize(records: DirectoryRecord[]): number {
  return records.reduce((total, { size }) => total + size, 0);
}

/** @returns undefined for the directory itself that the zip is unpacked into. */
async function readEntry(
  source: ArchiveSource,
  content: Content,
  slice: TimeSlice,
): Promise<ArchiveEntry | undefined> {
  const { name, type, mode, modifiedAt, size } = content.record;
  const path = readEntryPath(name);
  if (path === "" && type === "directory") return undefined;
  if (path === "") throw new ArchiveError(`${quote(name)} is no name of a file`);
  const status = { path, mode, modifiedAt };
  switch (type) {
    case "directory":
      return { ...status, type };
    case "symlink":
      return { ...status, type, target: await readTarget(source, content) };
    case "file":
      return { ...status, type, size, content: () => streamOf(readContent(source, content, slice)) };
  }
}

async function readTarget(source: ArchiveSource, content: Content): Promise<string> {
  const { size, compressedSize } = content.record;
  const isSmall = size <= MAX_TARGET_BYTES && compressedSize <= MAX_PACKED_TARGET_BYTES;
  const bytes = isSmall ? await readSmallContent(source, content) : new Uint8Array();
  return new TextDecoder("utf-8", { fatal: false, ignoreBOM: true }).decode(bytes);
}

import { toLazyStream } from "durable-machine/lazy-stream";
import { TimeSlice } from "durable-machine/time-slice";
import type { ArchiveEntry } from "./archive-entry.ts";
import { ArchiveError } from "./archive-error.ts";
import { findUnsafeTarget, quote, readEntryPath, requireNoConflicts } from "./archive-paths.ts";
import { type ArchiveSource, ByteView } from "./archive-source.ts";
import { type Content, isSmall, locateContents, readContent, readSmallContent } from "./zip-content.ts";
import { type DirectoryRecord, readDirectoryRecord } from "./zip-directory-record.ts";
import { type DirectoryLocation, findDirectory } from "./zip-end.ts";
import { DEFLATED, STORED } from "./zip-format.ts";

export interface ZipLimits {
  /** Of all entries, uncompressed, in bytes. */
  totalSize: number;
  entries: number;
}

export interface ZipOptions {
  /** Skips symlinks that lead out of the zip instead of refusing it: safe only if nothing is unpacked. */
  skipsUnsafeSymlinks?: boolean;
}

const MAX_DIRECTORY_BYTES = 32 * 1024 * 1024;

/** A longer target exceeds the length of any path. Compressed, a short one may take a little more. */
const MAX_TARGET_BYTES = 4096;
const MAX_PACKED_TARGET_BYTES = 2 * MAX_TARGET_BYTES;
const MAX_TARGETS_BYTES = 4 * 1024 * 1024;

/**
 * Reads the directory of a zip and validates it before anything is unpacked: no path or symlink leads out of
 * the zip, no two entries have the same path or share bytes, and the type of each is supported. This reader
 * is our own because @zip.js/zip.js 2.24 accepts symlinks that lead out, and unpacks with the platform's
 * DecompressionStream, which buffers all of a zip bomb.
 *
 * @returns the entries in the order of the zip. Reading a content fails with an ArchiveError if its length or
 * checksum differs from the directory.
 * @throws ArchiveError
 * @example
 * const source = { size: zip.length, read: (offset, length) => zip.subarray(offset, offset + length) };
 * for (const entry of await readZip(source, { totalSize: 1e6, entries: 100 })) {
 *   if (entry.type === "file") console.log(entry.path, await new Response(entry.content()).text());
 * }
 */
export async function readZip(
  source: ArchiveSource,
  limits: ZipLimits,
  { skipsUnsafeSymlinks = false }: ZipOptions = {},
): Promise<ArchiveEntry[]> {
  const slice = new TimeSlice();
  const location = await findDirectory(source);
  const records: DirectoryRecord[] = [];
  for await (const record of readDirectory(source, location, limits)) {
    records.push(record);
    await slice.step();
  }
  requireSizes(records, limits);

  const entries: ArchiveEntry[] = [];
  for (const content of await locateContents(source, records, location.offset, slice)) {
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
  location: DirectoryLocation,
  limits: ZipLimits,
): AsyncGenerator<DirectoryRecord, void, undefined> {
  if (location.entries > limits.entries) {
    throw new ArchiveError(
      `the zip has ${location.entries} entries, of ${limits.entries} allowed`,
      "too_large",
    );
  }
  if (location.size > MAX_DIRECTORY_BYTES) {
    throw new ArchiveError("the names in the zip are too long in total", "too_large");
  }
  let rest = await ByteView.read(source, location.offset, location.size);
  for (let count = 0; count < location.entries; count++) {
    const { record, end } = readDirectoryRecord(rest);
    yield record;
    rest = rest.slice(end, rest.length);
  }
  if (rest.length > 0) throw new ArchiveError("the zip is damaged: it has more entries than it declares");
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
      throw new ArchiveError(`${quote(name)} uses an unsupported compression method: ${method}`);
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

async function readEntry(
  source: ArchiveSource,
  content: Content,
  slice: TimeSlice,
): Promise<ArchiveEntry | undefined> {
  const { name, type, mode, modifiedAt, size } = content.record;
  const path = readEntryPath(name);
  if (path === "" && type === "directory") return undefined;
  if (path === "") throw new ArchiveError(`${quote(name)} is not a file name`);
  const status = { path, mode, modifiedAt };
  switch (type) {
    case "directory":
      return { ...status, type };
    case "symlink":
      return { ...status, type, target: await readTarget(source, content) };
    case "file":
      return {
        ...status,
        type,
        size,
        content: () => toLazyStream(readContent(source, content, slice)),
        ...(isSmall(content.record) && { read: () => readSmallContent(source, content) }),
      };
  }
}

async function readTarget(source: ArchiveSource, content: Content): Promise<string> {
  const { size, compressedSize } = content.record;
  const isShort = size <= MAX_TARGET_BYTES && compressedSize <= MAX_PACKED_TARGET_BYTES;
  const bytes = isShort ? await readSmallContent(source, content) : new Uint8Array();
  return new TextDecoder("utf-8", { fatal: false, ignoreBOM: true }).decode(bytes);
}

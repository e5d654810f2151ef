import { crc32, inflateRawSync } from "node:zlib";
import type { TimeSlice } from "durable-machine/time-slice";
import { ArchiveError } from "./archive-error.ts";
import { quote } from "./archive-paths.ts";
import { type ArchiveSource, ByteView } from "./archive-source.ts";
import { inflate } from "./raw-deflate.ts";
import type { DirectoryRecord } from "./zip-directory-record.ts";
import { LOCAL_HEADER, LOCAL_HEADER_BYTES, STORED } from "./zip-format.ts";

const CHUNK_BYTES = 64 * 1024;

/** Up to this size a stream is slower. At 48 KiB, `inflateRawSync` wrongly reports too much output. */
const SMALL_BYTES = 16 * 1024;

/** Costs in steps of a TimeSlice. */
const BYTES_PER_STEP = 8192;
const SMALL_CONTENT_STEPS = 2;

export interface Content {
  record: DirectoryRecord;
  start: number;
}

/** @throws ArchiveError if a content ends after `end`, or two overlap (a zip bomb would). */
export async function locateContents(
  source: ArchiveSource,
  records: readonly DirectoryRecord[],
  end: number,
  slice: TimeSlice,
): Promise<Content[]> {
  const contents = new Map<DirectoryRecord, Content>();
  let free = 0;
  for (const record of records.toSorted((one, other) => one.offset - other.offset)) {
    if (record.offset < free) throw new ArchiveError(`${quote(record.name)} overlaps another entry`);
    const header = await ByteView.read(source, record.offset, LOCAL_HEADER_BYTES);
    const start = record.offset + LOCAL_HEADER_BYTES + header.uint16(26) + header.uint16(28);
    free = start + record.compressedSize;
    if (header.uint32(0) !== LOCAL_HEADER || free > end) {
      throw new ArchiveError(`the zip is damaged: the content of ${quote(record.name)} is not where it says`);
    }
    contents.set(record, { record, start });
    await slice.step();
  }
  return records.map((record) => contents.get(record)).filter((content) => content !== undefined);
}

/** @throws ArchiveError once the content is longer than declared, or if its length or checksum differs. */
export async function* readContent(
  source: ArchiveSource,
  content: Content,
  slice: TimeSlice,
): AsyncGenerator<Uint8Array, void, undefined> {
  const { record } = content;
  if (isSmall(record)) {
    yield await readSmallContent(source, content);
    await slice.step(SMALL_CONTENT_STEPS);
    return;
  }
  const stored = readStored(source, content);
  let length = 0;
  let checksum = 0;
  for await (const chunk of record.method === STORED ? stored : inflate(stored)) {
    length += chunk.length;
    if (length > record.size) throw contentMismatch(record);
    checksum = crc32(chunk, checksum);
    yield chunk;
    await slice.step(chunk.length / BYTES_PER_STEP);
  }
  if (length !== record.size || checksum !== record.checksum) throw contentMismatch(record);
}

export function isSmall({ size, compressedSize }: DirectoryRecord): boolean {
  return Math.max(size, compressedSize) <= SMALL_BYTES;
}

export async function readSmallContent(
  source: ArchiveSource,
  { record, start }: Content,
): Promise<Uint8Array> {
  // Zips of many empty files are common.
  const isEmpty = record.compressedSize === 0;
  const bytes = isEmpty
    ? new Uint8Array()
    : (await ByteView.read(source, start, record.compressedSize)).bytes;
  const content = record.method === STORED ? bytes : inflateWhole(bytes, record);
  if (content.length !== record.size || crc32(content) !== record.checksum) throw contentMismatch(record);
  return content;
}

function inflateWhole(bytes: Uint8Array, record: DirectoryRecord): Uint8Array {
  try {
    return inflateRawSync(bytes, { maxOutputLength: Math.max(1, record.size) });
  } catch {
    throw contentMismatch(record);
  }
}

async function* readStored(source: ArchiveSource, { record, start }: Content) {
  for (let offset = 0; offset < record.compressedSize; offset += CHUNK_BYTES) {
    const length = Math.min(CHUNK_BYTES, record.compressedSize - offset);
    const { bytes } = await ByteView.read(source, start + offset, length);
    yield bytes;
  }
}

function contentMismatch({ name }: DirectoryRecord): ArchiveError {
  return new ArchiveError(`the zip is damaged: the content of ${quote(name)} is not what its directory says`);
}

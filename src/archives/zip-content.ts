import { crc32, inflateRawSync } from "node:zlib";
import type { TimeSlice } from "durable-machine/time-slice";
import { ArchiveError } from "./archive-error.ts";
import { quote } from "./archive-paths.ts";
import { type ArchiveSource, Fields } from "./archive-source.ts";
import { inflate } from "./raw-deflate.ts";
import type { DirectoryRecord } from "./zip-directory-record.ts";
import { LOCAL_HEADER, LOCAL_HEADER_BYTES, STORED } from "./zip-format.ts";

const CHUNK_BYTES = 64 * 1024;

/**
 * What is not larger is unpacked at once: a stream takes more time and memory than it. Of three times as much, the
 * runtime's `inflateRawSync` says that it is over a limit which it is not.
 */
const SMALL_BYTES = 16 * 1024;

/** How much is unpacked in the time of one ordinary step, in bytes. */
const BYTES_PER_STEP = 8192;

/** In the time of how many steps a small content is unpacked. */
const SMALL_CONTENT_STEPS = 2;

/** Where the content of an entry begins in its zip. */
export interface Content {
  record: DirectoryRecord;
  start: number;
}

/**
 * Finds each entry's content, all of which must be before `end`. What several entries share would unpack to many
 * times the size of the zip.
 *
 * @throws ArchiveError
 */
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
    const header = await Fields.read(source, record.offset, LOCAL_HEADER_BYTES);
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

/**
 * An entry's content, piece by piece.
 *
 * @param slice of all that is read together: many small contents take as long as a large one.
 * @throws ArchiveError where it is not what the directory says in length or checksum; it never gives more.
 */
export async function* readContent(
  source: ArchiveSource,
  content: Content,
  slice: TimeSlice,
): AsyncGenerator<Uint8Array, void, undefined> {
  const { record } = content;
  if (Math.max(record.size, record.compressedSize) <= SMALL_BYTES) {
    yield await readSmallContent(source, content);
    await slice.step(SMALL_CONTENT_STEPS);
    return;
  }
  const stored = readStored(source, content);
  let length = 0;
  let checksum = 0;
  for await (const chunk of record.method === STORED ? stored : inflate(stored)) {
    length += chunk.length;
    if (length > record.size) throw notAsDeclared(record);
    checksum = crc32(chunk, checksum);
    yield chunk;
    await slice.step(chunk.length / BYTES_PER_STEP);
  }
  if (length !== record.size || checksum !== record.checksum) throw notAsDeclared(record);
}

/**
 * The whole of a content that is small both in the zip and unpacked.
 *
 * @throws ArchiveError as `readContent`.
 */
export async function readSmallContent(
  source: ArchiveSource,
  { record, start }: Content,
): Promise<Uint8Array> {
  const { bytes } = await Fields.read(source, start, record.compressedSize);
  const content = record.method === STORED ? bytes : inflateAtOnce(bytes, record);
  if (content.length !== record.size || crc32(content) !== record.checksum) throw notAsDeclared(record);
  return content;
}

function inflateAtOnce(bytes: Uint8Array, record: DirectoryRecord): Uint8Array {
  try {
    return inflateRawSync(bytes, { maxOutputLength: Math.max(1, record.size) });
  } catch {
    throw notAsDeclared(record);
  }
}

async function* readStored(source: ArchiveSource, { record, start }: Content) {
  for (let offset = 0; offset < record.compressedSize; offset += CHUNK_BYTES) {
    const length = Math.min(CHUNK_BYTES, record.compressedSize - offset);
    const { bytes } = await Fields.read(source, start + offset, length);
    yield bytes;
  }
}

function notAsDeclared({ name }: DirectoryRecord): ArchiveError {
  return new ArchiveError(`the zip is damaged: the content of ${quote(name)} is not what its directory says`);
}

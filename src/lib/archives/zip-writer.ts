import { crc32, deflateRawSync } from "node:zlib";
import { toLazyStream } from "durable-machine/lazy-stream";
import { TimeSlice } from "durable-machine/time-slice";
import { concatenate } from "../common/concatenate.ts";
import type { ArchiveEntry, FileEntry } from "./archive-entry.ts";
import { Blocks } from "./blocks.ts";
import { deflate } from "./raw-deflate.ts";
import {
  DATA_DESCRIPTOR_FLAG,
  DEFLATED,
  DIRECTORY_TYPE,
  FILE_TYPE,
  STORED,
  SYMLINK_TYPE,
  UTF8_FLAG,
  ZIP64_MARKER_32,
} from "./zip-format.ts";
import {
  packCentralHeader,
  packDataDescriptor,
  packEndOfDirectory,
  packLocalHeader,
  type ZipRecord,
} from "./zip-records.ts";

/** Below 4 GiB: deflate can make a file a little larger, and the header is written before the content. */
const LARGE_FILE_BYTES = 0xf0000000;

/** Smaller contents are compressed without a stream, which takes more time and memory. */
const SMALL_BYTES = 64 * 1024;

/** Costs in steps of a TimeSlice. */
const BYTES_PER_STEP = 2048;
const STEPS_PER_ENTRY = 2;

const TYPES = { file: FILE_TYPE, directory: DIRECTORY_TYPE, symlink: SYMLINK_TYPE };

const encoder = new TextEncoder();

/** Generated while read, with only the directory in memory. An error in `entries` or a content fails it. */
export function writeZip(entries: AsyncIterable<ArchiveEntry>): ReadableStream<Uint8Array> {
  return toLazyStream(toBlocks(new ZipWriter().write(entries)));
}

async function* toBlocks(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  const blocks = new Blocks();
  for await (const chunk of chunks) yield* blocks.append(chunk);
  yield* blocks.flush();
}

class ZipWriter {
  readonly #slice = new TimeSlice();
  readonly #directory = new Blocks();
  readonly #fullBlocks: Uint8Array[] = [];
  #entries = 0;
  #offset = 0;

  async *write(entries: AsyncIterable<ArchiveEntry>): AsyncGenerator<Uint8Array, void, undefined> {
    for await (const entry of entries) {
      for await (const chunk of this.#writeEntry(entry)) {
        this.#offset += chunk.length;
        yield chunk;
      }
      await this.#slice.step(STEPS_PER_ENTRY);
    }
    const directory = [...this.#fullBlocks, ...this.#directory.flush()];
    yield* directory;
    const size = directory.reduce((total, block) => total + block.length, 0);
    yield packEndOfDirectory(this.#entries, size, this.#offset);
  }

  async *#writeEntry(entry: ArchiveEntry): AsyncGenerator<Uint8Array, void, undefined> {
    const record = newRecord(entry, this.#offset);
    if (entry.type === "file") {
      yield* this.#writeFile(entry, record);
    } else {
      yield* writeWhole(record, encoder.encode(entry.type === "symlink" ? entry.target : ""));
    }
    this.#fullBlocks.push(...this.#directory.append(packCentralHeader(record)));
    this.#entries += 1;
  }

  async *#writeFile(entry: FileEntry, record: ZipRecord): AsyncGenerator<Uint8Array, void, undefined> {
    const content = await readStart(entry.content());
    if (content.isWhole) yield* writeWhole(record, content.beginning);
    else yield* this.#writeStream(entry, record, content.all());
  }

  async *#writeStream(
    { path, size }: FileEntry,
    record: ZipRecord,
    content: AsyncIterable<Uint8Array>,
  ): AsyncGenerator<Uint8Array, void, undefined> {
    record.flags |= DATA_DESCRIPTOR_FLAG;
    record.method = DEFLATED;
    record.isLarge = size >= LARGE_FILE_BYTES;
    yield packLocalHeader(record);
    for await (const chunk of deflate(this.#measure(content, record))) {
      record.compressedSize += chunk.length;
      yield chunk;
    }
    if (!record.isLarge && Math.max(record.size, record.compressedSize) >= ZIP64_MARKER_32) {
      throw new Error(`${path} has become too large while it was read`);
    }
    yield packDataDescriptor(record);
  }

  async *#measure(
    content: AsyncIterable<Uint8Array>,
    record: ZipRecord,
  ): AsyncGenerator<Uint8Array, void, undefined> {
    for await (const chunk of content) {
      record.checksum = crc32(chunk, record.checksum);
      record.size += chunk.length;
      yield chunk;
      await this.#slice.step(chunk.length / BYTES_PER_STEP);
    }
  }
}

function newRecord(entry: ArchiveEntry, offset: number): ZipRecord {
  return {
    name: encoder.encode(entry.type === "directory" ? `${entry.path}/` : entry.path),
    flags: UTF8_FLAG,
    method: STORED,
    mode: TYPES[entry.type] | entry.mode,
    modifiedAt: entry.modifiedAt,
    offset,
    checksum: 0,
    compressedSize: 0,
    size: 0,
    isLarge: false,
  };
}

function* writeWhole(record: ZipRecord, content: Uint8Array): Generator<Uint8Array, void, undefined> {
  const deflated = deflateRawSync(content);
  const isSmaller = deflated.length < content.length;
  const packed = isSmaller ? deflated : content;
  record.method = isSmaller ? DEFLATED : STORED;
  record.checksum = crc32(content);
  record.compressedSize = packed.length;
  record.size = content.length;
  yield packLocalHeader(record);
  yield packed;
}

async function readStart(content: ReadableStream<Uint8Array>) {
  const chunks = content.values();
  const read: Uint8Array[] = [];
  let length = 0;
  let next = await chunks.next();
  for (; !next.done && length <= SMALL_BYTES; next = await chunks.next()) {
    read.push(next.value);
    length += next.value.length;
  }
  async function* all(): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      yield* read;
      for (; !next.done; next = await chunks.next()) yield next.value;
    } finally {
      await chunks.return?.();
    }
  }
  return { isWhole: next.done === true, beginning: concatenate(read), all };
}

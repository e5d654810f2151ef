import { ArchiveError } from "./archive-error.ts";
import { type ArchiveSource, ByteView } from "./archive-source.ts";
import {
  END_OF_DIRECTORY,
  END_OF_DIRECTORY_BYTES,
  LOCAL_HEADER,
  ZIP64_END_OF_DIRECTORY,
  ZIP64_END_OF_DIRECTORY_BYTES,
  ZIP64_LOCATOR,
  ZIP64_LOCATOR_BYTES,
  ZIP64_MARKER_16,
  ZIP64_MARKER_32,
} from "./zip-format.ts";

const MAX_COMMENT_LENGTH = 0xffff;

export interface DirectoryLocation {
  offset: number;
  size: number;
  entries: number;
}

/** @throws ArchiveError if the directory does not end at the end record: programs differ about such zips. */
export async function findDirectory(source: ArchiveSource): Promise<DirectoryLocation> {
  const { end, offset: endOffset } = await findEnd(source);
  const locatorOffset = endOffset - ZIP64_LOCATOR_BYTES;
  const locator =
    locatorOffset >= 0 ? await ByteView.read(source, locatorOffset, ZIP64_LOCATOR_BYTES) : undefined;
  const isZip64 = locator?.uint32(0) === ZIP64_LOCATOR;
  const recordOffset = isZip64 ? locator.uint64(8) : endOffset;
  const record = isZip64 ? await readZip64End(source, recordOffset, locatorOffset) : undefined;

  const disks = [end.uint16(4), end.uint16(6), record?.uint32(16) ?? 0, record?.uint32(20) ?? 0];
  if (disks.some((disk) => disk !== 0 && disk !== ZIP64_MARKER_16 && disk !== ZIP64_MARKER_32)) {
    throw new ArchiveError("the zip is one part of several");
  }
  const location = {
    entries: record && end.uint16(10) === ZIP64_MARKER_16 ? record.uint64(32) : end.uint16(10),
    size: record && end.uint32(12) === ZIP64_MARKER_32 ? record.uint64(40) : end.uint32(12),
    offset: record && end.uint32(16) === ZIP64_MARKER_32 ? record.uint64(48) : end.uint32(16),
  };
  if (location.offset + location.size !== recordOffset) {
    throw new ArchiveError("the zip is damaged: its directory is not where its end says");
  }
  return location;
}

async function findEnd(source: ArchiveSource): Promise<{ end: ByteView; offset: number }> {
  const length = Math.min(source.size, END_OF_DIRECTORY_BYTES + MAX_COMMENT_LENGTH);
  const start = source.size - length;
  const tail = await ByteView.read(source, start, length);
  for (let offset = length - END_OF_DIRECTORY_BYTES; offset >= 0; offset--) {
    const isEnd = tail.uint32(offset) === END_OF_DIRECTORY;
    if (isEnd && offset + END_OF_DIRECTORY_BYTES + tail.uint16(offset + 20) === length) {
      return { end: tail.slice(offset, length), offset: start + offset };
    }
  }
  const beginsAsZip = source.size >= 4 && (await ByteView.read(source, 0, 4)).uint32(0) === LOCAL_HEADER;
  throw new ArchiveError(
    beginsAsZip ? "the zip is cut off, or followed by something else" : "it is not a zip",
  );
}

async function readZip64End(source: ArchiveSource, offset: number, locatorOffset: number): Promise<ByteView> {
  const record = await ByteView.read(source, offset, ZIP64_END_OF_DIRECTORY_BYTES);
  if (record.uint32(0) !== ZIP64_END_OF_DIRECTORY || offset + 12 + record.uint64(4) !== locatorOffset) {
    throw new ArchiveError("the zip is damaged: its end is not where it says");
  }
  return record;
}

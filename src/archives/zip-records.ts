import { concatenate } from "../common/concatenate.ts";
import {
  CENTRAL_HEADER,
  DATA_DESCRIPTOR,
  END_OF_DIRECTORY,
  IN_ZIP64_16,
  IN_ZIP64_32,
  LOCAL_HEADER,
  SIZES_FOLLOW_FLAG,
  TIMESTAMP_FIELD,
  toDosTime,
  UNIX_HOST,
  ZIP64_END_OF_DIRECTORY,
  ZIP64_END_OF_DIRECTORY_BYTES,
  ZIP64_FIELD,
  ZIP64_LOCATOR,
} from "./zip-format.ts";

const VERSION = 20;
const VERSION_WITH_ZIP64 = 45;

const DIRECTORY_ATTRIBUTE = 0x10;

/** What a zip says of an entry, before its content and in the directory at the end. */
export interface ZipRecord {
  name: Uint8Array;
  flags: number;
  method: number;
  /** With the type of the file. */
  mode: number;
  modifiedAt: number;
  /** Where it begins in the zip. */
  offset: number;
  checksum: number;
  compressedSize: number;
  size: number;
  /** Whether its sizes have 8 bytes where they follow the content. */
  isLarge: boolean;
}

/** What stands before the content of an entry. */
export function localHeader(record: ZipRecord): Uint8Array {
  const extra = concatenate([timestampField(record), record.isLarge ? zip64Field([0, 0]) : pack()]);
  const unknownSize = record.isLarge ? IN_ZIP64_32 : 0;
  const sizesFollow = (record.flags & SIZES_FOLLOW_FLAG) !== 0;
  return concatenate([
    pack(
      [4, LOCAL_HEADER],
      [2, record.isLarge ? VERSION_WITH_ZIP64 : VERSION],
      [2, record.flags],
      [2, record.method],
      [4, toDosTime(record.modifiedAt)],
      [4, sizesFollow ? 0 : record.checksum],
      [4, sizesFollow ? unknownSize : record.compressedSize],
      [4, sizesFollow ? unknownSize : record.size],
      [2, record.name.length],
      [2, extra.length],
    ),
    record.name,
    extra,
  ]);
}

/** What stands behind a content whose length was not known before. */
export function dataDescriptor({ checksum, compressedSize, size, isLarge }: ZipRecord): Uint8Array {
  const width = isLarge ? 8 : 4;
  return pack([4, DATA_DESCRIPTOR], [4, checksum], [width, compressedSize], [width, size]);
}

/** What the directory says of an entry. */
export function centralHeader(record: ZipRecord): Uint8Array {
  const { size, compressedSize, offset } = record;
  const large = [size, compressedSize, offset].filter((value) => value >= IN_ZIP64_32);
  const extra = concatenate([timestampField(record), large.length > 0 ? zip64Field(large) : pack()]);
  const isDirectory = record.name.at(-1) === "/".charCodeAt(0);
  return concatenate([
    pack(
      [4, CENTRAL_HEADER],
      [1, VERSION_WITH_ZIP64],
      [1, UNIX_HOST],
      [2, record.isLarge || large.length > 0 ? VERSION_WITH_ZIP64 : VERSION],
      [2, record.flags],
      [2, record.method],
      [4, toDosTime(record.modifiedAt)],
      [4, record.checksum],
      [4, Math.min(compressedSize, IN_ZIP64_32)],
      [4, Math.min(size, IN_ZIP64_32)],
      [2, record.name.length],
      [2, extra.length],
      // No comment, on the first disk, and nothing is said of text or binary.
      [2, 0],
      [2, 0],
      [2, 0],
      [2, isDirectory ? DIRECTORY_ATTRIBUTE : 0],
      [2, record.mode],
      [4, Math.min(offset, IN_ZIP64_32)],
    ),
    record.name,
    extra,
  ]);
}

/** What stands behind the directory: how many entries it has, and where it is. */
export function endOfDirectory(entries: number, size: number, offset: number): Uint8Array {
  const isLarge = entries >= IN_ZIP64_16 || size >= IN_ZIP64_32 || offset >= IN_ZIP64_32;
  const end = pack(
    [4, END_OF_DIRECTORY],
    [2, 0],
    [2, 0],
    [2, Math.min(entries, IN_ZIP64_16)],
    [2, Math.min(entries, IN_ZIP64_16)],
    [4, Math.min(size, IN_ZIP64_32)],
    [4, Math.min(offset, IN_ZIP64_32)],
    [2, 0],
  );
  return isLarge ? concatenate([zip64EndOfDirectory(entries, size, offset), end]) : end;
}

function zip64EndOfDirectory(entries: number, size: number, offset: number): Uint8Array {
  return pack(
    [4, ZIP64_END_OF_DIRECTORY],
    // Of the rest of the record.
    [8, ZIP64_END_OF_DIRECTORY_BYTES - 12],
    [1, VERSION_WITH_ZIP64],
    [1, UNIX_HOST],
    [2, VERSION_WITH_ZIP64],
    [4, 0],
    [4, 0],
    [8, entries],
    [8, entries],
    [8, size],
    [8, offset],
    [4, ZIP64_LOCATOR],
    [4, 0],
    [8, offset + size],
    [4, 1],
  );
}

/** The time of the last change in seconds, where it fits: what else a zip has is without a zone. */
function timestampField({ modifiedAt }: ZipRecord): Uint8Array {
  const seconds = Math.floor(modifiedAt / 1000);
  if (seconds !== (seconds | 0)) return pack();
  return pack([2, TIMESTAMP_FIELD], [2, 5], [1, 1], [4, seconds]);
}

function zip64Field(values: number[]): Uint8Array {
  return pack([2, ZIP64_FIELD], [2, values.length * 8], ...values.map((value): Field => [8, value]));
}

/** How many bytes a number takes, and the number. */
type Field = readonly [1 | 2 | 4 | 8, number];

/** Numbers one behind the other, the lowest byte of each first. */
function pack(...fields: Field[]): Uint8Array {
  const bytes = new Uint8Array(fields.reduce((length, [width]) => length + width, 0));
  const view = new DataView(bytes.buffer);
  let offset = 0;
  for (const [width, value] of fields) {
    if (width === 1) view.setUint8(offset, value);
    else if (width === 2) view.setUint16(offset, value, true);
    else if (width === 4) view.setUint32(offset, value, true);
    else view.setBigUint64(offset, BigInt(value), true);
    offset += width;
  }
  return bytes;
}

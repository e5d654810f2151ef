import { concatenate } from "../common/concatenate.ts";
import {
  CENTRAL_HEADER,
  DATA_DESCRIPTOR,
  DATA_DESCRIPTOR_FLAG,
  END_OF_DIRECTORY,
  LOCAL_HEADER,
  TIMESTAMP_FIELD,
  toDosTime,
  UNIX_HOST,
  ZIP64_END_OF_DIRECTORY,
  ZIP64_END_OF_DIRECTORY_BYTES,
  ZIP64_FIELD,
  ZIP64_LOCATOR,
  ZIP64_MARKER_16,
  ZIP64_MARKER_32,
} from "./zip-format.ts";

const VERSION = 20;
const VERSION_WITH_ZIP64 = 45;

const DIRECTORY_ATTRIBUTE = 0x10;

export interface ZipRecord {
  name: Uint8Array;
  flags: number;
  method: number;
  /** Includes the file type. */
  mode: number;
  modifiedAt: number;
  offset: number;
  checksum: number;
  compressedSize: number;
  size: number;
  isLarge: boolean;
}

export function packLocalHeader(record: ZipRecord): Uint8Array {
  const extra = concatenate([packTimestampField(record), record.isLarge ? packZip64Field([0, 0]) : pack()]);
  const unknownSize = record.isLarge ? ZIP64_MARKER_32 : 0;
  const sizesFollow = (record.flags & DATA_DESCRIPTOR_FLAG) !== 0;
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

export function packDataDescriptor({ checksum, compressedSize, size, isLarge }: ZipRecord): Uint8Array {
  const width = isLarge ? 8 : 4;
  return pack([4, DATA_DESCRIPTOR], [4, checksum], [width, compressedSize], [width, size]);
}

export function packCentralHeader(record: ZipRecord): Uint8Array {
  const { size, compressedSize, offset } = record;
  const large = [size, compressedSize, offset].filter((value) => value >= ZIP64_MARKER_32);
  const extra = concatenate([packTimestampField(record), large.length > 0 ? packZip64Field(large) : pack()]);
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
      [4, Math.min(compressedSize, ZIP64_MARKER_32)],
      [4, Math.min(size, ZIP64_MARKER_32)],
      [2, record.name.length],
      [2, extra.length],
      [2, 0],
      [2, 0],
      [2, 0],
      [2, isDirectory ? DIRECTORY_ATTRIBUTE : 0],
      [2, record.mode],
      [4, Math.min(offset, ZIP64_MARKER_32)],
    ),
    record.name,
    extra,
  ]);
}

export function packEndOfDirectory(entries: number, size: number, offset: number): Uint8Array {
  const isLarge = entries >= ZIP64_MARKER_16 || size >= ZIP64_MARKER_32 || offset >= ZIP64_MARKER_32;
  const end = pack(
    [4, END_OF_DIRECTORY],
    [2, 0],
    [2, 0],
    [2, Math.min(entries, ZIP64_MARKER_16)],
    [2, Math.min(entries, ZIP64_MARKER_16)],
    [4, Math.min(size, ZIP64_MARKER_32)],
    [4, Math.min(offset, ZIP64_MARKER_32)],
    [2, 0],
  );
  return isLarge ? concatenate([packZip64EndOfDirectory(entries, size, offset), end]) : end;
}

function packZip64EndOfDirectory(entries: number, size: number, offset: number): Uint8Array {
  return pack(
    [4, ZIP64_END_OF_DIRECTORY],
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

/** The MS-DOS time in the record has no time zone. */
function packTimestampField({ modifiedAt }: ZipRecord): Uint8Array {
  const seconds = Math.floor(modifiedAt / 1000);
  if (seconds !== (seconds | 0)) return pack();
  return pack([2, TIMESTAMP_FIELD], [2, 5], [1, 1], [4, seconds]);
}

function packZip64Field(values: number[]): Uint8Array {
  return pack([2, ZIP64_FIELD], [2, values.length * 8], ...values.map((value): Field => [8, value]));
}

/** Width in bytes, and value. */
type Field = readonly [1 | 2 | 4 | 8, number];

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

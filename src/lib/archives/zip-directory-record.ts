import { crc32 } from "node:zlib";
import { ArchiveError } from "./archive-error.ts";
import { quote } from "./archive-paths.ts";
import type { ByteView } from "./archive-source.ts";
import { decodeCodePage437 } from "./code-page-437.ts";
import {
  CENTRAL_HEADER,
  CENTRAL_HEADER_BYTES,
  DIRECTORY_TYPE,
  ENCRYPTED_FLAGS,
  FILE_TYPE,
  fromDosTime,
  MACOS_HOST,
  NTFS_FIELD,
  SYMLINK_TYPE,
  TIMESTAMP_FIELD,
  TYPE_BITS,
  UNICODE_PATH_FIELD,
  UNIX_HOST,
  UTF8_FLAG,
  ZIP64_FIELD,
  ZIP64_MARKER_32,
} from "./zip-format.ts";

const FILE_MODE = 0o644;
const DIRECTORY_MODE = 0o755;

/** Without setuid, setgid and sticky bits: the files belong to the user who unpacks them. */
const PERMISSION_BITS = 0o777;

/** From the Windows epoch, 1601, to the Unix epoch. */
const WINDOWS_EPOCH_MS = 11_644_473_600_000;

export interface DirectoryRecord {
  name: string;
  type: "file" | "directory" | "symlink";
  mode: number;
  modifiedAt: number;
  method: number;
  checksum: number;
  compressedSize: number;
  size: number;
  offset: number;
}

/** @returns the record at the start of `directory`, and the offset of the next one. */
export function readDirectoryRecord(directory: ByteView): { record: DirectoryRecord; end: number } {
  if (directory.length < CENTRAL_HEADER_BYTES || directory.uint32(0) !== CENTRAL_HEADER) throw damaged();
  const nameEnd = CENTRAL_HEADER_BYTES + directory.uint16(28);
  const extraEnd = nameEnd + directory.uint16(30);
  const end = extraEnd + directory.uint16(32);
  if (end > directory.length) throw damaged();

  const extra = readExtraFields(directory.slice(nameEnd, extraEnd));
  const flags = directory.uint16(8);
  const host = directory.uint8(5);
  const unixMode = host === UNIX_HOST || host === MACOS_HOST ? directory.uint16(40) : 0;
  const name = readName(directory.slice(CENTRAL_HEADER_BYTES, nameEnd).bytes, flags, host, extra);
  if ((flags & ENCRYPTED_FLAGS) !== 0) throw new ArchiveError(`${quote(name)} is encrypted`);
  const type = readType(name, unixMode);
  const record = {
    name,
    type,
    mode: unixMode === 0 ? defaultMode(type) : unixMode & PERMISSION_BITS,
    modifiedAt: readModifiedAt(directory.uint32(12), extra),
    method: directory.uint16(10),
    checksum: directory.uint32(16),
    ...readSizes(directory, extra.get(ZIP64_FIELD)),
  };
  return { record, end };
}

function readExtraFields(bytes: ByteView): Map<number, ByteView> {
  const fields = new Map<number, ByteView>();
  for (let offset = 0; offset + 4 <= bytes.length; ) {
    const kind = bytes.uint16(offset);
    const end = offset + 4 + bytes.uint16(offset + 2);
    if (end > bytes.length) break;
    if (!fields.has(kind)) fields.set(kind, bytes.slice(offset + 4, end));
    offset = end;
  }
  return fields;
}

/** The zip64 field holds, in this order, only the numbers that do not fit in the record. */
function readSizes(
  directory: ByteView,
  zip64: ByteView | undefined,
): Pick<DirectoryRecord, "size" | "compressedSize" | "offset"> {
  let next = 0;
  const read = (offset: number) => {
    const value = directory.uint32(offset);
    if (value !== ZIP64_MARKER_32) return value;
    if (zip64 === undefined || zip64.length < next + 8) throw damaged();
    next += 8;
    return zip64.uint64(next - 8);
  };
  const size = read(24);
  const compressedSize = read(20);
  return { size, compressedSize, offset: read(42) };
}

function readName(bytes: Uint8Array, flags: number, host: number, extra: Map<number, ByteView>): string {
  const isUtf8 = (flags & UTF8_FLAG) !== 0;
  const name = readUnicodeName(bytes, extra.get(UNICODE_PATH_FIELD)) ?? decodeUtf8(bytes);
  if (name === undefined && isUtf8) throw new ArchiveError("the zip has a name that is not UTF-8");
  // Windows programs may use backslashes as separators; on Unix they are part of a name.
  const written = name ?? decodeCodePage437(bytes);
  return host === UNIX_HOST || host === MACOS_HOST ? written : written.replaceAll("\\", "/");
}

/** The field is valid only with the checksum of the name in the record. */
function readUnicodeName(bytes: Uint8Array, field: ByteView | undefined): string | undefined {
  if (field === undefined || field.length < 5 || field.uint32(1) !== crc32(bytes)) return undefined;
  return decodeUtf8(field.slice(5, field.length).bytes);
}

function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function readType(name: string, unixMode: number): DirectoryRecord["type"] {
  const isDirectoryByName = name.endsWith("/");
  switch (unixMode & TYPE_BITS) {
    case DIRECTORY_TYPE:
      return "directory";
    case SYMLINK_TYPE:
      if (isDirectoryByName)
        throw new ArchiveError(`${quote(name)} is a symlink with the name of a directory`);
      return "symlink";
    case FILE_TYPE:
    case 0:
      return isDirectoryByName ? "directory" : "file";
    default:
      throw new ArchiveError(`${quote(name)} is a special file`);
  }
}

function defaultMode(type: DirectoryRecord["type"]): number {
  return type === "directory" ? DIRECTORY_MODE : FILE_MODE;
}

function readModifiedAt(dosTime: number, extra: Map<number, ByteView>): number {
  const timestamp = extra.get(TIMESTAMP_FIELD);
  if (timestamp && timestamp.length >= 5 && (timestamp.uint8(0) & 1) !== 0) return timestamp.int32(1) * 1000;
  const ntfs = extra.get(NTFS_FIELD);
  const hasTimes = ntfs && ntfs.length >= 16 && ntfs.uint16(4) === 1 && ntfs.uint16(6) >= 8;
  if (hasTimes) return Number(ntfs.bigUint64(8) / 10_000n) - WINDOWS_EPOCH_MS;
  return fromDosTime(dosTime);
}

function damaged(): ArchiveError {
  return new ArchiveError("the zip is damaged: its directory cannot be read");
}

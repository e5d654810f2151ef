/** Constants of the zip format, from PKWARE's APPNOTE.TXT. */

export const LOCAL_HEADER = 0x04034b50;
export const CENTRAL_HEADER = 0x02014b50;
export const DATA_DESCRIPTOR = 0x08074b50;
export const END_OF_DIRECTORY = 0x06054b50;
export const ZIP64_END_OF_DIRECTORY = 0x06064b50;
export const ZIP64_LOCATOR = 0x07064b50;

export const LOCAL_HEADER_BYTES = 30;
export const CENTRAL_HEADER_BYTES = 46;
export const END_OF_DIRECTORY_BYTES = 22;
export const ZIP64_END_OF_DIRECTORY_BYTES = 56;
export const ZIP64_LOCATOR_BYTES = 20;

/** The number is in a zip64 field, because it does not fit. */
export const ZIP64_MARKER_16 = 0xffff;
export const ZIP64_MARKER_32 = 0xffffffff;

export const STORED = 0;
export const DEFLATED = 8;

/** Encrypted, strongly encrypted, or with a masked directory. */
export const ENCRYPTED_FLAGS = 0x0001 | 0x0040 | 0x2000;
/** The checksum and the sizes come after the content. */
export const DATA_DESCRIPTOR_FLAG = 0x0008;
export const UTF8_FLAG = 0x0800;

export const ZIP64_FIELD = 0x0001;
export const NTFS_FIELD = 0x000a;
export const TIMESTAMP_FIELD = 0x5455;
export const UNICODE_PATH_FIELD = 0x7075;

export const UNIX_HOST = 3;
export const MACOS_HOST = 19;

export const TYPE_BITS = 0o170000;
export const DIRECTORY_TYPE = 0o040000;
export const FILE_TYPE = 0o100000;
export const SYMLINK_TYPE = 0o120000;

/** MS-DOS time counts in steps of two seconds and has no time zone; this uses UTC. */
export function toDosTime(milliseconds: number): number {
  const earliest = Date.UTC(1980, 0);
  const latest = Date.UTC(2107, 11, 31, 23, 59, 58);
  const time = new Date(Math.min(latest, Math.max(earliest, milliseconds)));
  const date = ((time.getUTCFullYear() - 1980) << 9) | ((time.getUTCMonth() + 1) << 5) | time.getUTCDate();
  const clock = (time.getUTCHours() << 11) | (time.getUTCMinutes() << 5) | (time.getUTCSeconds() >> 1);
  return ((date << 16) | clock) >>> 0;
}

export function fromDosTime(time: number): number {
  const date = time >>> 16;
  return Date.UTC(
    1980 + (date >>> 9),
    ((date >>> 5) & 0xf) - 1,
    date & 0x1f,
    (time >>> 11) & 0x1f,
    (time >>> 5) & 0x3f,
    (time & 0x1f) * 2,
  );
}

/** Numbers of the zip format, as APPNOTE.TXT of PKWARE has them. */

export const LOCAL_HEADER = 0x04034b50;
export const CENTRAL_HEADER = 0x02014b50;
export const DATA_DESCRIPTOR = 0x08074b50;
export const END_OF_DIRECTORY = 0x06054b50;
export const ZIP64_END_OF_DIRECTORY = 0x06064b50;
export const ZIP64_LOCATOR = 0x07064b50;

/** Bytes of each record without its name, extra fields and comment. */
export const LOCAL_HEADER_BYTES = 30;
export const CENTRAL_HEADER_BYTES = 46;
export const END_OF_DIRECTORY_BYTES = 22;
export const ZIP64_END_OF_DIRECTORY_BYTES = 56;
export const ZIP64_LOCATOR_BYTES = 20;

/** In place of a number that does not fit, and that a zip64 field has instead. */
export const IN_ZIP64_16 = 0xffff;
export const IN_ZIP64_32 = 0xffffffff;

export const STORED = 0;
export const DEFLATED = 8;

/** Encrypted, strongly encrypted, or with a masked directory. */
export const ENCRYPTED_FLAGS = 0x0001 | 0x0040 | 0x2000;
/** The checksum and the sizes come after the content. */
export const SIZES_FOLLOW_FLAG = 0x0008;
export const UTF8_FLAG = 0x0800;

export const ZIP64_FIELD = 0x0001;
export const NTFS_FIELD = 0x000a;
export const TIMESTAMP_FIELD = 0x5455;
export const UNICODE_PATH_FIELD = 0x7075;

/** Systems whose external attributes are a mode of Unix. */
export const UNIX_HOST = 3;
export const MACOS_HOST = 19;

/** The type of a file in a mode of Unix. */
export const TYPE_BITS = 0o170000;
export const DIRECTORY_TYPE = 0o040000;
export const FILE_TYPE = 0o100000;
export const SYMLINK_TYPE = 0o120000;

/** A time as MS-DOS has it, in steps of two seconds: the date in the upper 16 bits. Zips do not say in what zone. */
export function toDosTime(milliseconds: number): number {
  const earliest = Date.UTC(1980, 0);
  const latest = Date.UTC(2107, 11, 31, 23, 59, 58);
  const time = new Date(Math.min(latest, Math.max(earliest, milliseconds)));
  const date = ((time.getUTCFullYear() - 1980) << 9) | ((time.getUTCMonth() + 1) << 5) | time.getUTCDate();
  const clock = (time.getUTCHours() << 11) | (time.getUTCMinutes() << 5) | (time.getUTCSeconds() >> 1);
  return ((date << 16) | clock) >>> 0;
}

/** In milliseconds since the epoch, taken for UTC. */
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

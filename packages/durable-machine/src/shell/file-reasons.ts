import type { FileError, FileErrorCode } from "../file-system/file-error.ts";

/** As the shell has them. */
const REASONS: Partial<Record<FileErrorCode, string>> = {
  EACCES: "Permission denied",
  EFBIG: "File too large",
  EISDIR: "Is a directory",
  ELOOP: "Too many levels of symbolic links",
  ENAMETOOLONG: "File name too long",
  ENOENT: "No such file or directory",
  ENOSPC: "No space left on device",
  ENOTDIR: "Not a directory",
  EROFS: "Read-only file system",
};

/** Why a file could not be had, as programs say it. */
export function reasonOf({ code, message }: FileError): string {
  return REASONS[code] ?? message;
}

import { FileError, type FileErrorCode } from "../../file-system/file-error.ts";

const TEXTS: Record<FileErrorCode, string> = {
  EACCES: "Permission denied",
  EBUSY: "Device or resource busy",
  EEXIST: "File exists",
  EFBIG: "File too large",
  EINVAL: "Invalid argument",
  EIO: "Input/output error",
  EISDIR: "Is a directory",
  ELOOP: "Too many levels of symbolic links",
  ENAMETOOLONG: "File name too long",
  ENOENT: "No such file or directory",
  ENOSPC: "No space left on device",
  ENOTDIR: "Not a directory",
  ENOTEMPTY: "Directory not empty",
  EPERM: "Operation not permitted",
  EROFS: "Read-only file system",
  EXDEV: "Invalid cross-device link",
};

/** The text of an error of the file system. @throws any other error. */
export function errorText(error: unknown): string {
  if (error instanceof FileError) return TEXTS[error.code];
  throw error;
}

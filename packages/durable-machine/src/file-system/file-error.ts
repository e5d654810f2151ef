/** Texts as the C library has them. */
const MESSAGES = {
  EACCES: "permission denied",
  EBUSY: "resource busy or locked",
  EEXIST: "file already exists",
  EFBIG: "file too large",
  EINVAL: "invalid argument",
  EIO: "input/output error",
  EISDIR: "illegal operation on a directory",
  ELOOP: "too many symbolic links encountered",
  EMLINK: "too many links",
  ENAMETOOLONG: "name too long",
  ENOENT: "no such file or directory",
  ENOSPC: "no space left on device",
  ENOTDIR: "not a directory",
  ENOTEMPTY: "directory not empty",
  EPERM: "operation not permitted",
  EROFS: "read-only file system",
  EXDEV: "cross-device link not permitted",
} as const;

export type FileErrorCode = keyof typeof MESSAGES;

/** A refusal of the file system. Its message has the form of Node's, which the shell's commands read the code off. */
export class FileError extends Error {
  override readonly name = "FileError";
  readonly code: FileErrorCode;
  readonly path: string;

  /** @param operation the system call's name, such as "open". */
  constructor(code: FileErrorCode, operation: string, path: string) {
    super(`${code}: ${MESSAGES[code]}, ${operation} '${path}'`);
    this.code = code;
    this.path = path;
  }
}

const MESSAGES = {
  EACCES: "permission denied",
  EBUSY: "resource busy or locked",
  EEXIST: "file already exists",
  EFBIG: "file too large",
  EINVAL: "invalid argument",
  EIO: "input/output error",
  EISDIR: "illegal operation on a directory",
  ELOOP: "too many symbolic links encountered",
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

export function isFileErrorCode(code: string): code is FileErrorCode {
  return Object.hasOwn(MESSAGES, code);
}

/** The message has Node's form, because `just-bash` reads the code from it. */
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

/** Why an operation fails, thrown where the system call and its path are not known. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly code: FileErrorCode;

  constructor(code: FileErrorCode) {
    super(code);
    this.code = code;
  }
}

/** @throws FileError in place of a Refusal. */
export function runOperation<T>(operation: string, path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw toFileError(error, operation, path);
  }
}

export function toFileError(error: unknown, operation: string, path: string): unknown {
  return error instanceof Refusal ? new FileError(error.code, operation, path) : error;
}

/** Runs `action`; undefined if it fails with one of `codes`. */
export function unlessRefused<Result>(
  codes: readonly FileErrorCode[],
  action: () => Result,
): Result | undefined {
  try {
    return action();
  } catch (error) {
    if (error instanceof FileError && codes.includes(error.code)) return undefined;
    throw error;
  }
}

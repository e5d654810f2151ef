import { badRequest, conflict, notFound, ServiceError } from "../../lib/common/errors.ts";

interface FileWords {
  /** A noun for "not found", such as "directory". */
  what: string;
  field: string;
}

/** A file error with a POSIX error name. */
export interface FileRefusal extends Error {
  code: string;
}

export function isFileError(error: unknown): error is FileRefusal {
  return (
    error instanceof Error &&
    "code" in error &&
    typeof error.code === "string" &&
    /^E[A-Z0-9]+$/.test(error.code)
  );
}

export function toFileError(error: FileRefusal, { what, field }: FileWords): ServiceError {
  const [, reason = error.message] = /^[A-Z]+: ([^,]+)/.exec(error.message) ?? [];
  switch (error.code) {
    case "ENOENT":
      return notFound(what);
    case "ENOSPC":
      return new ServiceError("payload_too_large", "The session's files would exceed their quota", {
        shouldRetry: false,
      });
    case "EEXIST":
      return conflict(`${field}: already exists`);
    case "ENOTEMPTY":
      return conflict(`${field}: ${reason}`);
    case "EIO":
      return new ServiceError("internal_error", reason, { cause: error });
    default:
      return badRequest({ field, message: reason });
  }
}

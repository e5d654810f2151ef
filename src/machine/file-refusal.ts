import { badRequest, conflict, notFound, ServiceError } from "../common/errors.ts";

interface FileWords {
  /** What is missing where nothing is, such as "directory". */
  what: string;
  /** The field of the request that names it. */
  field: string;
}

/** A refusal of a machine's files: an error with the name of a POSIX error number. */
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

/** What a caller is told when the machine's files refuse. */
export function toFileRefusal(error: FileRefusal, { what, field }: FileWords): ServiceError {
  const [, reason = error.message] = /^[A-Z]+: ([^,]+)/.exec(error.message) ?? [];
  switch (error.code) {
    case "ENOENT":
      return notFound(what);
    case "ENOSPC":
      return new ServiceError("payload_too_large", "The session's files would be over their quota", {
        shouldRetry: false,
      });
    case "EEXIST":
      return conflict(`${field}: something else is there`);
    case "ENOTEMPTY":
      return conflict(`${field}: ${reason}`);
    case "EIO":
      return new ServiceError("internal_error", reason, { cause: error });
    default:
      return badRequest({ field, message: reason });
  }
}

/** One thing wrong with a request: the field it is about, as a caller would write it, and what is wrong. */
export interface Problem {
  field: string;
  message: string;
}

const STATUS_BY_CODE = {
  bad_request: 400,
  command_not_executable: 400,
  command_not_found: 400,
  no_such_directory: 400,
  cannot_delete_current_key: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  project_not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  gone: 410,
  payload_too_large: 413,
  upgrade_required: 426,
  too_many_requests: 429,
  internal_error: 500,
  not_implemented: 501,
  service_unavailable: 503,
  proxy_unreachable_from_browser: 503,
} as const;

export type ErrorCode = keyof typeof STATUS_BY_CODE;

/** Every code there is, for the documentation. */
export const ERROR_CODES = Object.keys(STATUS_BY_CODE);

interface ErrorOptions {
  /** What is wrong with the request, one entry per problem; only with `bad_request`. */
  problems?: Problem[];
  /** Whether a client may repeat the call unchanged; absent: clients decide by the status. */
  shouldRetry?: boolean;
  /** When to try again, in seconds. */
  retryAfterSeconds?: number;
  /** The methods that the path is known with; only with `method_not_allowed`. */
  allow?: string[];
  cause?: unknown;
}

/** The plain data of a {@link ServiceError}: what survives a call from one object to another. */
export interface ErrorRecord {
  code: ErrorCode;
  message: string;
  problems: Problem[];
  shouldRetry?: boolean;
  retryAfterSeconds?: number;
}

/**
 * A failure that a caller is told about. It is thrown where it arises, with a message meant for the caller,
 * and becomes a wire error in one place ({@link file://./wire-error.ts}). The cause is for the log alone.
 */
export class ServiceError extends Error {
  override readonly name = "ServiceError";
  readonly code: ErrorCode;
  readonly problems: Problem[];
  readonly shouldRetry: boolean | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly allow: string[] | undefined;

  constructor(code: ErrorCode, message: string, options: ErrorOptions = {}) {
    super(message, { cause: options.cause });
    this.code = code;
    this.problems = options.problems ?? [];
    this.shouldRetry = options.shouldRetry;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.allow = options.allow;
  }

  /** The HTTP status that goes with the code. */
  get status(): (typeof STATUS_BY_CODE)[ErrorCode] {
    return STATUS_BY_CODE[this.code];
  }

  toRecord(): ErrorRecord {
    const { code, message, problems, shouldRetry, retryAfterSeconds } = this;
    return { code, message, problems, shouldRetry, retryAfterSeconds };
  }

  static fromRecord(record: ErrorRecord): ServiceError {
    return new ServiceError(record.code, record.message, record);
  }
}

/** 400: the request is invalid. Each problem names its field. */
export function badRequest(...problems: Problem[]): ServiceError {
  const message = problems.map((problem) => describeProblem(problem)).join("; ");
  return new ServiceError("bad_request", message, { problems });
}

/** "field: what is wrong", or only what is wrong where the problem is the request as a whole. */
export function describeProblem({ field, message }: Problem): string {
  return field === "" ? message : `${field}: ${message}`;
}

/** 401: no or bad credentials. */
export function unauthorized(message: string): ServiceError {
  return new ServiceError("unauthorized", message);
}

/** 404: unknown, or somebody else's. `what` is a noun, such as "browser session". */
export function notFound(what: string): ServiceError {
  return new ServiceError("not_found", `${what} not found`);
}

/** 409: a permanent conflict, which repeating the call does not mend. */
export function conflict(message: string): ServiceError {
  return new ServiceError("conflict", message, { shouldRetry: false });
}

/** 503: something the service needs does not answer now. */
export function serviceUnavailable(message: string, retryAfterSeconds = 1, cause?: unknown): ServiceError {
  return new ServiceError("service_unavailable", message, { retryAfterSeconds, cause });
}

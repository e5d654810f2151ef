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
  budget_exceeded: 402,
  forbidden: 403,
  not_found: 404,
  project_not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  agent_paused: 409,
  last_active_project: 409,
  project_not_empty: 409,
  gone: 410,
  payload_too_large: 413,
  upgrade_required: 426,
  too_many_requests: 429,
  internal_error: 500,
  not_implemented: 501,
  service_unavailable: 503,
  proxy_unreachable_from_browser: 503,
  insufficient_storage: 507,
} as const;

export type ErrorCode = keyof typeof STATUS_BY_CODE;

export const ERROR_CODES = Object.keys(STATUS_BY_CODE);

interface ErrorOptions {
  problems?: Problem[];
  /** Whether a client may retry the unchanged call; if absent, clients decide by the status. */
  shouldRetry?: boolean;
  retryAfterSeconds?: number;
  allow?: string[];
  /** Additional response headers. */
  headers?: Record<string, string>;
  cause?: unknown;
}

export interface ErrorRecord {
  code: ErrorCode;
  message: string;
  problems: Problem[];
  shouldRetry?: boolean;
  retryAfterSeconds?: number;
}

/** An error with a message for the caller. The cause is only logged. */
export class ServiceError extends Error {
  override readonly name = "ServiceError";
  readonly code: ErrorCode;
  readonly problems: Problem[];
  readonly shouldRetry: boolean | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly allow: string[] | undefined;
  readonly headers: Record<string, string>;

  constructor(code: ErrorCode, message: string, options: ErrorOptions = {}) {
    super(message, { cause: options.cause });
    this.code = code;
    this.problems = options.problems ?? [];
    this.shouldRetry = options.shouldRetry;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.allow = options.allow;
    this.headers = options.headers ?? {};
  }

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

/** @example throw badRequest({ field: "size", message: "must be at least 1" }); */
export function badRequest(...problems: Problem[]): ServiceError {
  const message = problems.map((problem) => describeProblem(problem)).join("; ");
  return new ServiceError("bad_request", message, { problems });
}

export function describeProblem({ field, message }: Problem): string {
  return field === "" ? message : `${field}: ${message}`;
}

export function unauthorized(message: string): ServiceError {
  return new ServiceError("unauthorized", message);
}

export function notFound(what: string): ServiceError {
  return new ServiceError("not_found", `${what} not found`);
}

/** @throws ServiceError 404 */
export function requireFound<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw notFound(what);
  return value;
}

export function conflict(message: string): ServiceError {
  return new ServiceError("conflict", message, { shouldRetry: false });
}

export function serviceUnavailable(message: string, retryAfterSeconds = 1, cause?: unknown): ServiceError {
  return new ServiceError("service_unavailable", message, { retryAfterSeconds, cause });
}

/** Whether a local service's disk, or an object's storage, is full. Only errors' messages survive a call. */
export function isStorageFull(error: unknown): boolean {
  return error instanceof Error && (error.message.includes("SQLITE_FULL") || isStorageFull(error.cause));
}

export function storageFull(cause?: unknown): ServiceError {
  const message = "The service has no space left to store this; its operator has to free some";
  return new ServiceError("insufficient_storage", message, { shouldRetry: false, cause });
}

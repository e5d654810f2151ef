import { BrowserUnavailableError } from "../../browser/index.ts";
import { ServiceError, serviceUnavailable } from "../../common/errors.ts";

/** What a caller is told about a start that failed: which limit, or that it may try again, and when. */
export function toStartError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  if (!(error instanceof BrowserUnavailableError)) {
    return serviceUnavailable("The browser could not be started", 5, error);
  }
  const { kind, message, retryAfterSeconds } = error;
  const code = kind === "limit" ? "too_many_requests" : "service_unavailable";
  return new ServiceError(code, message, { retryAfterSeconds, cause: error });
}

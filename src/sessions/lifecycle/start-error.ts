import { BrowserUnavailableError } from "../../browser/index.ts";
import { ServiceError, serviceUnavailable } from "../../common/errors.ts";

/** The wire error of a failed start. */
export function toStartError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  if (!(error instanceof BrowserUnavailableError)) {
    return serviceUnavailable("The browser could not be started", 5, error);
  }
  const { kind, message, retryAfterSeconds } = error;
  const code = kind === "limit" ? "too_many_requests" : "service_unavailable";
  return new ServiceError(code, message, { retryAfterSeconds, cause: error });
}

import { isStorageFull, ServiceError, serviceUnavailable, storageFull } from "../../lib/common/errors.ts";
import { isDatabaseError } from "../../lib/database/client.ts";
import { BrowserUnavailableError } from "../browser/index.ts";

/** The wire error of a start that failed. */
export function toLaunchError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  if (isStorageFull(error)) return storageFull(error);
  if (error instanceof Error && isDatabaseError(error)) {
    return serviceUnavailable("The database does not answer", 1, error);
  }
  if (!(error instanceof BrowserUnavailableError)) {
    return serviceUnavailable("The browser could not be started", 5, error);
  }
  return serviceUnavailable(error.message, error.retryAfterSeconds, error);
}

/** The wire error of a launch that cannot begin in time. */
export function noBrowserInTime(retryAfterMs: number): ServiceError {
  const message = "The platform's browser limit is reached: no browser can be launched in time";
  return serviceUnavailable(message, Math.max(1, Math.ceil(retryAfterMs / 1000)));
}

/** The wire error of a create beyond `max_concurrent_sessions`. */
export function sessionLimitReached(): ServiceError {
  return new ServiceError(
    "too_many_requests",
    "The organization has reached its limit of concurrent sessions (max_concurrent_sessions); end one, or wait",
    { shouldRetry: false, retryAfterSeconds: 10 },
  );
}

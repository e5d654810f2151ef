import { HTTPException } from "hono/http-exception";
import {
  badRequest,
  isStorageFull,
  ServiceError,
  serviceUnavailable,
  storageFull,
} from "../common/errors.ts";
import { logError } from "../common/log.ts";
import { isDatabaseError } from "../database/client.ts";

/** Only the causes of refusals and unexpected errors are logged. */
export function toServiceError(error: Error): ServiceError {
  if (error instanceof ServiceError) {
    if (error.cause !== undefined) logError("request_refused", error.cause);
    return error;
  }
  if (error instanceof HTTPException && error.status < 500) {
    return badRequest({ field: "", message: error.message });
  }
  logError("request_failed", error);
  if (isStorageFull(error)) return storageFull();
  if (isDatabaseError(error)) return serviceUnavailable("The database does not answer");
  if (isTransient(error)) return serviceUnavailable("The session or pool is restarting; try again");
  return new ServiceError("internal_error", "Internal error", { cause: error });
}

/** The platform marks errors of calls that may succeed on retry, as during a deployment. */
function isTransient(error: Error): boolean {
  return (
    ("retryable" in error && error.retryable === true) || ("overloaded" in error && error.overloaded === true)
  );
}

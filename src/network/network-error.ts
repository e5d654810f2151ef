/** Why a request may not be made. */
export type RefusalReason = "off" | "invalid_request" | "host_not_allowed" | "private_address";

/** Why a request that may be made came to nothing. */
export type FailureReason =
  | "unresolved"
  | "unreachable"
  | "timed_out"
  | "too_many_redirects"
  | "response_too_large";

/** A request that the service does not make. The message is for who asked for it. */
export class NetworkRefusedError extends Error {
  override readonly name = "NetworkRefusedError";
  readonly reason: RefusalReason;

  constructor(reason: RefusalReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** A request that got no whole answer. The message is for who asked for it. */
export class NetworkFailedError extends Error {
  override readonly name = "NetworkFailedError";
  readonly reason: FailureReason;

  constructor(reason: FailureReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

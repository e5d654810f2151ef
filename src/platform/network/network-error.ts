export type RefusalReason = "off" | "invalid_request" | "host_not_allowed" | "private_address";

export type FailureReason =
  | "unresolved"
  | "unreachable"
  | "timed_out"
  | "too_many_redirects"
  | "response_too_large";

/** The request is forbidden. The message is meant for the user. */
export class NetworkRefusedError extends Error {
  override readonly name = "NetworkRefusedError";
  readonly reason: RefusalReason;

  constructor(reason: RefusalReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** The request got no complete response. The message is meant for the user. */
export class NetworkFailedError extends Error {
  override readonly name = "NetworkFailedError";
  readonly reason: FailureReason;

  constructor(reason: FailureReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

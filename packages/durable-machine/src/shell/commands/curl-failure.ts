import { hostOf } from "../../../../../src/network/network-access.ts";
import { NetworkFailedError, NetworkRefusedError } from "../../../../../src/network/network-error.ts";

/** A transfer has come to nothing, for a reason that curl has a number for. */
export class CurlFailure extends Error {
  override readonly name = "CurlFailure";
  readonly exitCode: number;

  constructor(exitCode: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
  }
}

/**
 * What curl says of a request that could not be made.
 *
 * @throws whatever is no failure of the network, such as the end of the process.
 */
export function failureOf(error: unknown, url: URL): CurlFailure {
  const exitCode = exitCodeOf(error);
  if (exitCode === undefined || !(error instanceof Error)) throw error;
  const isRefusedConnection = error instanceof NetworkRefusedError && exitCode === 7;
  const message = isRefusedConnection
    ? `Failed to connect to ${hostOf(url)}: ${error.message}`
    : error.message;
  return new CurlFailure(exitCode, message, { cause: error });
}

function exitCodeOf(error: unknown): number | undefined {
  if (error instanceof CurlFailure) return error.exitCode;
  // What cannot be sent at all is, for curl, a feature that is not built in.
  if (error instanceof NetworkRefusedError) return error.reason === "invalid_request" ? 4 : 7;
  if (!(error instanceof NetworkFailedError)) return undefined;
  switch (error.reason) {
    case "unresolved":
      return 6;
    case "unreachable":
      return 7;
    case "timed_out":
      return 28;
    case "too_many_redirects":
      return 47;
    case "response_too_large":
      return 63;
  }
}

/** A session host refused a request, or could not be reached (status 0). */
export class HostError extends Error {
  override readonly name = "HostError";
  /** The HTTP status. */
  readonly status: number;
  /** Such as `host_full`, `draining`, `machine_ended`, `machine_not_found`, `unauthorized`, `unreachable`. */
  readonly code: string;

  constructor(message: string, { status, code, cause }: { status: number; code: string; cause?: unknown }) {
    super(message, { cause });
    this.status = status;
    this.code = code;
  }
}

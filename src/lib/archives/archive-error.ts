/** An archive was refused. The message is meant for the sender. */
export class ArchiveError extends Error {
  override readonly name = "ArchiveError";
  readonly reason: "malformed" | "too_large";

  constructor(message: string, reason: "malformed" | "too_large" = "malformed") {
    super(message);
    this.reason = reason;
  }
}

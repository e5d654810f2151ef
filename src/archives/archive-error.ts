/** An archive that is not taken. Its message is for whoever sent it. */
export class ArchiveError extends Error {
  override readonly name = "ArchiveError";
  /** Whether it is only too large, or cannot be taken at all. */
  readonly reason: "malformed" | "too_large";

  constructor(message: string, reason: "malformed" | "too_large" = "malformed") {
    super(message);
    this.reason = reason;
  }
}

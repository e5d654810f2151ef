/** Input that cannot be carried out as it was given; nothing of it was done. */
export class InvalidInputError extends Error {
  override readonly name = "InvalidInputError";
  /** As a caller would write it: `keys.0`. */
  readonly field: string;

  constructor(field: string, message: string) {
    super(message);
    this.field = field;
  }
}

/** A page that did not take input, or show itself, in time. */
export class PageUnresponsiveError extends Error {
  override readonly name = "PageUnresponsiveError";
}

/** Invalid input. Nothing was performed. */
export class InvalidInputError extends Error {
  override readonly name = "InvalidInputError";
  readonly field: string;

  constructor(field: string, message: string) {
    super(message);
    this.field = field;
  }
}

/** A page did not take input or paint in time. */
export class PageUnresponsiveError extends Error {
  override readonly name = "PageUnresponsiveError";
}

import type { FileErrorCode } from "./file-error.ts";

/** Why an operation cannot be done, before it is known of which call and which path this is told. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly code: FileErrorCode;

  constructor(code: FileErrorCode) {
    super(code);
    this.code = code;
  }
}

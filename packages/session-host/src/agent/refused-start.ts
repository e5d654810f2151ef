import type { StartErrorCode } from "durable-machine";

/** Has the fields of durable-machine's StartError, whose package is not in the sandbox. */
export class RefusedStart extends Error {
  override readonly name = "StartError";
  readonly code: StartErrorCode;

  constructor(message: string, code: StartErrorCode, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

import { FileError } from "../../file-system/file-error.ts";
import { type ByteSource, openOperand } from "./byte-source.ts";
import { errorText } from "./error-text.ts";
import type { Invocation } from "./invocation.ts";
import type { ParsedOptions } from "./options.ts";
import { quoteName } from "./quoting.ts";

/** Whether `head` and `tail` name the files: where there are several, unless they are told. */
export function showsHeaders(options: ParsedOptions): boolean {
  const wish = options.last("q", "silent", "v");
  return wish === undefined ? options.operands.length > 1 : wish === "v";
}

/** The lines above the files' parts. */
export class Headers {
  readonly #invocation: Invocation;
  readonly #shown: boolean;
  #first = true;

  constructor(invocation: Invocation, shown: boolean) {
    this.#invocation = invocation;
    this.#shown = shown;
  }

  async print(operand: string): Promise<void> {
    if (!this.#shown) return;
    const name = operand === "-" ? "standard input" : operand;
    await this.#invocation.print(`${this.#first ? "" : "\n"}==> ${name} <==\n`);
    this.#first = false;
  }
}

/** Opens an operand and prints its header; undefined: it cannot be read, which is complained of. */
export async function openWithHeader(
  invocation: Invocation,
  operand: string,
  headers: Headers,
): Promise<ByteSource | undefined> {
  try {
    const source = await openOperand(invocation, operand);
    await headers.print(operand);
    return source;
  } catch (error) {
    const quoted = quoteName(operand);
    // Only the reading of a directory fails, not its opening.
    if (error instanceof FileError && error.code === "EISDIR") {
      await headers.print(operand);
      invocation.complain(`error reading ${quoted}: ${errorText(error)}`);
    } else {
      invocation.complain(`cannot open ${quoted} for reading: ${errorText(error)}`);
    }
    return undefined;
  }
}

import type { FileError } from "../file-system/file-error.ts";
import { reasonOf } from "./file-reasons.ts";
import { isMissingProgram } from "./program.ts";
import { TOO_LONG } from "./transforms/long-strings.ts";

const decoder = new TextDecoder();
const encoder = new TextEncoder();

/** The longest text that can be one of the interpreter's own messages. */
const LONGEST_MESSAGE = 8192;

/**
 * The interpreter's messages in the shell's words: why a redirection failed, which it does not say; and of a program
 * that people miss, that this machine cannot have it.
 *
 * @param failure the file system's last refusal.
 */
export function describeDiagnostic(bytes: Uint8Array, failure: FileError | undefined): Uint8Array {
  if (bytes.length > LONGEST_MESSAGE || bytes[0] !== PREFIX) return bytes;
  const text = decoder.decode(bytes);
  const described = text
    .replace(/, increase executionLimits\.\w+/, ": limit of this machine")
    .replace(
      /^bash: ([^:]*): command not (?:found|available in browser environments).*$/m,
      (message, name) =>
        isMissingProgram(name)
          ? `bash: ${name}: not available on this machine, which runs no native programs`
          : message,
    )
    // All that the interpreter says of an expansion that ends the shell within `[[ ]]`.
    .replace(/^(bash: conditional expression: )exit$/m, `$1a parameter is not set, or ${TOO_LONG}`)
    .replace(/^(bash: .*: )(?:cannot open redirect target|No such file or directory)$/m, (message, start) => {
      return failure ? `${start}${reasonOf(failure)}` : message;
    });
  return described === text ? bytes : encoder.encode(described);
}

const PREFIX = "b".charCodeAt(0);

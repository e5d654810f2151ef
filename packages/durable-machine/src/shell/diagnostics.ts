import type { FileError } from "../file-system/file-error.ts";
import { errorText } from "./commands/error-text.ts";
import { baseNameOf } from "./paths.ts";
import { TOO_LONG } from "./transforms/words.ts";

const MISSING_PROGRAMS: ReadonlySet<string> = new Set(
  `apt apt-get cargo cc clang docker g++ gcc git go java make nano nc node npm npx perl php pip pip3 python python3
  ruby rustc ssh sudo systemctl vi vim`.split(/\s+/),
);

export function missingProgram(name: string): string | undefined {
  return MISSING_PROGRAMS.has(baseNameOf(name))
    ? "not available on this machine, which runs no native programs"
    : undefined;
}

const MAX_MESSAGE_BYTES = 8192;

const PREFIX = "b".charCodeAt(0);

/** Adds reasons to the interpreter's messages. @param failure the file system's last refusal. */
export function describeDiagnostic(bytes: Uint8Array, failure: FileError | undefined): Uint8Array {
  if (bytes.length > MAX_MESSAGE_BYTES || bytes[0] !== PREFIX) return bytes;
  const text = new TextDecoder().decode(bytes);
  const described = describeMessage(text, failure && errorText(failure));
  return described === text ? bytes : new TextEncoder().encode(described);
}

/** The messages are those of just-bash: `just-bash-internals.test.ts` fails if a new version changes them. */
export function describeMessage(text: string, openFailure: string | undefined): string {
  return text
    .replace(/, increase executionLimits\.\w+/, ": limit of this machine")
    .replace(
      /^bash: ([^:]*): command not (?:found|available in browser environments).*$/m,
      (message, name: string) => {
        const reason = missingProgram(name);
        return reason === undefined ? message : `bash: ${name}: ${reason}`;
      },
    )
    .replace(/^(bash: conditional expression: )exit$/m, `$1a parameter is not set, or ${TOO_LONG}`)
    .replace(
      /^(bash: .*: )(?:cannot open redirect target|No such file or directory)$/m,
      (message, start: string) => (openFailure === undefined ? message : `${start}${openFailure}`),
    );
}

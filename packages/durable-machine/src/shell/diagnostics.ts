import type { FileError, FileErrorCode } from "../file-system/file-error.ts";
import { describeMessage } from "./just-bash.ts";
import { baseNameOf } from "./paths.ts";
import { TOO_LONG } from "./transforms/words.ts";

/** Programs that people look for and that this machine cannot have, as it runs no native code. */
const MISSING_PROGRAMS: ReadonlySet<string> = new Set(
  `apt apt-get cargo cc clang docker g++ gcc git go java make nano nc node npm npx perl php pip pip3 python python3
  ruby rustc ssh sudo systemctl vi vim`.split(/\s+/),
);

/** Why a program is not there; undefined: nobody expects one of this name. */
export function missingProgram(name: string): string | undefined {
  return MISSING_PROGRAMS.has(baseNameOf(name))
    ? "not available on this machine, which runs no native programs"
    : undefined;
}

const FILE_REASONS: Partial<Record<FileErrorCode, string>> = {
  EACCES: "Permission denied",
  EFBIG: "File too large",
  EISDIR: "Is a directory",
  ELOOP: "Too many levels of symbolic links",
  ENAMETOOLONG: "File name too long",
  ENOENT: "No such file or directory",
  ENOSPC: "No space left on device",
  ENOTDIR: "Not a directory",
  EROFS: "Read-only file system",
};

export function reasonOf({ code, message }: FileError): string {
  return FILE_REASONS[code] ?? message;
}

/** The longest text that can be one of the interpreter's own messages. */
const MAX_MESSAGE_BYTES = 8192;

const PREFIX = "b".charCodeAt(0);

/**
 * The interpreter's messages, with the reasons that it does not give.
 *
 * @param failure the file system's last refusal.
 */
export function describeDiagnostic(bytes: Uint8Array, failure: FileError | undefined): Uint8Array {
  if (bytes.length > MAX_MESSAGE_BYTES || bytes[0] !== PREFIX) return bytes;
  const text = new TextDecoder().decode(bytes);
  const described = describeMessage(text, {
    missingCommand: missingProgram,
    openFailure: failure && reasonOf(failure),
    expansionFailure: `a parameter is not set, or ${TOO_LONG}`,
  });
  return described === text ? bytes : new TextEncoder().encode(described);
}

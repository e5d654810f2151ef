import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";

const MAX_SHOWN_BYTES = 2000;

/** What is known of a file beside its name. */
export interface TreeEntry {
  /** As the API writes it, such as `-rw-r--r--`. */
  mode: string;
  content?: string;
  /** Of a symlink. */
  target?: string;
  /** How many names a file has. */
  links?: number;
}

/** All that is below a directory, by paths relative to it. */
export type Tree = Record<string, TreeEntry>;

/** All that a case is compared by. */
export interface Outcome {
  stdout: string;
  stderr: string;
  /** -1: ended by a signal. */
  exitCode: number;
  tree: Tree;
}

export type Aspect = keyof Outcome;

export const ASPECTS: readonly Aspect[] = ["stdout", "stderr", "exitCode", "tree"];

/** Bytes so that two are equal where their descriptions are, and people can read them where that is possible. */
export function describeBytes(bytes: Uint8Array): string {
  if (bytes.length > MAX_SHOWN_BYTES) {
    return `${bytes.length} bytes, SHA-256 ${createHash("sha256").update(bytes).digest("hex")}`;
  }
  return isUtf8(bytes) ? Buffer.from(bytes).toString() : `hex ${Buffer.from(bytes).toString("hex")}`;
}

/**
 * What a program wrote. GNU's programs put words between the quotes of the locale; the machine's between plain
 * ones, as they do in most: that is no difference worth a line for each message.
 */
export function describeOutput(bytes: Uint8Array): string {
  return describeBytes(bytes).replace(/[‘’]/g, "'");
}

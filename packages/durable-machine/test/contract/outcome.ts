import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";

const MAX_SHOWN_BYTES = 2000;

export interface TreeEntry {
  /** In the format of the API, such as `-rw-r--r--`. */
  mode: string;
  content?: string;
  target?: string;
  links?: number;
}

/** All files below a directory, by relative path. */
export type Tree = Record<string, TreeEntry>;

export interface Outcome {
  stdout: string;
  stderr: string;
  /** -1 after a signal. */
  exitCode: number;
  tree: Tree;
}

export type Aspect = keyof Outcome;

export const ASPECTS: readonly Aspect[] = ["stdout", "stderr", "exitCode", "tree"];

/** Text that is equal for equal bytes only, and readable if possible. */
export function describeBytes(bytes: Uint8Array): string {
  if (bytes.length > MAX_SHOWN_BYTES) {
    return `${bytes.length} bytes, SHA-256 ${createHash("sha256").update(bytes).digest("hex")}`;
  }
  return isUtf8(bytes) ? Buffer.from(bytes).toString() : `hex ${Buffer.from(bytes).toString("hex")}`;
}

/** A program's output, ignoring that GNU messages use the locale's quotes and the machine plain ones. */
export function describeOutput(bytes: Uint8Array): string {
  return describeBytes(bytes).replace(/[‘’]/g, "'");
}

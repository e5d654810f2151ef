import { Refusal } from "./refusal.ts";

/** In bytes of UTF-8; with the NUL that ends it, Linux takes paths up to 4096. */
const LONGEST_PATH = 4095;
const LONGEST_NAME = 255;

/** UTF-8 needs at most so many bytes for a UTF-16 unit. */
const MOST_BYTES_A_UNIT = 3;

const encoder = new TextEncoder();

export interface ParsedPath {
  names: string[];
  isAbsolute: boolean;
  /** Ends in a slash: what it names must be a directory. */
  hasTrailingSlash: boolean;
}

/**
 * Takes a path apart.
 *
 * @throws Refusal ENOENT where it is empty, EINVAL for a NUL in it, ENAMETOOLONG.
 */
export function parsePath(path: string): ParsedPath {
  if (path === "") throw new Refusal("ENOENT");
  if (path.includes("\0")) throw new Refusal("EINVAL");
  if (isLonger(path, LONGEST_PATH)) throw new Refusal("ENAMETOOLONG");
  return {
    // Half a surrogate pair has no bytes; it is stored as it would be encoded, so that equal bytes are one name.
    names: path
      .toWellFormed()
      .split("/")
      .filter((name) => name !== ""),
    isAbsolute: path.startsWith("/"),
    hasTrailingSlash: path.endsWith("/"),
  };
}

/** @throws Refusal ENAMETOOLONG */
export function requireName(name: string): void {
  if (isLonger(name, LONGEST_NAME)) throw new Refusal("ENAMETOOLONG");
}

/** What holds the last name of a path, as a path; "/" for a name alone. */
export function parentPath(path: string): string {
  const withoutName = path.replace(/\/+$/, "").replace(/[^/]*$/, "");
  return withoutName === "" ? "/" : withoutName;
}

export function joinPath(names: readonly string[]): string {
  return `/${names.join("/")}`;
}

/** How many bytes of UTF-8 a text has. */
export function byteLength(text: string): number {
  return encoder.encode(text).byteLength;
}

function isLonger(text: string, bytes: number): boolean {
  if (text.length > bytes) return true;
  return text.length * MOST_BYTES_A_UNIT > bytes && byteLength(text) > bytes;
}

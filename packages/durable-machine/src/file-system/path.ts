import { Refusal } from "./file-error.ts";

const MAX_PATH_BYTES = 4095;
const MAX_NAME_BYTES = 255;

const MAX_UTF8_BYTES_PER_UNIT = 3;

const encoder = new TextEncoder();

/** @throws Refusal ENOENT for an empty path, EINVAL for a NUL, ENAMETOOLONG. */
export function parsePath(path: string) {
  if (path === "") throw new Refusal("ENOENT");
  if (path.includes("\0")) throw new Refusal("EINVAL");
  if (isLonger(path, MAX_PATH_BYTES)) throw new Refusal("ENAMETOOLONG");
  // Lone surrogates are stored as they are encoded, so that equal bytes are one name.
  const names = path.toWellFormed().split("/");
  return {
    names: names.filter((name) => name !== ""),
    isAbsolute: path.startsWith("/"),
    hasTrailingSlash: path.endsWith("/"),
  };
}

export function checkName(name: string): void {
  if (isLonger(name, MAX_NAME_BYTES)) throw new Refusal("ENAMETOOLONG");
}

export function isEntryName(name: string): boolean {
  return name !== "" && name !== "." && name !== "..";
}

export function parentPath(path: string): string {
  const name = path.replace(/(?<!\/)\/+$/, "");
  return name.slice(0, name.lastIndexOf("/") + 1) || "/";
}

export function byteLength(text: string): number {
  return encoder.encode(text).byteLength;
}

function isLonger(text: string, bytes: number): boolean {
  return text.length * MAX_UTF8_BYTES_PER_UNIT > bytes && byteLength(text) > bytes;
}

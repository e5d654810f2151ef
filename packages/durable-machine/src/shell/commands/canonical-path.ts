import { FileError } from "../../file-system/file-error.ts";
import { joinPath } from "../paths.ts";
import { baseName, directoryName, join } from "./destinations.ts";
import { unlessRefused } from "./error-text.ts";
import type { Invocation } from "./invocation.ts";

/** How much of a path must exist: all, all but the last part, nothing. */
export type Existence = "all" | "parents" | "nothing";

/** The way from a directory to a path, both absolute and without symlinks. */
export function relativePath(directory: string, path: string): string {
  const from = directory.split("/").filter((part) => part !== "");
  const to = path.split("/").filter((part) => part !== "");
  let common = 0;
  while (common < from.length && common < to.length && from[common] === to[common]) common++;
  return [...from.slice(common).map(() => ".."), ...to.slice(common)].join("/") || ".";
}

/**
 * The path, without symlinks, `.` and `..`, of a file that may be missing.
 *
 * @throws FileError ENOENT where more of it is missing than may be.
 */
export function canonicalPath(invocation: Invocation, path: string, existence: Existence): string {
  const { files, credentials } = invocation;
  const missing = existence === "nothing" ? (["ENOENT", "ENOTDIR"] as const) : (["ENOENT"] as const);
  const found = unlessRefused(missing, () => files.resolve(path, credentials));
  if (found !== undefined) return found;
  if (existence === "all") throw new FileError("ENOENT", "realpath", path);
  const above = directoryName(path);
  const target = unlessRefused(["ENOENT", "ENOTDIR", "EINVAL"], () =>
    files.readSymlink(path.replace(/\/+$/, ""), credentials),
  );
  // A loop of symlinks has been refused above.
  if (target !== undefined)
    return canonicalPath(invocation, target.startsWith("/") ? target : join(above, target), existence);
  const parent = canonicalPath(invocation, above, existence === "parents" ? "all" : existence);
  return joinPath(parent, baseName(path));
}

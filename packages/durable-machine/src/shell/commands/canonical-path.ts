import { FileError } from "../../file-system/file-error.ts";
import { baseName, directoryName, join } from "./destinations.ts";
import { unlessRefused } from "./error-text.ts";
import type { Invocation } from "./invocation.ts";

/** How much of a path must be there: all, all but the last part, nothing. */
export type Existence = "all" | "parents" | "nothing";

/** As many symlinks as Linux follows. */
const MAX_SYMLINKS = 40;

/** Resolves `.` and `..` by the letter. */
export function normalize(path: string): string {
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return `/${parts.join("/")}`;
}

/**
 * The path without symlinks, `.` and `..`, of a file that may be missing.
 *
 * @throws FileError ENOENT where more of it is missing than may be.
 */
export function canonicalPath(invocation: Invocation, path: string, existence: Existence, depth = 0): string {
  const { files, credentials } = invocation;
  if (depth > MAX_SYMLINKS) throw new FileError("ELOOP", "realpath", path);
  const found = unlessRefused(existence === "nothing" ? ["ENOENT", "ENOTDIR"] : ["ENOENT"], () =>
    files.resolve(path, credentials),
  );
  if (found !== undefined) return found;
  if (existence === "all") throw new FileError("ENOENT", "realpath", path);
  const above = directoryName(path);
  const target = unlessRefused(["ENOENT", "ENOTDIR", "EINVAL"], () =>
    files.readSymlink(path.replace(/\/+$/, ""), credentials),
  );
  if (target !== undefined) {
    return canonicalPath(
      invocation,
      target.startsWith("/") ? target : join(above, target),
      existence,
      depth + 1,
    );
  }
  const parent = canonicalPath(invocation, above, existence === "parents" ? "all" : existence, depth + 1);
  return normalize(join(parent, baseName(path)));
}

import type { FileSystem, FileType } from "durable-machine";
import { FileError, ROOT } from "durable-machine";

const NOTHING_THERE = ["ENOENT", "ENOTDIR"];

/** What is at a path, a symlink being one; undefined for nothing. */
export function entryType(files: FileSystem, path: string): FileType | undefined {
  try {
    return files.status(path, ROOT, { followSymlink: false }).type;
  } catch (error) {
    if (error instanceof FileError && NOTHING_THERE.includes(error.code)) return undefined;
    throw error;
  }
}

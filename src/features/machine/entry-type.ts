import type { FileType, MachineFiles } from "durable-machine";
import { isFileError } from "./file-refusal.ts";

const MISSING_CODES = ["ENOENT", "ENOTDIR"];

/** Does not follow symlinks. Undefined if nothing exists at the path. */
export async function entryType(files: MachineFiles, path: string): Promise<FileType | undefined> {
  try {
    return (await files.status(path, { followSymlink: false })).type;
  } catch (error) {
    if (isFileError(error) && MISSING_CODES.includes(error.code)) return undefined;
    throw error;
  }
}

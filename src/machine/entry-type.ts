import type { FileType, MachineFiles } from "durable-machine";
import { isFileError } from "./file-refusal.ts";

const NOTHING_THERE = ["ENOENT", "ENOTDIR"];

/** The type of what is at a path, without following a symlink; undefined for nothing. */
export async function entryType(files: MachineFiles, path: string): Promise<FileType | undefined> {
  try {
    return (await files.status(path, { followSymlink: false })).type;
  } catch (error) {
    if (isFileError(error) && NOTHING_THERE.includes(error.code)) return undefined;
    throw error;
  }
}

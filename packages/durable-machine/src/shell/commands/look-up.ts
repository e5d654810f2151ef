import { FileError } from "../../file-system/file-error.ts";
import type { FileStatus, FileType } from "../../file-system/file-system.ts";
import { joinPath, parentOf } from "../paths.ts";
import type { Invocation } from "./invocation.ts";

export type SeenStatus = Omit<FileStatus, "type"> & { type: FileType | "device" };

const BLOCK_BYTES = 4096;

/** Directories that hold files of the shell: devices and programs. */
const SHELL_DIRECTORIES = ["/dev", "/bin", "/usr/bin"];

/** In bytes. The inode of a symlink holds its target. */
export function occupiedBytes({ type, size }: Pick<SeenStatus, "type" | "size">): number {
  return type === "symlink" || type === "device" ? 0 : Math.ceil(size / BLOCK_BYTES) * BLOCK_BYTES;
}

async function shellFileStatus(invocation: Invocation, path: string): Promise<SeenStatus | undefined> {
  const directory = parentOf(path);
  const { fs } = invocation.context;
  if (!SHELL_DIRECTORIES.includes(directory) || !(await fs.exists(path))) return undefined;
  const { mode, size, mtime } = await fs.lstat(path);
  const time = mtime.getTime();
  const type = directory === "/dev" ? "device" : "file";
  const times = { accessedAt: time, modifiedAt: time, changedAt: time };
  return { inode: 0, type, mode, uid: 0, gid: 0, links: 1, size, ...times };
}

export async function lookUp(
  invocation: Invocation,
  operand: string,
  options: { followSymlink: boolean },
): Promise<SeenStatus> {
  const path = invocation.path(operand);
  try {
    return invocation.files.status(path, invocation.credentials, options);
  } catch (error) {
    const isMissing = error instanceof FileError && error.code === "ENOENT";
    const status = isMissing ? await shellFileStatus(invocation, joinPath("/", path)) : undefined;
    if (status === undefined) throw error;
    return status;
  }
}

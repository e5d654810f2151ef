import { FileError } from "../../file-system/file-error.ts";
import type { FileStatus, FileType } from "../../file-system/file-system.ts";
import { normalize } from "./canonical-path.ts";
import { directoryName } from "./destinations.ts";
import type { Invocation } from "./invocation.ts";

/** What is at a path, devices included. */
export type SeenStatus = Omit<FileStatus, "type"> & { type: FileType | "device" };

const BLOCK_BYTES = 4096;

/** Where the shell has files that are none of the machine's: devices and its own programs. */
const SHELLS_DIRECTORIES = ["/dev", "/bin", "/usr/bin"];

/** The room that a file takes, in bytes: whole blocks, and none for a symlink, which fits beside its own status. */
export function occupiedBytes({ type, size }: Pick<SeenStatus, "type" | "size">): number {
  return type === "symlink" || type === "device" ? 0 : Math.ceil(size / BLOCK_BYTES) * BLOCK_BYTES;
}

async function shellsStatus(invocation: Invocation, path: string): Promise<SeenStatus | undefined> {
  const normal = normalize(path);
  const directory = directoryName(normal);
  const { fs } = invocation.context;
  if (!SHELLS_DIRECTORIES.includes(directory) || !(await fs.exists(normal))) return undefined;
  const { mode, size, mtime } = await fs.lstat(normal);
  const time = mtime.getTime();
  const type = directory === "/dev" ? "device" : "file";
  const times = { accessedAt: time, modifiedAt: time, changedAt: time };
  return { inode: 0, type, mode, uid: 0, gid: 0, links: 1, size, ...times };
}

/** What an operand names. @throws FileError */
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
    const status = isMissing ? await shellsStatus(invocation, path) : undefined;
    if (status === undefined) throw error;
    return status;
  }
}

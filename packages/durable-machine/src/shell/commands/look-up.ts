import { FileError } from "../../file-system/file-error.ts";
import type { FileStatus, FileType } from "../../file-system/file-system.ts";
import { normalize } from "./canonical-path.ts";
import type { Invocation } from "./invocation.ts";

/** What is at a path, devices included. */
export type SeenStatus = Omit<FileStatus, "type"> & { type: FileType | "device" };

const BLOCK_BYTES = 4096;

/** Where the shell has files that are none of the machine's: devices and its own programs. */
const SHELLS_DIRECTORIES = ["/dev", "/bin", "/usr/bin"];

/** The numbers of devices on Linux. */
const DEVICE_NUMBERS: Record<string, readonly [major: number, minor: number]> = {
  null: [1, 3],
  zero: [1, 5],
  full: [1, 7],
  random: [1, 8],
  urandom: [1, 9],
};

/** A device's numbers, by its path. */
export function deviceNumbers(path: string): readonly [major: number, minor: number] {
  return DEVICE_NUMBERS[path.slice(path.lastIndexOf("/") + 1)] ?? [136, 0];
}

/** The room that a file takes, in bytes: whole blocks, and none for a symlink, which fits beside its own status. */
export function occupiedBytes({ type, size }: Pick<SeenStatus, "type" | "size">): number {
  return type === "symlink" || type === "device" ? 0 : Math.ceil(size / BLOCK_BYTES) * BLOCK_BYTES;
}

async function shellsStatus(invocation: Invocation, path: string): Promise<SeenStatus | undefined> {
  const normal = normalize(path);
  const slash = normal.lastIndexOf("/");
  if (!SHELLS_DIRECTORIES.includes(normal.slice(0, slash))) return undefined;
  const { fs } = invocation.context;
  if (!(await fs.exists(normal))) return undefined;
  const { mode, size, mtime } = await fs.lstat(normal);
  const time = mtime.getTime();
  return {
    inode: 0,
    type: normal.startsWith("/dev/") ? "device" : "file",
    mode,
    uid: 0,
    gid: 0,
    links: 1,
    size,
    accessedAt: time,
    modifiedAt: time,
    changedAt: time,
  };
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

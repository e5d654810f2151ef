import { FileError } from "../../file-system/file-error.ts";
import type { FileStatus, FileType } from "../../file-system/file-system.ts";
import type { Users } from "../../users.ts";
import { joinPath, parentOf } from "../paths.ts";
import { errorText } from "./error-text.ts";
import { FULL_TIME, formatTime } from "./format-time.ts";
import type { Invocation, MachineCommand } from "./invocation.ts";
import { formatMode } from "./modes.ts";
import { UsageError } from "./options.ts";
import { quoteName } from "./quoting.ts";

export type SeenStatus = Omit<FileStatus, "type"> & { type: FileType | "device" };

const DISK_BLOCK_BYTES = 4096;

/** Directories that hold files of the shell: devices and programs. */
const SHELL_DIRECTORIES = ["/dev", "/bin", "/usr/bin"];

/** In bytes. The inode of a symlink holds its target. */
export function occupiedBytes({ type, size }: Pick<SeenStatus, "type" | "size">): number {
  return type === "symlink" || type === "device" ? 0 : Math.ceil(size / DISK_BLOCK_BYTES) * DISK_BLOCK_BYTES;
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

const BLOCK_BYTES = 512;
const MAX_FIELD_WIDTH = 4096;

const TYPE_BITS = { file: 0o100000, directory: 0o040000, symlink: 0o120000, device: 0o020000 };

const ESCAPES: Record<string, string> = { "\\": "\\", '"': '"', "0": "\0", n: "\n", r: "\r", t: "\t" };

const DEFAULT_FORMAT = `  Size: %-10s\tBlocks: %-10b IO Block: %-6o %F
Device: 0,%d\tInode: %-11i Links: %h
Access: (%04a/%A)  Uid: (%5u/%8U)   Gid: (%5g/%8G)
Access: %x
Modify: %y
Change: %z
 Birth: -
`;

export function describeType({ type, size }: Pick<SeenStatus, "type" | "size">): string {
  if (type === "directory") return "directory";
  if (type === "symlink") return "symbolic link";
  if (type === "device") return "character special file";
  return size === 0 ? "regular empty file" : "regular file";
}

/** The values of a format's letters. @param names the operand and, of a symlink, its target. */
function fieldsOf(names: readonly string[], status: SeenStatus, users: Users): Record<string, string> {
  const { type, mode, uid, gid, accessedAt, modifiedAt, changedAt } = status;
  const [operand = ""] = names;
  const seconds = (time: number) => String(Math.floor(time / 1000));
  return {
    "%": "%",
    a: mode.toString(8),
    A: formatMode(status),
    b: String(occupiedBytes(status) / BLOCK_BYTES),
    d: "1",
    f: (TYPE_BITS[type] | mode).toString(16),
    F: describeType(status),
    g: String(gid),
    G: users.groupName(gid),
    h: String(status.links),
    i: String(status.inode),
    n: operand,
    N: names.map(quoteName).join(" -> "),
    o: "4096",
    s: String(status.size),
    u: String(uid),
    U: users.userName(uid),
    x: formatTime(accessedAt, FULL_TIME),
    X: seconds(accessedAt),
    y: formatTime(modifiedAt, FULL_TIME),
    Y: seconds(modifiedAt),
    z: formatTime(changedAt, FULL_TIME),
    Z: seconds(changedAt),
  };
}

function applyFormat(format: string, fields: Record<string, string>): string {
  return format.replace(/%(-?)(0?)(\d*)([a-zA-Z%])/g, (_, minus, zero, digits, letter) => {
    const width = Math.min(Number(digits), MAX_FIELD_WIDTH);
    const text = fields[letter] ?? "?";
    return minus ? text.padEnd(width) : text.padStart(width, zero || " ");
  });
}

export const stat: MachineCommand = {
  name: "stat",
  async run(invocation) {
    const options = invocation.options("L,dereference c,format= ,printf=");
    if (options.operands.length === 0) throw new UsageError("missing operand");
    const last = options.last("c", "printf");
    const given = last === undefined ? undefined : options.value(last);
    const printf = given?.replace(/\\(.)/gs, (whole, letter) => ESCAPES[letter] ?? whole);
    const format = last === "printf" ? printf : given && `${given}\n`;
    const { files, credentials, environment } = invocation;
    for (const operand of options.operands) {
      await invocation.step();
      try {
        const status = await lookUp(invocation, operand, { followSymlink: options.has("L") });
        const names = [operand];
        if (status.type === "symlink") names.push(files.readSymlink(invocation.path(operand), credentials));
        const fields = fieldsOf(names, status, environment.users);
        if (format === undefined) await invocation.print(`  File: ${names.join(" -> ")}\n`);
        await invocation.print(applyFormat(format ?? DEFAULT_FORMAT, fields));
      } catch (error) {
        invocation.complain(`cannot statx ${quoteName(operand)}: ${errorText(error)}`);
      }
    }
  },
};

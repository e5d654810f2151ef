import type { Users } from "../../users.ts";
import { errorText } from "./error-text.ts";
import { formatTime } from "./format-time.ts";
import type { MachineCommand } from "./invocation.ts";
import { lookUp, occupiedBytes, type SeenStatus } from "./look-up.ts";
import { FULL_TIME } from "./ls-format.ts";
import { formatMode } from "./modes.ts";
import { UsageError } from "./options.ts";
import { quoteName } from "./quoting.ts";

const BLOCK_BYTES = 512;
const MAX_FIELD_WIDTH = 4096;

const TYPE_BITS = { file: 0o100000, directory: 0o040000, symlink: 0o120000, device: 0o020000 };

const ESCAPES: Record<string, string> = { "\\": "\\", '"': '"', "0": "\0", n: "\n", r: "\r", t: "\t" };

/** The lines below that of the name where no format is given. */
const DEFAULT_FORMAT = `  Size: %-10s\tBlocks: %-10b IO Block: %-6o %F
Device: 0,%d\tInode: %-11i Links: %h
Access: (%04a/%A)  Uid: (%5u/%8U)   Gid: (%5g/%8G)
Access: %x
Modify: %y
Change: %z
 Birth: %w
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
    B: String(BLOCK_BYTES),
    d: "1",
    f: (TYPE_BITS[type] | mode).toString(16),
    F: describeType(status),
    g: String(gid),
    G: users.groupName(gid),
    h: String(status.links),
    i: String(status.inode),
    m: "/",
    n: operand,
    N: names.map(quoteName).join(" -> "),
    o: "4096",
    s: String(status.size),
    t: "0",
    T: "0",
    u: String(uid),
    U: users.userName(uid),
    // The file system does not keep when a file was made.
    w: "-",
    W: "0",
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

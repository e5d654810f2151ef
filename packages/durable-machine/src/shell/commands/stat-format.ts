import type { Users } from "../../users.ts";
import { formatTime } from "./format-time.ts";
import { deviceNumbers, occupiedBytes, type SeenStatus } from "./look-up.ts";
import { formatMode, formatOctal } from "./modes.ts";
import { quoteName } from "./quoting.ts";

/** A file as `stat` describes it. */
export interface StatSubject {
  users: Users;
  operand: string;
  status: SeenStatus;
  /** Of a symlink: where it leads. */
  target: string | undefined;
}

const BLOCK_BYTES = 512;
const INPUT_BLOCK = 4096;
const DEVICE = 1;

const TYPE_BITS: Record<SeenStatus["type"], number> = {
  file: 0o100000,
  directory: 0o040000,
  symlink: 0o120000,
  device: 0o020000,
};

const FULL_TIME = "%Y-%m-%d %H:%M:%S.%N %z";

/** A file's type in words. */
export function describeType({ type, size }: Pick<SeenStatus, "type" | "size">): string {
  if (type === "directory") return "directory";
  if (type === "symlink") return "symbolic link";
  if (type === "device") return "character special file";
  return size === 0 ? "regular empty file" : "regular file";
}

function timeField(letter: string, status: SeenStatus): string | undefined {
  const times: Record<string, number> = {
    x: status.accessedAt,
    y: status.modifiedAt,
    z: status.changedAt,
  };
  const time = times[letter.toLowerCase()];
  if (time === undefined) return undefined;
  const isSeconds = letter !== letter.toLowerCase();
  return isSeconds ? (time / 1000).toFixed(9) : formatTime(time, FULL_TIME);
}

/** What a letter behind a `%` stands for; undefined: it stands for nothing. */
function field(letter: string, { users, operand, status, target }: StatSubject): string | undefined {
  const [major, minor] = status.type === "device" ? deviceNumbers(operand) : [0, 0];
  const fields: Record<string, () => string> = {
    a: () => status.mode.toString(8),
    A: () => formatMode(status),
    b: () => String(occupiedBytes(status) / BLOCK_BYTES),
    B: () => String(BLOCK_BYTES),
    C: () => "?",
    d: () => String(DEVICE),
    D: () => DEVICE.toString(16),
    f: () => (TYPE_BITS[status.type] | status.mode).toString(16),
    F: () => describeType(status),
    g: () => String(status.gid),
    G: () => users.groupName(status.gid),
    h: () => String(status.links),
    i: () => String(status.inode),
    m: () => "/",
    n: () => operand,
    N: () => (target === undefined ? quoteName(operand) : `${quoteName(operand)} -> ${quoteName(target)}`),
    o: () => String(INPUT_BLOCK),
    s: () => String(status.size),
    t: () => major.toString(16),
    T: () => minor.toString(16),
    u: () => String(status.uid),
    U: () => users.userName(status.uid),
    // When a file was made is not kept.
    w: () => "-",
    W: () => "0",
  };
  return fields[letter]?.() ?? timeField(letter, status);
}

interface Directive {
  flags: string;
  width: string;
  precision: string | undefined;
  letter: string;
}

function applyDirective({ flags, width, precision, letter }: Directive, subject: StatSubject): string {
  let text = field(letter, subject) ?? "?";
  if ("XYZ".includes(letter)) {
    // Seconds have as many places as are asked for.
    const [whole = "", fraction = ""] = text.split(".");
    const places = precision === undefined ? 0 : precision === "" ? 9 : Number(precision);
    text = places === 0 ? whole : `${whole}.${fraction.slice(0, places).padEnd(places, "0")}`;
  } else if (precision !== undefined && precision !== "") {
    text = text.slice(0, Number(precision));
  }
  if (flags.includes("#") && letter === "a") text = `0${text}`;
  const size = width === "" ? 0 : Number(width);
  if (flags.includes("-")) return text.padEnd(size);
  return text.padStart(size, flags.includes("0") ? "0" : " ");
}

const LONGEST_WIDTH = 4096;

/** Puts what a file is into a format: `%s %n`. */
export function formatStat(format: string, subject: StatSubject): string {
  return format.replace(
    /%(?:%|([-#0+ ']*)(\d*)(?:\.(\d*))?([HL]?[a-zA-Z]))|%$/g,
    (whole, flags: string | undefined, width = "", precision: string | undefined, letter = "") => {
      if (flags === undefined) return "%";
      if (Number(width) > LONGEST_WIDTH || Number(precision ?? 0) > LONGEST_WIDTH) return whole;
      return applyDirective({ flags, width, precision, letter: letter.slice(-1) }, subject);
    },
  );
}

const SIMPLE_ESCAPES: Record<string, string> = {
  a: "\x07",
  b: "\b",
  e: "\x1b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "\\": "\\",
  '"': '"',
};

/** Reads the backslash escapes of `--printf`. */
export function readEscapes(format: string): string {
  return format.replace(/\\([0-7]{1,3}|x[0-9a-fA-F]{1,2}|.)/gs, (whole, sequence: string) => {
    if (/^[0-7]/.test(sequence)) return String.fromCharCode(Number.parseInt(sequence, 8));
    if (/^x[0-9a-fA-F]/.test(sequence)) return String.fromCharCode(Number.parseInt(sequence.slice(1), 16));
    return SIMPLE_ESCAPES[sequence] ?? whole;
  });
}

/** What `stat` says without a format. */
export function describeFile(subject: StatSubject): string {
  const { users, operand, status, target } = subject;
  const name = target === undefined ? operand : `${operand} -> ${target}`;
  const deviceType = status.type === "device" ? `     Device type: ${deviceNumbers(operand).join(",")}` : "";
  const blocks = String(occupiedBytes(status) / BLOCK_BYTES).padEnd(10);
  const user = `Uid: (${String(status.uid).padStart(5)}/${users.userName(status.uid).padStart(8)})`;
  const group = `Gid: (${String(status.gid).padStart(5)}/${users.groupName(status.gid).padStart(8)})`;

  return [
    `  File: ${name}`,
    `  Size: ${String(status.size).padEnd(10)}\tBlocks: ${blocks} IO Block: ${String(INPUT_BLOCK).padEnd(6)} ${describeType(status)}`,
    `Device: 0,${DEVICE}\tInode: ${String(status.inode).padEnd(11)} Links: ${status.links}${deviceType}`,
    `Access: (${formatOctal(status.mode)}/${formatMode(status)})  ${user}   ${group}`,
    `Access: ${formatTime(status.accessedAt, FULL_TIME)}`,
    `Modify: ${formatTime(status.modifiedAt, FULL_TIME)}`,
    `Change: ${formatTime(status.changedAt, FULL_TIME)}`,
    " Birth: -",
    "",
  ].join("\n");
}

/** What `stat -t` says: all of it in one line. */
export const TERSE_FORMAT = "%n %s %b %f %u %g %D %i %h %t %T %X %Y %Z %W %o\n";

import type { ProcessEntry } from "../../processes/process-table.ts";

/** A column of `ps`: what stands above it, and what it says of a process. */
export interface PsColumn {
  heading: string;
  /** The least width, in characters. */
  width: number;
  right?: boolean;
  format: (process: ProcessEntry, now: number) => string;
}

const DAY_SECONDS = 24 * 60 * 60;
const DAY = DAY_SECONDS * 1000;

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const WEEKDAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];

function two(number: number): string {
  return String(number).padStart(2, "0");
}

/** Days, hours, minutes and seconds, as many of them as there are: `05:23`. */
export function formatElapsed(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const days = Math.floor(whole / DAY_SECONDS);
  const hours = Math.floor((whole % DAY_SECONDS) / 3600);
  const clock = `${two(Math.floor((whole % 3600) / 60))}:${two(whole % 60)}`;
  if (days > 0) return `${days}-${two(hours)}:${clock}`;
  return hours > 0 ? `${two(hours)}:${clock}` : clock;
}

/** The time of a start on the same day, the day of an earlier one. */
function formatStart(startedAt: number, now: number): string {
  const date = new Date(startedAt);
  if (now - startedAt < DAY) return `${two(date.getUTCHours())}:${two(date.getUTCMinutes())}`;
  return `${MONTHS[date.getUTCMonth()]}${two(date.getUTCDate())}`;
}

function formatLongStart(startedAt: number): string {
  const date = new Date(startedAt);
  const day = String(date.getUTCDate()).padStart(2);
  const clock = [date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds()].map(two).join(":");
  return `${WEEKDAYS[date.getUTCDay()]} ${MONTHS[date.getUTCMonth()]} ${day} ${clock} ${date.getUTCFullYear()}`;
}

/** The program's name alone. */
export function programOf({ command }: Pick<ProcessEntry, "command">): string {
  const [program = ""] = command.split(" ", 1);
  return program.slice(program.lastIndexOf("/") + 1).slice(0, 15);
}

function constant(heading: string, width: number, value: string, right = true): PsColumn {
  return { heading, width, right, format: () => value };
}

function number(heading: string, width: number, read: (process: ProcessEntry) => number): PsColumn {
  return { heading, width, right: true, format: (process) => String(read(process)) };
}

function text(heading: string, width: number, read: PsColumn["format"]): PsColumn {
  return { heading, width, format: read };
}

const user = text("USER", 8, (process) => process.user.name);
const command = (heading: string) => text(heading, 27, (process) => process.command);
const program = (heading: string) => text(heading, 15, programOf);

/** Columns by the names that `-o` takes. What the machine does not measure is nought. */
export const PS_COLUMNS: Record<string, PsColumn> = {
  pid: number("PID", 5, ({ pid }) => pid),
  ppid: number("PPID", 5, ({ parentPid }) => parentPid),
  pgid: number("PGID", 5, ({ pid }) => pid),
  uid: number("UID", 5, (process) => process.user.uid),
  gid: number("GID", 5, (process) => process.user.gid),
  user,
  euser: { ...user, heading: "EUSER" },
  ruser: { ...user, heading: "RUSER" },
  uname: user,
  group: text("GROUP", 8, (process) => process.user.name),
  comm: program("COMMAND"),
  ucmd: program("CMD"),
  ucomm: program("COMMAND"),
  cmd: command("CMD"),
  args: command("COMMAND"),
  command: command("COMMAND"),
  etime: {
    heading: "ELAPSED",
    width: 11,
    right: true,
    format: ({ startedAt }, now) => formatElapsed((now - startedAt) / 1000),
  },
  etimes: {
    heading: "ELAPSED",
    width: 7,
    right: true,
    format: ({ startedAt }, now) => String(Math.floor((now - startedAt) / 1000)),
  },
  stime: text("STIME", 5, ({ startedAt }, now) => formatStart(startedAt, now)),
  start_time: text("START", 5, ({ startedAt }, now) => formatStart(startedAt, now)),
  lstart: {
    heading: "STARTED",
    width: 24,
    right: true,
    format: ({ startedAt }) => formatLongStart(startedAt),
  },
  time: constant("TIME", 8, "00:00:00"),
  bsdtime: constant("TIME", 6, "0:00"),
  tty: constant("TT", 8, "?", false),
  tname: constant("TTY", 8, "?", false),
  stat: constant("STAT", 4, "S", false),
  state: constant("S", 1, "S", false),
  s: constant("S", 1, "S", false),
  c: constant("C", 2, "0"),
  ni: constant("NI", 3, "0"),
  pri: constant("PRI", 3, "20"),
  pcpu: constant("%CPU", 4, "0.0"),
  "%cpu": constant("%CPU", 4, "0.0"),
  "%mem": constant("%MEM", 4, "0.0"),
  pmem: constant("%MEM", 4, "0.0"),
  vsz: constant("VSZ", 6, "0"),
  rss: constant("RSS", 5, "0"),
};

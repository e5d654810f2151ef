import type { ProcessEntry } from "../../processes/process-table.ts";
import { formatTime } from "./format-time.ts";

/** A column of `ps`: what stands above it, its least width in characters, and what it says of a process. */
export interface PsColumn {
  heading: string;
  width: number;
  align: "<" | ">";
  text: (process: ProcessEntry, now: number) => string;
}

const DAY_SECONDS = 24 * 60 * 60;

function secondsSince({ startedAt }: ProcessEntry, now: number): number {
  return Math.max(0, Math.floor((now - startedAt) / 1000));
}

/** Days, hours, minutes and seconds, as many of them as there are: `05:23`. */
function formatElapsed(seconds: number): string {
  const days = Math.floor(seconds / DAY_SECONDS);
  const clock = formatTime(seconds * 1000, seconds < 3600 ? "%M:%S" : "%H:%M:%S");
  return days > 0 ? `${days}-${clock}` : clock;
}

/** The time of a start on the same day, the day of an earlier one. */
function formatStart(process: ProcessEntry, now: number): string {
  return formatTime(process.startedAt, secondsSince(process, now) < DAY_SECONDS ? "%H:%M" : "%b%d");
}

/** The program's name alone. */
export function programOf({ command }: Pick<ProcessEntry, "command">): string {
  const [program = ""] = command.split(" ", 1);
  return program.slice(program.lastIndexOf("/") + 1).slice(0, 15);
}

function left(heading: string, width: number, text: PsColumn["text"]): PsColumn {
  return { heading, width, align: "<", text };
}

function right(heading: string, width: number, text: PsColumn["text"]): PsColumn {
  return { heading, width, align: ">", text };
}

/** Columns by the names that `-o` takes. What the machine does not measure is nought. */
export const PS_COLUMNS: Record<string, PsColumn> = {
  pid: right("PID", 5, ({ pid }) => String(pid)),
  ppid: right("PPID", 5, ({ parentPid }) => String(parentPid)),
  pgid: right("PGID", 5, ({ pid }) => String(pid)),
  uid: right("UID", 5, ({ user }) => String(user.uid)),
  user: left("USER", 8, ({ user }) => user.name),
  comm: left("COMMAND", 15, programOf),
  ucmd: left("CMD", 15, programOf),
  cmd: left("CMD", 27, ({ command }) => command),
  args: left("COMMAND", 27, ({ command }) => command),
  command: left("COMMAND", 27, ({ command }) => command),
  etime: right("ELAPSED", 11, (process, now) => formatElapsed(secondsSince(process, now))),
  etimes: right("ELAPSED", 7, (process, now) => String(secondsSince(process, now))),
  stime: left("STIME", 5, formatStart),
  start: left("START", 5, formatStart),
  lstart: right("STARTED", 24, ({ startedAt }) => formatTime(startedAt, "%a %b %e %H:%M:%S %Y")),
  time: right("TIME", 8, () => "00:00:00"),
  bsdtime: right("TIME", 6, () => "0:00"),
  tty: left("TT", 8, () => "?"),
  tname: left("TTY", 8, () => "?"),
  stat: left("STAT", 4, () => "S"),
  state: left("S", 1, () => "S"),
  c: right("C", 2, () => "0"),
  pcpu: right("%CPU", 4, () => "0.0"),
  "%cpu": right("%CPU", 4, () => "0.0"),
  pmem: right("%MEM", 4, () => "0.0"),
  "%mem": right("%MEM", 4, () => "0.0"),
  vsz: right("VSZ", 6, () => "0"),
  rss: right("RSS", 5, () => "0"),
};

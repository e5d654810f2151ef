import type { ProcessEntry } from "../../processes/process-table.ts";
import { formatTime } from "./format-time.ts";

type Text = (process: ProcessEntry, now: number) => string;

/** A column of `ps`: what stands above it, and what it says of a process. */
export interface PsColumn {
  heading: string;
  /** The least width, in characters. */
  width: number;
  align: "<" | ">";
  text: Text;
}

const DAY_SECONDS = 24 * 60 * 60;

function two(number: number): string {
  return String(Math.floor(number)).padStart(2, "0");
}

/** Days, hours, minutes and seconds, as many of them as there are: `05:23`. */
function formatElapsed(seconds: number): string {
  const days = Math.floor(seconds / DAY_SECONDS);
  const hours = Math.floor((seconds % DAY_SECONDS) / 3600);
  const clock = `${two((seconds % 3600) / 60)}:${two(seconds % 60)}`;
  if (days > 0) return `${days}-${two(hours)}:${clock}`;
  return hours > 0 ? `${two(hours)}:${clock}` : clock;
}

function secondsSince({ startedAt }: ProcessEntry, now: number): number {
  return Math.max(0, Math.floor((now - startedAt) / 1000));
}

/** The program's name alone. */
export function programOf({ command }: Pick<ProcessEntry, "command">): string {
  const [program = ""] = command.split(" ", 1);
  return program.slice(program.lastIndexOf("/") + 1).slice(0, 15);
}

function left(heading: string, width: number, text: Text): PsColumn {
  return { heading, width, align: "<", text };
}

function right(heading: string, width: number, text: Text): PsColumn {
  return { heading, width, align: ">", text };
}

/** The time of a start on the same day, the day of an earlier one. */
const startText: Text = (process, now) =>
  formatTime(process.startedAt, secondsSince(process, now) < DAY_SECONDS ? "%H:%M" : "%b%d");
const commandText: Text = ({ command }) => command;
const userText: Text = ({ user }) => user.name;

/** Columns by the names that `-o` takes. What the machine does not measure is nought. */
export const PS_COLUMNS: Record<string, PsColumn> = {
  pid: right("PID", 5, ({ pid }) => String(pid)),
  ppid: right("PPID", 5, ({ parentPid }) => String(parentPid)),
  pgid: right("PGID", 5, ({ pid }) => String(pid)),
  uid: right("UID", 5, ({ user }) => String(user.uid)),
  user: left("USER", 8, userText),
  comm: left("COMMAND", 15, programOf),
  ucmd: left("CMD", 15, programOf),
  cmd: left("CMD", 27, commandText),
  args: left("COMMAND", 27, commandText),
  command: left("COMMAND", 27, commandText),
  etime: right("ELAPSED", 11, (process, now) => formatElapsed(secondsSince(process, now))),
  etimes: right("ELAPSED", 7, (process, now) => String(secondsSince(process, now))),
  stime: left("STIME", 5, startText),
  start: left("START", 5, startText),
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

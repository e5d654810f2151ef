import type { ProcessEntry } from "../../processes/process-table.ts";
import { formatTime } from "./format-time.ts";
import type { MachineCommand } from "./invocation.ts";
import { type ParsedOptions, UsageError } from "./options.ts";
import { formatTable } from "./tables.ts";

const PLAIN_FORM = "pid,tty=TTY,time,comm=CMD";
const FULL_FORM = "user=UID,pid,ppid,c,stime,tty=TTY,time,cmd";
const BSD_FORM = "pid,tty=TTY,stat,bsdtime,command";
const BSD_USER_FORM = "user,pid,%cpu,%mem,vsz,rss,tty=TTY,stat,start,bsdtime,command";

/** `--sort`, `-H`, `-w` and `--forest` have no effect. */
const OPTIONS = "a A d e f F H w C= o,format= p,pid= ,ppid= u,user= U,User= ,no-headers ,sort= ,forest";

const DAY_SECONDS = 24 * 60 * 60;

/** A column, aligned to the left if its least width is negative. */
type Column = [heading: string, width: number, text: (process: ProcessEntry, ageSeconds: number) => string];

/** Columns by the names that `-o` takes. What the machine does not measure is 0. */
const COLUMNS: Readonly<Record<string, Column>> = {
  pid: ["PID", 5, ({ pid }) => String(pid)],
  ppid: ["PPID", 5, ({ parentPid }) => String(parentPid)],
  uid: ["UID", 5, ({ user }) => String(user.uid)],
  user: ["USER", -8, ({ user }) => user.name],
  comm: ["COMMAND", -15, programOf],
  cmd: ["CMD", -27, ({ command }) => command],
  args: ["COMMAND", -27, ({ command }) => command],
  command: ["COMMAND", -27, ({ command }) => command],
  etime: ["ELAPSED", 11, (_, ageSeconds) => formatElapsed(ageSeconds)],
  etimes: ["ELAPSED", 7, (_, ageSeconds) => String(ageSeconds)],
  stime: ["STIME", -5, formatStart],
  start: ["START", -5, formatStart],
  time: ["TIME", 8, () => "00:00:00"],
  bsdtime: ["TIME", 6, () => "0:00"],
  tty: ["TT", -8, () => "?"],
  stat: ["STAT", -4, () => "S"],
  c: ["C", 2, () => "0"],
  "%cpu": ["%CPU", 4, () => "0.0"],
  pcpu: ["%CPU", 4, () => "0.0"],
  "%mem": ["%MEM", 4, () => "0.0"],
  pmem: ["%MEM", 4, () => "0.0"],
  vsz: ["VSZ", 6, () => "0"],
  rss: ["RSS", 5, () => "0"],
};

function formatElapsed(seconds: number): string {
  const days = Math.floor(seconds / DAY_SECONDS);
  const clock = formatTime(seconds * 1000, seconds < 3600 ? "%M:%S" : "%H:%M:%S");
  return days > 0 ? `${days}-${clock}` : clock;
}

function formatStart({ startedAt }: ProcessEntry, ageSeconds: number): string {
  return formatTime(startedAt, ageSeconds < DAY_SECONDS ? "%H:%M" : "%b%d");
}

export function programOf({ command }: ProcessEntry): string {
  const [program = ""] = command.split(" ", 1);
  return program.slice(program.lastIndexOf("/") + 1).slice(0, 15);
}

function readList(options: ParsedOptions, ...keys: string[]): string[] {
  return keys.flatMap((key) => options.values(key)).flatMap((value) => value.split(/[ ,]+/).filter(Boolean));
}

/** Reads a name which a heading may follow: `user=WHO`. */
function readColumn(name: string): Column {
  const [key = "", heading] = name.split("=");
  const column = Object.hasOwn(COLUMNS, key) ? COLUMNS[key] : undefined;
  if (!column) throw new UsageError(`unknown user-defined format specifier "${key}"`, { hint: false });
  const [usualHeading, width, text] = column;
  return [heading ?? usualHeading, width, text];
}

export const ps: MachineCommand = {
  name: "ps",
  usage: "ps [options]",
  async run(invocation) {
    const { processes, users, user: self } = invocation.environment;
    const options = invocation.options(OPTIONS);
    const pids = [...options.operands.filter((word) => /^\d+$/.test(word)), ...readList(options, "p")];
    // Letters without a dash, as in `ps aux`.
    const letters = options.operands.filter((word) => !/^\d+$/.test(word)).join("");
    if (/[^aefhjluwxr]/.test(letters)) {
      throw new UsageError("unsupported option (BSD syntax)", { hint: false });
    }
    const bsdForm = letters === "" ? PLAIN_FORM : letters.includes("u") ? BSD_USER_FORM : BSD_FORM;
    const form = options.has("f", "F") ? FULL_FORM : bsdForm;
    const columns = (options.has("o") ? readList(options, "o") : form.split(",")).map(readColumn);
    const parents = readList(options, "ppid");
    const programs = readList(options, "C");
    const uids = readList(options, "u", "U").map((name) => users.find(name)?.uid);
    if ([pids, parents, programs, uids].every(({ length }) => length === 0)) uids.push(self.uid);
    const isAll = options.has("a", "A", "d", "e") || letters.includes("a");
    const listed = processes.list().filter((process) => {
      const { pid, parentPid, user } = process;
      const isNamed = pids.includes(String(pid)) || parents.includes(String(parentPid));
      return isAll || isNamed || programs.includes(programOf(process)) || uids.includes(user.uid);
    });
    const rows = listed.map((process) => {
      const ageSeconds = Math.max(0, Math.floor((Date.now() - process.startedAt) / 1000));
      return columns.map(([, , text]) => text(process, ageSeconds));
    });
    const headings = columns.map(([heading]) => heading);
    const hasHeadings = !options.has("no-headers") && !letters.includes("h") && headings.some(Boolean);
    const alignment = columns.map(([, width]) => (width < 0 ? "<" : ">")).join("");
    const widths = columns.map(([, width]) => Math.abs(width));
    await invocation.print(formatTable(hasHeadings ? [headings, ...rows] : rows, alignment, widths));
    return listed.length === 0 ? 1 : 0;
  },
};

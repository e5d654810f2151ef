import type { ProcessEntry } from "../../processes/process-table.ts";
import type { Invocation, MachineCommand } from "./invocation.ts";
import { type ParsedOptions, UsageError } from "./options.ts";
import { PS_COLUMNS, type PsColumn, programOf } from "./ps-columns.ts";
import { formatTable } from "./tables.ts";

/** Columns of the usual forms; a heading other than the column's own stands behind `=`. */
const FORMS = {
  plain: "pid,tname,time,ucmd",
  full: "user=UID,pid,ppid,c,stime,tname,time,cmd",
  bsd: "pid,tname,stat,bsdtime,command",
  bsdUser: "user,pid,%cpu,%mem,vsz,rss,tname,stat,start,bsdtime,command",
};

/** `--sort`, `-H`, `-w` and `--forest` change nothing: there is nothing to sort by, and no line is cut. */
const OPTIONS =
  "a A d e f F H w C= o,format= p,pid= ,ppid= q,quick-pid= u,user= U,User= ,no-headers ,sort= ,forest".split(
    " ",
  );

function readColumn(text: string): PsColumn {
  const [name = "", heading] = text.split("=");
  const column = Object.hasOwn(PS_COLUMNS, name.toLowerCase()) ? PS_COLUMNS[name.toLowerCase()] : undefined;
  if (column === undefined) {
    throw new UsageError(`unknown user-defined format specifier "${name}"`, { hint: false });
  }
  return { ...column, heading: heading ?? column.heading };
}

function readList(options: ParsedOptions, ...keys: string[]): string[] {
  return keys.flatMap((key) => options.values(key)).flatMap((value) => value.split(/[ ,]+/).filter(Boolean));
}

function chooseColumns(options: ParsedOptions, letters: string): PsColumn[] {
  const isBsd = letters !== "";
  const form = options.has("f", "F")
    ? FORMS.full
    : letters.includes("u")
      ? FORMS.bsdUser
      : isBsd
        ? FORMS.bsd
        : FORMS.plain;
  const formats = readList(options, "o");
  return (formats.length > 0 ? formats : form.split(",")).map(readColumn);
}

/** Which processes are shown: those of a list, or all, or the user's own. */
function chooseProcesses(
  { environment }: Invocation,
  options: ParsedOptions,
  { isAll, pids }: { isAll: boolean; pids: string[] },
): (process: ProcessEntry) => boolean {
  const wantedPids = [...pids, ...readList(options, "p", "q")].map(Number);
  const parents = readList(options, "ppid").map(Number);
  const users = readList(options, "u", "U").map((name) => environment.users.find(name)?.uid);
  const programs = readList(options, "C");
  if (isAll) return () => true;
  if (wantedPids.length + parents.length + users.length + programs.length === 0) {
    return ({ user }) => user.uid === environment.user.uid;
  }
  return (process) =>
    wantedPids.includes(process.pid) ||
    parents.includes(process.parentPid) ||
    users.includes(process.user.uid) ||
    programs.includes(programOf(process));
}

export const ps: MachineCommand = {
  name: "ps",
  usage: "ps [options]",
  async run(invocation) {
    const options = invocation.options(OPTIONS);
    const pids = options.operands.filter((operand) => /^\d+$/.test(operand));
    // The form without a dash: `ps aux`.
    const letters = options.operands.filter((operand) => !pids.includes(operand)).join("");
    if (/[^aefhjluwxr]/.test(letters))
      throw new UsageError("unsupported option (BSD syntax)", { hint: false });
    const isAll = options.has("a", "A", "d", "e") || letters.includes("a");
    const columns = chooseColumns(options, letters);
    const now = Date.now();
    const processes = invocation.environment.processes
      .list()
      .filter(chooseProcesses(invocation, options, { isAll, pids }));
    const rows = processes.map((process) => columns.map(({ text }) => text(process, now)));
    const headings = columns.map(({ heading }) => heading);
    const hasHeadings = !options.has("no-headers") && !letters.includes("h") && headings.some(Boolean);
    const alignment = columns.map(({ align }) => align).join("");
    const widths = columns.map(({ width }) => width);
    await invocation.print(formatTable(hasHeadings ? [headings, ...rows] : rows, alignment, widths));
    return processes.length === 0 ? 1 : 0;
  },
};

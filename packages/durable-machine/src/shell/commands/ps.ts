import type { ProcessEntry } from "../../processes/process-table.ts";
import type { Invocation, MachineCommand } from "./invocation.ts";
import { type ParsedOptions, UsageError } from "./options.ts";
import { PS_COLUMNS, type PsColumn, programOf } from "./ps-columns.ts";
import { formatTable } from "./tables.ts";

const PLAIN_FORM = "pid,tname,time,ucmd";
const FULL_FORM = "user=UID,pid,ppid,c,stime,tname,time,cmd";
const BSD_FORM = "pid,tname,stat,bsdtime,command";
const BSD_USER_FORM = "user,pid,%cpu,%mem,vsz,rss,tname,stat,start,bsdtime,command";

/** `--sort`, `-H`, `-w` and `--forest` change nothing: there is nothing to sort by, and no line is cut. */
const OPTIONS = "a A d e f F H w C= o,format= p,pid= ,ppid= u,user= U,User= ,no-headers ,sort= ,forest";

function readList(options: ParsedOptions, ...keys: string[]): string[] {
  return keys.flatMap((key) => options.values(key)).flatMap((value) => value.split(/[ ,]+/).filter(Boolean));
}

/** A column by its name, behind which a heading of its own may stand: `user=WHO`. */
function readColumn(text: string): PsColumn {
  const [name = "", heading] = text.split("=");
  const column = Object.hasOwn(PS_COLUMNS, name) ? PS_COLUMNS[name] : undefined;
  if (column) return { ...column, heading: heading ?? column.heading };
  throw new UsageError(`unknown user-defined format specifier "${name}"`, { hint: false });
}

/** @param letters of the form without a dash: `ps aux`. */
function chooseColumns(options: ParsedOptions, letters: string): PsColumn[] {
  const bsdForm = letters === "" ? PLAIN_FORM : letters.includes("u") ? BSD_USER_FORM : BSD_FORM;
  const form = options.has("f", "F") ? FULL_FORM : bsdForm;
  return (options.has("o") ? readList(options, "o") : form.split(",")).map(readColumn);
}

/** Which processes are listed by their numbers, parents, users or programs; without a list, the user's own are. */
function chooseProcesses({ environment }: Invocation, options: ParsedOptions, pids: readonly string[]) {
  const { users, user } = environment;
  const uids = readList(options, "u", "U").map((name) => users.find(name)?.uid);
  const criteria: ((process: ProcessEntry) => boolean)[] = [
    ...[...pids, ...readList(options, "p")].map(
      (pid) => (process: ProcessEntry) => process.pid === Number(pid),
    ),
    ...readList(options, "ppid").map((pid) => (process: ProcessEntry) => process.parentPid === Number(pid)),
    ...readList(options, "C").map((name) => (process: ProcessEntry) => programOf(process) === name),
    ...uids.map((uid) => (process: ProcessEntry) => process.user.uid === uid),
  ];
  if (criteria.length === 0) criteria.push((process) => process.user.uid === user.uid);
  return (process: ProcessEntry) => criteria.some((applies) => applies(process));
}

export const ps: MachineCommand = {
  name: "ps",
  usage: "ps [options]",
  async run(invocation) {
    const options = invocation.options(OPTIONS.split(" "));
    const pids = options.operands.filter((operand) => /^\d+$/.test(operand));
    const letters = options.operands.filter((operand) => !pids.includes(operand)).join("");
    if (/[^aefhjluwxr]/.test(letters))
      throw new UsageError("unsupported option (BSD syntax)", { hint: false });
    const columns = chooseColumns(options, letters);
    const isAll = options.has("a", "A", "d", "e") || letters.includes("a");
    const all = invocation.environment.processes.list();
    const processes = isAll ? all : all.filter(chooseProcesses(invocation, options, pids));
    const now = Date.now();
    const rows = processes.map((process) => columns.map(({ text }) => text(process, now)));
    const headings = columns.map(({ heading }) => heading);
    if (!options.has("no-headers") && !letters.includes("h") && headings.some(Boolean))
      rows.unshift(headings);
    const alignment = columns.map(({ align }) => align).join("");
    const widths = columns.map(({ width }) => width);
    await invocation.print(formatTable(rows, alignment, widths));
    return processes.length === 0 ? 1 : 0;
  },
};

import type { ProcessEntry } from "../../processes/process-table.ts";
import type { Invocation, MachineCommand } from "./invocation.ts";
import { type ParsedOptions, UsageError } from "./options.ts";
import { PS_COLUMNS, type PsColumn, programOf } from "./ps-columns.ts";
import { formatTable } from "./tables.ts";

/** Columns of the usual forms; a heading other than the column's own stands behind `=`. */
const FORMS = {
  plain: ["pid", "tname", "time", "ucmd"],
  full: ["user=UID", "pid", "ppid", "c", "stime", "tname", "time", "cmd"],
  bsd: ["pid", "tname", "stat", "bsdtime", "command"],
  bsdUser: ["user", "pid", "%cpu", "%mem", "vsz", "rss", "tname", "stat", "start_time", "bsdtime", "command"],
} as const;

interface PsRequest {
  columns: PsColumn[];
  heading: boolean;
  selects: (process: ProcessEntry) => boolean;
}

function readColumn(text: string): PsColumn {
  const [name = "", heading] = text.split(/=(.*)/s);
  const column = PS_COLUMNS[name.toLowerCase()];
  if (column === undefined) {
    throw new UsageError(`unknown user-defined format specifier "${name}"`, { hint: false });
  }
  return heading === undefined ? column : { ...column, heading };
}

/** `pid,user=WHO`: a heading goes to the end of its word. */
function readFormat(text: string): PsColumn[] {
  const words = text.includes("=") ? text.split(/,(?=[^=]*$|[^=,]*=)/) : text.split(/[ ,]+/);
  return words.filter((word) => word !== "").map(readColumn);
}

function readList(options: ParsedOptions, key: string): string[] {
  return options.values(key).flatMap((value) => value.split(/[ ,]+/));
}

/** The letters of the form without a dash: `ps aux`. */
function readBsdLetters(operands: readonly string[]): { letters: string; pids: string[] } {
  const letters = operands.filter((operand) => !/^\d+$/.test(operand)).join("");
  if (/[^aefhjluwxr]/.test(letters)) throw new UsageError("unsupported option (BSD syntax)", { hint: false });
  return { letters, pids: operands.filter((operand) => /^\d+$/.test(operand)) };
}

function chooseColumns(options: ParsedOptions, letters: string): PsColumn[] {
  const formats = options.values("o");
  if (formats.length > 0) return formats.flatMap(readFormat);
  if (options.has("f", "F")) return FORMS.full.map(readColumn);
  if (letters.includes("u")) return FORMS.bsdUser.map(readColumn);
  return (letters === "" ? FORMS.plain : FORMS.bsd).map(readColumn);
}

function readRequest(invocation: Invocation, options: ParsedOptions): PsRequest {
  const { letters, pids } = readBsdLetters(options.operands);
  const wantedPids = [...pids, ...readList(options, "p"), ...readList(options, "q")].map(Number);
  const parents = readList(options, "ppid").map(Number);
  const users = [...readList(options, "u"), ...readList(options, "U")].map(
    (name) => invocation.environment.users.find(name)?.uid,
  );
  const programs = readList(options, "C");
  const isListed = (process: ProcessEntry) =>
    wantedPids.includes(process.pid) ||
    parents.includes(process.parentPid) ||
    users.includes(process.user.uid) ||
    programs.includes(programOf(process));
  const hasList = wantedPids.length + parents.length + users.length + programs.length > 0;
  const isAll = options.has("e", "A", "a", "d") || letters.includes("a");
  const own = invocation.environment.user.uid;
  const columns = chooseColumns(options, letters);
  return {
    columns,
    heading:
      !options.has("no-headers") && !letters.includes("h") && columns.some(({ heading }) => heading !== ""),
    selects: (process) => isAll || (hasList ? isListed(process) : process.user.uid === own),
  };
}

export const ps: MachineCommand = {
  name: "ps",
  usage: "ps [options]",
  async run(invocation) {
    const options = invocation.options([
      "a",
      "A",
      "C=",
      "d",
      "e",
      "f",
      "F",
      "H",
      "j",
      "l",
      "N",
      "o,format=",
      "O=",
      "p,pid=",
      ",ppid=",
      "q,quick-pid=",
      "u,user=",
      "U,User=",
      "w",
      ",no-headers",
      ",no-heading",
      ",sort=",
      ",forest",
    ]);
    const { columns, heading, selects } = readRequest(invocation, options);
    const now = Date.now();
    const processes = invocation.environment.processes.list().filter(selects);
    const rows = processes.map((process) => columns.map((column) => column.format(process, now)));
    const table = heading ? [columns.map((column) => column.heading), ...rows] : rows;
    const alignment = columns.map(({ right }) => (right ? ">" : "<")).join("");
    await invocation.print(
      formatTable(
        table,
        alignment,
        columns.map(({ width }) => width),
      ),
    );
    return processes.length === 0 ? 1 : 0;
  },
};

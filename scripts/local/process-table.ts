import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

/** Process ids are reused, but unique together with the start time. */
export interface ProcessIdentity {
  pid: number;
  started: string;
}

export interface ProcessEntry extends ProcessIdentity {
  parent: number;
  command: string;
}

// One -o per column, because macOS takes everything after an equals sign as the heading.
const PS_ARGUMENTS = [
  "-A",
  "-ww",
  ...["pid=", "ppid=", "stat=", "lstart=", "command="].flatMap((name) => ["-o", name]),
];

/** PF_EXITING of the Linux kernel's include/linux/sched.h. */
const EXITING = 0x4;

/** Lists the processes of this machine, except zombies and those that are exiting. */
export function readProcessTable(): ProcessEntry[] {
  return process.platform === "linux" ? readProc() : readPs();
}

/** Slim container images have no `ps`. */
function readProc(): ProcessEntry[] {
  const entries: ProcessEntry[] = [];
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      // Arguments first: an exiting process loses them before its state shows that it is exiting.
      const commandLine = readFileSync(`/proc/${name}/cmdline`, "utf8");
      const entry = parseProcEntry(readFileSync(`/proc/${name}/stat`, "utf8"), commandLine);
      if (entry !== undefined) entries.push(entry);
    } catch {
      // It has ended in the meantime.
    }
  }
  return entries;
}

function readPs(): ProcessEntry[] {
  const output = execFileSync("ps", PS_ARGUMENTS, {
    encoding: "utf8",
    env: { ...process.env, LC_ALL: "C" },
    maxBuffer: 64 * 1024 * 1024,
  });
  return parsePs(output);
}

/** Parses /proc/<pid>/stat and /proc/<pid>/cmdline. */
export function parseProcEntry(stat: string, commandLine: string): ProcessEntry | undefined {
  // The second field, the name in parentheses, may contain parentheses and spaces.
  const [pid] = stat.split(" ", 1);
  const [state, parent, ...rest] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  // Fields 9 and 22 of proc(5): kernel flags, and the start time in clock ticks since boot.
  const flags = Number(rest[4]);
  const started = rest[17];
  if (pid === undefined || parent === undefined || started === undefined) return undefined;
  if (isDead(state) || (flags & EXITING) !== 0) return undefined;
  const command = commandLine.replaceAll("\0", " ").trim();
  return { pid: Number(pid), parent: Number(parent), started, command };
}

/** Parses the output of `ps` with PS_ARGUMENTS. */
export function parsePs(output: string): ProcessEntry[] {
  const entries: ProcessEntry[] = [];
  for (const line of output.split("\n")) {
    const [, pid, parent, state, started, command] =
      /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(\w+\s+\w+\s+\d+\s+[\d:]+\s+\d+)\s*(.*)$/.exec(line) ?? [];
    if (started === undefined || isDead(state)) continue;
    entries.push({ pid: Number(pid), parent: Number(parent), started, command: command ?? "" });
  }
  return entries;
}

function isDead(state: string | undefined): boolean {
  return state === undefined || state.startsWith("Z") || state.startsWith("X");
}

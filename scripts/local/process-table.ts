import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

/** A process id is used again after its process has ended; with the time of its start it is unique. */
export interface ProcessIdentity {
  pid: number;
  started: string;
}

export interface ProcessEntry extends ProcessIdentity {
  parent: number;
  command: string;
}

// One -o for each column: after an equals sign, macOS takes all the rest for a heading.
const PS_ARGUMENTS = [
  "-A",
  "-ww",
  ...["pid=", "ppid=", "stat=", "lstart=", "command="].flatMap((name) => ["-o", name]),
];

/** PF_EXITING of the Linux kernel's include/linux/sched.h: the process has begun to end, and nothing keeps it. */
const EXITING = 0x4;

/** Every living process of this machine; one that is ending, or only waits for its parent, is left out. */
export function readProcessTable(): ProcessEntry[] {
  return process.platform === "linux" ? readProc() : readPs();
}

/** Linux is asked through /proc, because slim container images come without `ps`. */
function readProc(): ProcessEntry[] {
  const entries: ProcessEntry[] = [];
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      // In this order: the arguments go before the process does, so what has lost them is seen to be ending.
      const commandLine = readFileSync(`/proc/${name}/cmdline`, "utf8");
      const entry = parseProcEntry(readFileSync(`/proc/${name}/stat`, "utf8"), commandLine);
      if (entry !== undefined) entries.push(entry);
    } catch {
      // It ended between the listing and the reading.
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

/** One process from the text of its /proc/<pid>/stat and /proc/<pid>/cmdline. */
export function parseProcEntry(stat: string, commandLine: string): ProcessEntry | undefined {
  // The second field is the program's name in parentheses and may itself hold parentheses and spaces.
  const [pid] = stat.split(" ", 1);
  const [state, parent, ...rest] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  // Fields 9 and 22 of proc(5): flags of the kernel, and the start time in clock ticks since boot.
  const flags = Number(rest[4]);
  const started = rest[17];
  if (pid === undefined || parent === undefined || started === undefined) return undefined;
  if (isDead(state) || (flags & EXITING) !== 0) return undefined;
  const command = commandLine.replaceAll("\0", " ").trim();
  return { pid: Number(pid), parent: Number(parent), started, command };
}

/** The processes in the output of `ps` with those columns. */
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

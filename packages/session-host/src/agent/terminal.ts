import { execFile } from "node:child_process";
import { readFileSync, readlinkSync } from "node:fs";
import { promisify } from "node:util";

const run = promisify(execFile);

interface Size {
  rows: number;
  columns: number;
}

/** Terminals by `script` of util-linux, which Debian always has. */
export const Terminal = {
  /** A command that runs `argv` in a new terminal, passes input and output on, and exits with its code. */
  command(argv: readonly string[], { rows, columns }: Size): [string, ...string[]] {
    const command = argv.map(quote).join(" ");
    const script = `stty rows ${rows} cols ${columns}; exec ${command}`;
    return ["script", "--quiet", "--flush", "--return", "--command", script, "/dev/null"];
  },

  /** @param pid of `script`. */
  async resize(pid: number, { rows, columns }: Size): Promise<void> {
    const child = childOf(pid);
    if (child === undefined) return;
    const path = readlinkSync(`/proc/${child}/fd/0`);
    // The kernel tells the programs in the terminal.
    if (path.startsWith("/dev/pts/"))
      await run("stty", ["-F", path, "rows", String(rows), "cols", String(columns)]);
  },

  /** The process group that has the terminal. @param pid of `script`. */
  foregroundOf(pid: number): number | undefined {
    const child = childOf(pid);
    if (child === undefined) return undefined;
    // After the name, which may contain anything: state, parent, group, session, terminal, foreground group.
    const fields = readFileSync(`/proc/${child}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
    return Number(fields[5]);
  },
};

function childOf(pid: number): number | undefined {
  try {
    const [child] = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ");
    return child ? Number(child) : undefined;
  } catch {
    return undefined;
  }
}

function quote(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
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
    const terminal = statusOf(pid)?.terminal;
    if (terminal === undefined) return;
    // Their numbers on Linux: 8 bits of the minor number, 12 of the major number, and the rest of the minor.
    const minor = (terminal & 0xff) | ((terminal >>> 12) & 0xfff00);
    // The kernel tells the programs in the terminal.
    await run("stty", ["-F", `/dev/pts/${minor}`, "rows", String(rows), "cols", String(columns)]);
  },

  /** The process group that has the terminal. @param pid of `script`. */
  foregroundOf(pid: number): number | undefined {
    return statusOf(pid)?.foreground;
  },
};

/** The terminal and its foreground group, by the program that `script` runs. */
function statusOf(pid: number): { terminal: number; foreground: number } | undefined {
  try {
    const [child] = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ");
    // After the name, which may contain anything: state, parent, group, session, terminal, foreground group.
    const fields = readFileSync(`/proc/${child}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
    return { terminal: Number(fields[4]), foreground: Number(fields[5]) };
  } catch {
    // It has ended.
    return undefined;
  }
}

function quote(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

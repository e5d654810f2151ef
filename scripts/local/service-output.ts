import type { ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";
import { stripVTControlCharacters } from "node:util";

const MAX_LAST_LINES = 40;

/** Messages of the runtime about aborted code, and its native stack traces. */
const RUNTIME_NOISE =
  /: script terminated for unknown reasons$|: worker_do_not_log;|^\s*stack: \S*\/workerd@/;

/** Removes the colors and prefixes that miniflare adds. Returns undefined for lines to hide. */
export function readableLine(line: string): string | undefined {
  const plain = stripVTControlCharacters(line).trimEnd();
  if (plain === "" || RUNTIME_NOISE.test(plain)) return undefined;
  return plain.replace(/^(?:✘ \[ERROR\]|▲ \[WARNING\]) /, "");
}

function isEvent(line: string): boolean {
  return line.startsWith('{"event":');
}

/** One line of JSON for each line, so that programs can read the log. */
export function toLogLine(line: string): string {
  return isEvent(line) ? line : JSON.stringify({ event: "runtime_message", message: line });
}

/** Calls `take` with each line that a process prints. */
export function followLines({ stdout, stderr }: ChildProcess, take: (line: string) => void): void {
  for (const input of [stdout, stderr]) if (input !== null) createInterface({ input }).on("line", take);
}

/** Prints the output of the runtime. During start-up, prints only the Worker's structured log. */
export class ServiceOutput {
  #shown: "events" | "everything" | "nothing" = "events";
  #lastLines: string[] = [];

  follow(child: ChildProcess): void {
    followLines(child, (line) => this.#take(line));
  }

  show(): void {
    this.#shown = "everything";
  }

  /** During shutdown, the Worker logs an error for each lost connection. */
  hide(): void {
    this.#shown = "nothing";
  }

  lastLines(): string {
    return this.#lastLines.join("\n");
  }

  #take(line: string): void {
    const readable = readableLine(line);
    if (readable === undefined) return;
    if (this.#shown === "everything" || (this.#shown === "events" && isEvent(readable)))
      console.log(toLogLine(readable));
    this.#lastLines = [...this.#lastLines, readable].slice(-MAX_LAST_LINES);
  }
}

import type { ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";
import { stripVTControlCharacters } from "node:util";

const KEPT_LINES = 40;

/** What the local runtime says of code that it is told to end, and the addresses in itself beside all that it says. */
const RUNTIME_CHATTER =
  /: script terminated for unknown reasons$|: worker_do_not_log;|^\s*stack: \S*\/workerd@/;

/**
 * A line of the local runtime as it should be shown: the Worker's console lines bare, without the frame and colours
 * that wrangler adds under `npm run dev`. Undefined: not to be shown. wrangler's own log of requests is not, because
 * URLs carry tokens; the Worker writes one without.
 */
export function readableLine(line: string): string | undefined {
  const plain = stripVTControlCharacters(line).trimEnd();
  if (plain === "" || plain.startsWith("[wrangler:info]") || RUNTIME_CHATTER.test(plain)) return undefined;
  return plain.replace(/^(?:✘ \[ERROR\]|▲ \[WARNING\]) /, "");
}

/** Whether a line is one of the Worker's structured log. */
function isEvent(line: string): boolean {
  return line.startsWith('{"event":');
}

/**
 * Passes on what the runtime and the Worker write, once the service is up. Before that it is the runtime's chatter,
 * apart from the Worker's own lines: an alarm that was overdue comes before anything else.
 */
export class ServiceOutput {
  #shown: "events" | "everything" | "nothing" = "events";
  #lastLines: string[] = [];

  follow({ stdout, stderr }: ChildProcess): void {
    for (const input of [stdout, stderr]) {
      if (input !== null) createInterface({ input }).on("line", (line) => this.#take(line));
    }
  }

  show(): void {
    this.#shown = "everything";
  }

  /** A Worker that is being stopped complains of all that it loses. */
  hide(): void {
    this.#shown = "nothing";
  }

  /** The end of it, to explain a failure. */
  lastLines(): string {
    return this.#lastLines.join("\n");
  }

  #take(line: string): void {
    const readable = readableLine(line);
    if (readable === undefined) return;
    if (this.#shown === "everything" || (this.#shown === "events" && isEvent(readable)))
      console.log(readable);
    this.#lastLines = [...this.#lastLines, readable].slice(-KEPT_LINES);
  }
}

import type { ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";
import { stripVTControlCharacters } from "node:util";

const KEPT_LINES = 40;

/**
 * A line of `wrangler dev` as it should be shown: the Worker's console lines bare, without wrangler's frame and
 * colours. Undefined: not to be shown. wrangler's own log of requests is not, because URLs carry tokens; the
 * Worker writes one without.
 */
export function readableLine(line: string): string | undefined {
  const plain = stripVTControlCharacters(line).trimEnd();
  if (plain === "" || plain.startsWith("[wrangler:info]")) return undefined;
  return plain.replace(/^(?:✘ \[ERROR\]|▲ \[WARNING\]) /, "");
}

/** Passes on what wrangler and the Worker write, once the service is up; before that it is wrangler's chatter. */
export class WranglerOutput {
  #shown = false;
  #lastLines: string[] = [];

  follow({ stdout, stderr }: ChildProcess): void {
    for (const input of [stdout, stderr]) {
      if (input !== null) createInterface({ input }).on("line", (line) => this.#take(line));
    }
  }

  show(): void {
    this.#shown = true;
  }

  /** A Worker that is being stopped complains of all that it loses. */
  hide(): void {
    this.#shown = false;
  }

  /** The end of it, to explain a failure. */
  lastLines(): string {
    return this.#lastLines.join("\n");
  }

  #take(line: string): void {
    const readable = readableLine(line);
    if (readable === undefined) return;
    if (this.#shown) console.log(readable);
    this.#lastLines = [...this.#lastLines, readable].slice(-KEPT_LINES);
  }
}

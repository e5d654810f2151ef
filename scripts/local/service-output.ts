import type { ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";
import { stripVTControlCharacters } from "node:util";
import { z } from "zod";

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

const eventSchema = z.object({ event: z.string(), stack: z.string().optional() }).catchall(z.unknown());

const requestSchema = z.object({
  method: z.string(),
  route: z.string(),
  status: z.number(),
  duration_ms: z.number(),
});

/** One line for people, such as `12:03:44  GET /browsers 200, 12 ms  organization_id=a`. */
export function toReadableLine(line: string, now = new Date()): string {
  const time = now.toTimeString().slice(0, 8);
  const parsed = isEvent(line) ? eventSchema.safeParse(JSON.parse(line)) : undefined;
  if (parsed === undefined || !parsed.success) return `${time}  ${line}`;
  const { event, stack, ...fields } = parsed.data;
  const request = event === "request" ? requestSchema.safeParse(fields).data : undefined;
  const title =
    request === undefined
      ? event.replaceAll("_", " ")
      : `${request.method} ${request.route} ${request.status}, ${request.duration_ms} ms`;
  const details = Object.entries(fields)
    .filter(([name, value]) => !(request && name in request) && value !== null && value !== undefined)
    .map(([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`);
  return [[time, title, details.join(" ")].filter(Boolean).join("  "), stack].filter(Boolean).join("\n");
}

/** Calls `take` with each line that a process prints. */
export function followLines({ stdout, stderr }: ChildProcess, take: (line: string) => void): void {
  for (const input of [stdout, stderr]) if (input !== null) createInterface({ input }).on("line", take);
}

/** Prints the output of the runtime. During start-up, prints only the Worker's structured log. */
export class ServiceOutput {
  readonly #format: (line: string) => string;
  #shown: "events" | "everything" | "nothing" = "events";
  #lastLines: string[] = [];

  /** @param format {@link toLogLine} or {@link toReadableLine}. */
  constructor(format: (line: string) => string) {
    this.#format = format;
  }

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
      console.log(this.#format(readable));
    this.#lastLines = [...this.#lastLines, readable].slice(-MAX_LAST_LINES);
  }
}

import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { z } from "zod";

const eventSchema = z
  .object({ event: z.string() })
  .catchall(z.union([z.string(), z.number(), z.boolean(), z.null()]));

/** One structured line of the service. */
export type LoggedEvent = z.infer<typeof eventSchema>;

/** All that a service has written, and what is still to come of it. */
export class ServiceLog {
  readonly #lines: string[] = [];
  readonly #listeners = new Set<(line: string) => void>();

  follow(...inputs: (Readable | null)[]): void {
    for (const input of inputs) {
      if (input !== null) createInterface({ input }).on("line", (line) => this.#add(line));
    }
  }

  /** Calls back with each line from now on. @returns what ends that. */
  onLine(listener: (line: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  lines(): readonly string[] {
    return this.#lines;
  }

  /** The present end; what comes after it can be asked for with `since`. */
  mark(): number {
    return this.#lines.length;
  }

  textSince(mark: number): string {
    return this.#lines.slice(mark).join("\n");
  }

  /** The structured lines with these fields, oldest first. */
  events(fields: Partial<LoggedEvent>, since = 0): LoggedEvent[] {
    return this.#lines
      .slice(since)
      .map((line) => matchingEvent(line, fields))
      .filter((event) => event !== undefined);
  }

  /** The first structured line with these fields, as soon as there is one. */
  async untilEvent(
    fields: Partial<LoggedEvent>,
    { withinMs, since = 0 }: { withinMs: number; since?: number },
  ): Promise<LoggedEvent> {
    const wanted = JSON.stringify(fields);
    return this.#until((line) => matchingEvent(line, fields), { wanted, withinMs, since });
  }

  /** Waits for a line that the pattern matches. */
  async untilText(
    pattern: RegExp,
    { withinMs, since = 0 }: { withinMs: number; since?: number },
  ): Promise<void> {
    const wanted = String(pattern);
    await this.#until((line) => pattern.exec(line) ?? undefined, { wanted, withinMs, since });
  }

  async #until<T>(
    find: (line: string) => T | undefined,
    { wanted, withinMs, since }: { wanted: string; withinMs: number; since: number },
  ): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const look = (line: string) => {
      const found = find(line);
      if (found !== undefined) resolve(found);
    };
    const timer = setTimeout(() => {
      reject(
        new Error(`Not in the output within ${withinMs} ms: ${wanted}\n${this.#lines.slice(-40).join("\n")}`),
      );
    }, withinMs);
    const end = this.onLine(look);
    // The first one resolves.
    this.#lines.slice(since).forEach(look);
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      end();
    }
  }

  #add(line: string): void {
    this.#lines.push(line);
    for (const listener of this.#listeners) listener(line);
  }
}

/** The event in a line; undefined when the line is none, as the banner. */
export function parseEvent(line: string): LoggedEvent | undefined {
  if (!line.startsWith("{")) return undefined;
  try {
    return eventSchema.parse(JSON.parse(line));
  } catch {
    return undefined;
  }
}

function matchingEvent(line: string, fields: Partial<LoggedEvent>): LoggedEvent | undefined {
  const event = parseEvent(line);
  const matches = Object.entries(fields).every(([name, value]) => event?.[name] === value);
  return matches ? event : undefined;
}

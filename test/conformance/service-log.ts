import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { z } from "zod";

const eventSchema = z
  .object({ event: z.string() })
  .catchall(z.union([z.string(), z.number(), z.boolean(), z.null()]));

/** A structured log line. */
export type LoggedEvent = z.infer<typeof eventSchema>;

/** The output of a service, which can be searched and waited for. */
export class ServiceLog {
  readonly #lines: string[] = [];
  readonly #listeners = new Set<(line: string) => void>();

  follow(...inputs: (Readable | null)[]): void {
    for (const input of inputs) {
      if (input !== null) createInterface({ input }).on("line", (line) => this.#add(line));
    }
  }

  /** Subscribes to later lines. @returns the function to unsubscribe. */
  onLine(listener: (line: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  lines(): readonly string[] {
    return this.#lines;
  }

  /** @returns the current position, for use as `since`. */
  mark(): number {
    return this.#lines.length;
  }

  textSince(mark: number): string {
    return this.#lines.slice(mark).join("\n");
  }

  /** @returns the events with these fields, oldest first. */
  events(fields: Partial<LoggedEvent>, since = 0): LoggedEvent[] {
    return this.#lines
      .slice(since)
      .map((line) => matchingEvent(line, fields))
      .filter((event) => event !== undefined);
  }

  /** Waits for the first event with these fields. */
  async waitForEvent(
    fields: Partial<LoggedEvent>,
    { withinMs, since = 0 }: { withinMs: number; since?: number },
  ): Promise<LoggedEvent> {
    const expected = JSON.stringify(fields);
    return this.#until((line) => matchingEvent(line, fields), { expected, withinMs, since });
  }

  async waitForText(
    pattern: RegExp,
    { withinMs, since = 0 }: { withinMs: number; since?: number },
  ): Promise<void> {
    const expected = String(pattern);
    await this.#until((line) => pattern.exec(line) ?? undefined, { expected, withinMs, since });
  }

  async #until<T>(
    find: (line: string) => T | undefined,
    { expected, withinMs, since }: { expected: string; withinMs: number; since: number },
  ): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const check = (line: string) => {
      const found = find(line);
      if (found !== undefined) resolve(found);
    };
    const timer = setTimeout(() => {
      reject(
        new Error(
          `Not in the output after ${withinMs} ms: ${expected}\n${this.#lines.slice(-40).join("\n")}`,
        ),
      );
    }, withinMs);
    const end = this.onLine(check);
    this.#lines.slice(since).forEach(check);
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

/** @returns the line's event, or undefined for unstructured lines such as the banner. */
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

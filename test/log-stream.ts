import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect } from "vitest";
import { logEventSchema } from "../src/api/telemetry/log-schema.ts";
import worker from "../src/index.ts";
import { type Client, ORIGIN } from "./api.ts";

/** A stream of log events that is read while it continues. */
export class LogStream {
  readonly #reader: ReadableStreamDefaultReader<string>;
  #text = "";

  private constructor(body: ReadableStream<Uint8Array>) {
    this.#reader = body.pipeThrough(new TextDecoderStream()).getReader();
  }

  static async open(client: Client, id: string, query: Record<string, string>): Promise<LogStream> {
    const url = `${ORIGIN}/browsers/${id}/logs/stream?${new URLSearchParams(query)}`;
    const request = new Request(url, { headers: { authorization: `Bearer ${client.token}` } });
    const response = await worker.fetch(request, env, createExecutionContext());
    expect(response.headers.get("content-type"), String(response.status)).toBe("text/event-stream");
    if (response.body === null) throw new Error("the response has no body");
    return new LogStream(response.body);
  }

  /** The message of the next event; undefined at the end. */
  async next(): Promise<string | undefined> {
    for (;;) {
      const end = this.#text.indexOf("\n\n");
      if (end >= 0) {
        const event = this.#text.slice(0, end);
        this.#text = this.#text.slice(end + 2);
        if (event.startsWith("data: ")) return logEventSchema.parse(JSON.parse(event.slice(6))).message;
        continue;
      }
      const { value } = await this.#reader.read();
      if (value === undefined) return undefined;
      this.#text += value;
    }
  }

  async take(count: number): Promise<(string | undefined)[]> {
    const messages = [];
    while (messages.length < count) messages.push(await this.next());
    return messages;
  }

  async rest(): Promise<string[]> {
    const messages = [];
    for (let message = await this.next(); message !== undefined; message = await this.next())
      messages.push(message);
    return messages;
  }

  async close(): Promise<void> {
    await this.#reader.cancel();
  }
}

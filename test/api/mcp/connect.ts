import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { Client as MCPClient, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { expect } from "vitest";
import { z } from "zod";
import worker from "../../../src/index.ts";
import { type Client, ORIGIN } from "../../api.ts";

const contentSchema = z.array(
  z.union([
    z.object({ type: z.literal("text"), text: z.string() }),
    z.object({ type: z.literal("image"), data: z.string(), mimeType: z.string() }),
    z.object({ type: z.literal("resource"), resource: z.object({ uri: z.string(), blob: z.string() }) }),
  ]),
);

const fetchFromWorker = async (url: string | URL, init?: RequestInit): Promise<Response> =>
  worker.fetch(new Request(url, init), env, createExecutionContext());

/** An MCP session of the official client, in this process. */
export class MCPConnection {
  readonly client = new MCPClient({ name: "test", version: "1" });
  readonly #transport: StreamableHTTPClientTransport;

  private constructor(key: string | undefined) {
    this.#transport = new StreamableHTTPClientTransport(new URL(`${ORIGIN}/mcp`), {
      fetch: fetchFromWorker,
      requestInit: { headers: { authorization: `Bearer ${key}` } },
    });
  }

  static async open(caller: Client): Promise<MCPConnection> {
    const connection = new MCPConnection(caller.token);
    await connection.client.connect(connection.#transport);
    return connection;
  }

  get sessionId(): string {
    return this.#transport.sessionId ?? "";
  }

  get object() {
    return env.MCP_SESSION.getByName(this.sessionId);
  }

  async call(name: string, args: Record<string, unknown> = {}, options: { signal?: AbortSignal } = {}) {
    const { content, isError } = await this.client.callTool({ name, arguments: args }, options);
    return { content: contentSchema.parse(content), isError: isError === true };
  }

  /** The text of a call that must succeed. */
  async text(name: string, args: Record<string, unknown> = {}): Promise<string> {
    const { content, isError } = await this.call(name, args);
    const [first] = content;
    expect(isError, JSON.stringify(first)).toBe(false);
    return first?.type === "text" ? first.text : "";
  }

  /** The JSON of a call that must succeed. */
  async json<T extends z.ZodType>(
    schema: T,
    name: string,
    args: Record<string, unknown> = {},
  ): Promise<z.infer<T>> {
    return schema.parse(JSON.parse(await this.text(name, args)));
  }

  /** The message of a call that must fail. */
  async error(name: string, args: Record<string, unknown> = {}): Promise<string> {
    const { content, isError } = await this.call(name, args);
    expect(isError).toBe(true);
    return content.map((part) => (part.type === "text" ? part.text : "")).join("");
  }

  /** Ends the MCP session, if it has not ended. */
  async end(): Promise<void> {
    await this.#transport.terminateSession().catch(() => undefined);
    await this.client.close();
  }
}

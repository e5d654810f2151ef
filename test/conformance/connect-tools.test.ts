import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { z } from "zod";
import { keepForFile } from "../outside/keep-for-file.ts";
import { ROOT } from "./service-client.ts";
import { SharedService } from "./shared-service.ts";
import { openSite } from "./site.ts";

const PLAYWRIGHT_MCP = "@playwright/mcp/cli.js";
const CHROME_DEVTOOLS_MCP = "chrome-devtools-mcp/build/src/bin/chrome-devtools-mcp.js";

const answerSchema = z.object({
  id: z.number().optional(),
  result: z
    .looseObject({ content: z.array(z.object({ text: z.string().optional() })).optional() })
    .optional(),
});

const service = await SharedService.use();
const site = keepForFile(await openSite());

/** A minimal client of an MCP server that is a process. */
class MCPProcess implements AsyncDisposable {
  readonly #process: ChildProcess;
  readonly #answers: AsyncIterableIterator<string>;
  #lastId = 0;

  private constructor(script: string, args: string[]) {
    const child = spawn(process.execPath, [join(ROOT, "node_modules", script), ...args], {
      // They write files where they run.
      cwd: tmpdir(),
      stdio: ["pipe", "pipe", "ignore"],
    });
    this.#process = child;
    this.#answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  }

  static async start(script: string, args: string[]): Promise<MCPProcess> {
    const server = new MCPProcess(script, args);
    await server.#ask("initialize", {
      protocolVersion: "2025-03-26",
      capabilities: {},
      clientInfo: { name: "test", version: "1" },
    });
    server.#send({ method: "notifications/initialized" });
    return server;
  }

  async call(name: string, args: object): Promise<string> {
    const { content = [] } = await this.#ask("tools/call", { name, arguments: args });
    return content.map(({ text = "" }) => text).join("\n");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const exited = once(this.#process, "exit");
    this.#process.stdin?.end();
    await exited;
  }

  async #ask(method: string, params: object): Promise<NonNullable<z.infer<typeof answerSchema>["result"]>> {
    this.#lastId += 1;
    this.#send({ id: this.#lastId, method, params });
    // A `for await` loop would close the stream when it returns.
    for (;;) {
      const line = await this.#answers.next();
      if (line.done) throw new Error("The server has ended");
      const { id, result } = answerSchema.parse(JSON.parse(line.value));
      if (id === this.#lastId && result !== undefined) return result;
    }
  }

  #send(message: object): void {
    this.#process.stdin?.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }
}

test.each([
  ["@playwright/mcp", PLAYWRIGHT_MCP, ["--cdp-endpoint"], "browser_navigate", "browser_snapshot", {}],
  [
    "chrome-devtools-mcp",
    CHROME_DEVTOOLS_MCP,
    ["--no-usage-statistics", "--ws-endpoint"],
    "navigate_page",
    "take_snapshot",
    { pageId: 1 },
  ],
] as const)("%s works with a connect URL", async (_, script, args, navigate, snapshot, target) => {
  const url = `${service.baseURL.replace(/^http/, "ws")}/connect?token=${service.apiKey}`;
  const sessions = () => Array.fromAsync(service.kernel().browsers.list());
  {
    await using server = await MCPProcess.start(script, [...args, url]);
    await server.call(navigate, { ...target, url: site.origin });
    expect(await server.call(snapshot, target)).toContain("Greet");
    expect(await sessions()).toHaveLength(1);
  }
  await expect.poll(sessions).toEqual([]);
});

import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { describe, expect, test } from "vitest";
import { SharedService } from "../conformance/shared-service.ts";
import { openSite } from "../conformance/site.ts";
import { keepForFile } from "../outside/keep-for-file.ts";

const INSPECTOR = join(import.meta.dirname, "../../node_modules/@modelcontextprotocol/inspector-cli/build");

const service = await SharedService.use();
const site = keepForFile(await openSite());

const listIds = async () =>
  (await Array.fromAsync(service.kernel().browsers.list())).map((each) => each.session_id);

describe("MCP", () => {
  test("serves the official client with a key in the query", async () => {
    const client = new Client({ name: "test", version: "1" });
    const transport = new StreamableHTTPClientTransport(
      new URL(`${service.baseURL}/mcp?token=${service.apiKey}`),
    );
    await client.connect(transport);
    const call = async (name: string, args: Record<string, unknown> = {}) =>
      JSON.stringify((await client.callTool({ name, arguments: args })).content);

    const home = await call("browser_navigate", { url: site.origin });
    const ref = /textbox \\"Who\\" \[ref=(e\d+)\]/.exec(home)?.[1];
    expect(await call("browser_type", { element: "Who", ref, text: "Ada", submit: true })).toContain(
      "Hello, Ada",
    );
    expect(await call("browser_network_requests")).toContain(
      `[GET] ${site.origin}/greet?who=Ada => [200 OK]`,
    );
    expect(await call("browser_take_screenshot")).toContain("image/png");
    expect(await listIds()).toHaveLength(1);

    const running = fetch(`${service.baseURL}/mcp`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${service.apiKey}`,
        accept: "application/json, text/event-stream",
        "content-type": "application/json",
        "mcp-session-id": transport.sessionId ?? "",
      },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1000,
        method: "tools/call",
        params: { name: "exec_command", arguments: { command: "sleep 1000; sleep 1001" } },
      }),
    });
    const response = await running;
    const processes = () => call("exec_command", { command: "ps", args: ["-ef"] });
    await expect.poll(processes).toContain("sleep 1000");
    await response.body?.cancel();
    await expect.poll(processes).not.toContain("sleep 1000");

    await transport.terminateSession();
    await client.close();
    expect(await listIds()).toEqual([]);
  });

  test("serves the inspector", async () => {
    const inspect = async (...args: string[]): Promise<Record<string, unknown>> => {
      // It looks for its package.json from the working directory.
      const header = ["--header", `Authorization: Bearer ${service.apiKey}`];
      const command = [
        join(INSPECTOR, "cli.js"),
        "--cli",
        `${service.baseURL}/mcp`,
        ...args,
        "--transport",
        "http",
        ...header,
      ];
      return JSON.parse((await promisify(execFile)(process.execPath, command, { cwd: INSPECTOR })).stdout);
    };
    const { tools } = await inspect("--method", "tools/list");
    expect(tools).toContainEqual(expect.objectContaining({ name: "browser_navigate" }));
    const call = ["--method", "tools/call", "--tool-name", "manage_browsers", "--tool-arg"];
    expect(await inspect(...call, "action=list")).toMatchObject({
      content: [{ text: expect.stringContaining("items") }],
    });
    expect(await inspect(...call, "action=get")).toMatchObject({ isError: true });
  });
});

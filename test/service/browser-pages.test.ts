import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { expect, test } from "vitest";
import { SharedService } from "../conformance/shared-service.ts";

const INSPECT = "chrome://inspect/";
const BLANK = "about:blank";

const service = await SharedService.use();

test("code beside the browser does not reach the browser's own pages", async () => {
  const { session_id } = await service.kernel().browsers.create();
  const code = `
    await page.goto("${INSPECT}").catch(() => undefined);
    const tools = await context.newCDPSession(page);
    await tools.send("Page.navigate", { url: "devtools://devtools/bundled/inspector.html" }).catch(() => undefined);
    return page.evaluate("location.href");`;
  const { result } = await service.kernel().browsers.playwright.execute(session_id, { code });
  expect(result).toBe(BLANK);
  await service.kernel().browsers.deleteByID(session_id);
});

test("MCP does not reach the browser's own pages", async () => {
  const client = new Client({ name: "test", version: "1" });
  const url = new URL(`${service.baseURL}/mcp?token=${service.apiKey}`);
  await client.connect(new StreamableHTTPClientTransport(url));
  const call = async (name: string, args: Record<string, unknown>) =>
    JSON.stringify((await client.callTool({ name, arguments: args })).content);
  await call("browser_navigate", { url: INSPECT });
  expect(await call("browser_evaluate", { function: "() => location.href" })).toContain(BLANK);
  for (const { session_id } of (await service.kernel().browsers.list()).items) {
    await service.kernel().browsers.deleteByID(session_id);
  }
  await client.close();
});

test("WebDriver does not reach the browser's own pages", async () => {
  const call = async (path: string, body: object): Promise<unknown> =>
    (await service.send("POST", `/wd/hub/session${path}`, body)).json();
  const id = /"sessionId":"([^"]+)"/.exec(JSON.stringify(await call("", { capabilities: {} })))?.[1];
  await call(`/${id}/url`, { url: INSPECT });
  const run = { script: "return location.href", args: [] };
  expect(await call(`/${id}/execute/sync`, run)).toEqual({ value: BLANK });
  await service.send("DELETE", `/wd/hub/session/${id}`);
});

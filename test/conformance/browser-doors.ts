import { Client as MCPClient, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { z } from "zod";
import { Attacker } from "./attacker.ts";
import { openSession } from "./connect-page.ts";
import type { ServiceClient } from "./service-client.ts";

/** Opens a URL in a browser and runs a script there. @returns whether it received a text. */
type Door = (url: string, script: string, text: string) => Promise<boolean>;

type OpenDoor = (service: ServiceClient, attack: (door: Door) => Promise<void>) => Promise<void>;

/** The ways to open a page in a session, each with its own browser. */
export const DOORS: Record<string, OpenDoor> = {
  async DevTools(service, attack) {
    await using session = await openSession(service.kernel());
    using attacker = await Attacker.connect(session);
    await attack(async (url, script, text) => {
      await attacker.visit(url, script);
      return attacker.knows(text);
    });
  },
  async "playwright/execute"(service, attack) {
    await using session = await openSession(service.kernel());
    const { playwright } = service.kernel().browsers;
    await attack(async (url, script, text) => {
      const code = `await page.goto(${JSON.stringify(url)}, { timeout: 5000 }).catch(() => undefined);
        return await page.evaluate(${JSON.stringify(script)});`;
      const told = await playwright.execute(session.session_id, { code, timeout_sec: 10 });
      return JSON.stringify(told).includes(text);
    });
  },
  async WebDriver(service, attack) {
    const call = async (method: string, path: string, body?: object) =>
      (await service.send(method, `/session${path}`, body)).text();
    const created = JSON.parse(await call("POST", "", { capabilities: {} }));
    const { sessionId } = z.object({ value: z.object({ sessionId: z.string() }) }).parse(created).value;
    await attack(async (url, script, text) => {
      await call("POST", `/${sessionId}/url`, { url });
      const run = { script: `return ${script}`, args: [] };
      return (await call("POST", `/${sessionId}/execute/sync`, run)).includes(text);
    });
    await call("DELETE", `/${sessionId}`);
  },
  async MCP(service, attack) {
    const client = new MCPClient({ name: "test", version: "1" });
    const url = new URL(`${service.baseURL}/mcp?token=${service.apiKey}`);
    const transport = new StreamableHTTPClientTransport(url);
    await client.connect(transport);
    await attack(async (url, script, text) => {
      const told = [
        await client.callTool({ name: "browser_navigate", arguments: { url } }),
        await client.callTool({ name: "browser_evaluate", arguments: { function: `() => ${script}` } }),
      ];
      return JSON.stringify(told).includes(text);
    });
    await transport.terminateSession();
    await client.close();
  },
  async "the address that is typed"(service, attack) {
    await using session = await openSession(service.kernel());
    using attacker = await Attacker.connect(session);
    const { computer } = service.kernel().browsers;
    await attack(async (url, script, text) => {
      await computer.pressKey(session.session_id, { keys: ["ctrl+l"] });
      await computer.typeText(session.session_id, { text: url });
      await computer.pressKey(session.session_id, { keys: ["Return"] });
      for (const { targetId } of await attacker.targets()) {
        await attacker.run(script, await attacker.attach(targetId));
      }
      return attacker.knows(text);
    });
  },
  async "the first page of a session"(service, attack) {
    await attack(async (start_url, script, text) => {
      const session = await openSession(service.kernel(), { start_url }).catch(() => undefined);
      if (session === undefined) return false;
      using attacker = await Attacker.connect(session);
      const page = (await attacker.targets()).find(({ type }) => type === "page");
      const tab = await attacker.attach(page?.targetId);
      await attacker.waitForLoad(start_url, tab);
      await attacker.run(script, tab);
      await session[Symbol.asyncDispose]();
      return attacker.knows(text);
    });
  },
};

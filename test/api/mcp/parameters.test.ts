import { expect, it } from "vitest";
import { z } from "zod";
import { newClient } from "../../api.ts";

const ACCEPT = { accept: "application/json, text/event-stream" };
const initialize = {
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } },
};

const answerSchema = z.object({
  id: z.number().nullish(),
  error: z.object({ code: z.number(), message: z.string() }),
});

it.each([
  ["tools/call", {}],
  ["tools/call", undefined],
  ["tools/call", { name: 5 }],
  ["tools/call", { name: "no_such_tool", arguments: {} }],
  ["tools/call", { name: "browser_snapshot", arguments: "text" }],
  ["tools/call", "text"],
  ["tools/call", []],
  ["tools/call", null],
  ["tools/list", { cursor: 5 }],
  ["tools/list", "text"],
  ["resources/read", {}],
  ["resources/read", { uri: 5 }],
  ["resources/read", { uri: "not a URI" }],
  ["resources/read", { uri: "screenshot://none" }],
  ["initialize", {}],
  ["ping", 5],
])("refuses the parameters of %s: %j", async (method, params) => {
  const client = await newClient();
  const opened = await client.post("/mcp", initialize, ACCEPT);
  const session = { ...ACCEPT, "mcp-session-id": opened.headers.get("mcp-session-id") ?? "" };
  const answer = await client.post("/mcp", { jsonrpc: "2.0", id: 1, method, params }, session);
  const [, data = answer.text] = /^data: (.*)$/m.exec(answer.text) ?? [];
  expect(answerSchema.parse(JSON.parse(data))).toMatchObject({ id: 1, error: { code: -32602 } });
});

it("says what is wrong with a parameter", async () => {
  const client = await newClient();
  const opened = await client.post("/mcp", initialize, ACCEPT);
  const session = { ...ACCEPT, "mcp-session-id": opened.headers.get("mcp-session-id") ?? "" };
  const request = { jsonrpc: "2.0", id: 1, method: "resources/read", params: { uri: 5 } };
  expect((await client.post("/mcp", request, session)).text).toContain(
    "Invalid params: params.uri must be a string",
  );
});

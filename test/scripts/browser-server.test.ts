import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, it } from "vitest";
import WebSocket from "ws";
import { z } from "zod";
import { prepareBrowser } from "../../scripts/local/browser.ts";
import { BrowserServer } from "../../scripts/local/browser-platform/server.ts";
import { makeTemporaryFolder, removeTemporaryFolder } from "../../scripts/local/temporary-folder.ts";

const LISTED_WITHIN_MS = 15_000;

const launchedSchema = z.object({ sessionId: z.string() });
const listSchema = z.object({ sessions: z.array(launchedSchema) });

let folder: string;
let server: BrowserServer;

beforeAll(async () => {
  folder = makeTemporaryFolder();
  const { executable } = await prepareBrowser(new AbortController().signal);
  server = await BrowserServer.open(executable, folder);
});
afterAll(async () => {
  await server.close();
  removeTemporaryFolder(folder);
});

async function call(method: string, path: string): Promise<{ status: number | undefined; body: string }> {
  const calling = request({ method, path, socketPath: server.socketPath }).end();
  const [response]: IncomingMessage[] = await once(calling, "response");
  if (response === undefined) throw new Error("no response");
  return { status: response.statusCode, body: await text(response) };
}

async function listed(): Promise<string[]> {
  const { body } = await call("GET", "/v1/sessions");
  return listSchema.parse(JSON.parse(body)).sessions.map(({ sessionId }) => sessionId);
}

it("launches a browser, lists it late, and ends it after its answer", async () => {
  const launch = await call("POST", "/v1/devtools/browser?keep_alive=60000");
  const { sessionId } = launchedSchema.parse(JSON.parse(launch.body));
  expect(await listed()).toEqual([]);
  await expect.poll(listed, { timeout: LISTED_WITHIN_MS }).toEqual([sessionId]);
  const path = `/v1/devtools/browser/${sessionId}`;
  expect((await call("GET", `${path}/json/version`)).body).toContain("webSocketDebuggerUrl");
  const { body: address } = await call("GET", `${path}/address`);
  const socket = new WebSocket(address.replace("http", "ws"));
  await once(socket, "open");
  const closed = once(socket, "close");
  expect(await call("DELETE", path)).toMatchObject({ status: 200, body: '{"status":"closing"}' });
  await closed;
  await expect.poll(() => call("GET", `${path}/address`)).toMatchObject({ status: 404 });
  await expect.poll(listed, { timeout: LISTED_WITHIN_MS }).toEqual([]);
});

it.each([
  ["a keep_alive above ten minutes", "POST", "/v1/devtools/browser?keep_alive=600001", 400],
  ["a keep_alive that is no number", "POST", "/v1/devtools/browser?keep_alive=soon", 400],
  ["a browser that it does not know", "DELETE", "/v1/devtools/browser/unknown", 404],
  ["another path", "GET", "/v1/limits", 404],
])("refuses %s", async (_, method, path, status) => {
  expect(await call(method, path)).toMatchObject({ status });
});

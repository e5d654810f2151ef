import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import WebSocket from "ws";
import { z } from "zod";
import { prepareBrowser } from "../../scripts/local/browser.ts";
import { BrowserServer } from "../../scripts/local/browser-platform/server.ts";
import { makeTemporaryFolder, removeTemporaryFolder } from "../../scripts/local/temporary-folder.ts";

const LIST_TIMEOUT_MS = 15_000;

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

async function send(method: string, path: string): Promise<{ status: number | undefined; body: string }> {
  const outgoing = request({ method, path, socketPath: server.socketPath }).end();
  const [response]: IncomingMessage[] = await once(outgoing, "response");
  if (response === undefined) throw new Error("no response");
  return { status: response.statusCode, body: await text(response) };
}

async function listSessions(): Promise<string[]> {
  const { body } = await send("GET", "/v1/sessions");
  return listSchema.parse(JSON.parse(body)).sessions.map(({ sessionId }) => sessionId);
}

it("launches a browser, lists it with a delay and closes it after responding", async () => {
  const launch = await send("POST", "/v1/devtools/browser?keep_alive=60000");
  const { sessionId } = launchedSchema.parse(JSON.parse(launch.body));
  expect(await listSessions()).toEqual([]);
  await expect.poll(listSessions, { timeout: LIST_TIMEOUT_MS }).toEqual([sessionId]);
  const path = `/v1/devtools/browser/${sessionId}`;
  expect((await send("GET", `${path}/json/version`)).body).toContain("webSocketDebuggerUrl");
  const { body: address } = await send("GET", `${path}/address`);
  const socket = new WebSocket(address.replace("http", "ws"));
  await once(socket, "open");
  const closed = once(socket, "close");
  expect(await send("DELETE", path)).toMatchObject({ status: 200, body: '{"status":"closing"}' });
  await closed;
  await expect.poll(() => send("GET", `${path}/address`)).toMatchObject({ status: 404 });
  await expect.poll(listSessions, { timeout: LIST_TIMEOUT_MS }).toEqual([]);
});

it.each([
  ["a keep_alive above twenty minutes", "POST", "/v1/devtools/browser?keep_alive=1200001", 400],
  ["a keep_alive below ten seconds", "POST", "/v1/devtools/browser?keep_alive=9999", 400],
  ["a page beyond the largest", "GET", "/v1/sessions?limit=201", 400],
  ["a keep_alive that is not a number", "POST", "/v1/devtools/browser?keep_alive=soon", 400],
  ["an unknown browser", "DELETE", "/v1/devtools/browser/unknown", 404],
  ["an unknown path", "GET", "/v1/history", 404],
])("rejects %s", async (_, method, path, status) => {
  expect(await send(method, path)).toMatchObject({ status });
});

it("tells its limits, and refuses launches beyond them", async () => {
  const limitedFolder = makeTemporaryFolder();
  const limited = await BrowserServer.open("/nonexistent", limitedFolder, {
    maxBrowsers: 5,
    launchesPerSecond: 1,
  });
  onTestFinished(async () => {
    await limited.close();
    removeTemporaryFolder(limitedFolder);
  });
  const ask = async (method: string, path: string) => {
    const outgoing = request({ method, path, socketPath: limited.socketPath }).end();
    const [response]: IncomingMessage[] = await once(outgoing, "response");
    return {
      status: response?.statusCode,
      headers: response?.headers,
      body: response && (await text(response)),
    };
  };
  const limits = async () => JSON.parse((await ask("GET", "/v1/limits")).body ?? "");
  expect(await limits()).toEqual({
    activeSessions: [],
    maxConcurrentSessions: 5,
    allowedBrowserAcquisitions: 1,
    timeUntilNextAllowedBrowserAcquisition: 0,
  });
  // The launch fails, but counts.
  expect((await ask("POST", "/v1/devtools/browser")).status).toBe(500);
  expect((await limits()).allowedBrowserAcquisitions).toBe(0);
  expect(await ask("POST", "/v1/devtools/browser")).toMatchObject({
    status: 429,
    headers: { "retry-after": "1" },
  });
});

import { once } from "node:events";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { type IncomingMessage, request } from "node:http";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import WebSocket from "ws";
import { z } from "zod";
import { prepareBrowser } from "../../scripts/local/browser.ts";
import { BrowserServer } from "../../scripts/local/browser-platform/server.ts";
import { readProcessTable } from "../../scripts/local/process-table.ts";
import { makeTemporaryFolder, removeTemporaryFolder } from "../../scripts/local/temporary-folder.ts";

const LIST_TIMEOUT_MS = 15_000;
const ANSWER_TIMEOUT_MS = 60_000;

const launchedSchema = z.object({ sessionId: z.string() });
const listSchema = z.object({ sessions: z.array(launchedSchema) });

let folder: string;
let server: BrowserServer;

beforeAll(async () => {
  folder = makeTemporaryFolder();
  const path = await prepareBrowser(new AbortController().signal);
  // On a fast machine, one test after another launches more than the plan's three per second.
  server = await BrowserServer.open(path, folder, { maxBrowsers: 200, launchesPerSecond: 100 });
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
  const socket = openSocket(path);
  await once(socket, "open");
  const closed = once(socket, "close");
  expect(await send("DELETE", path)).toMatchObject({ status: 200, body: '{"status":"closing"}' });
  await closed;
  await expect.poll(() => send("GET", `${path}/json/version`)).toMatchObject({ status: 404 });
  await expect.poll(listSessions, { timeout: LIST_TIMEOUT_MS }).toEqual([]);
});

function openSocket(path: string): WebSocket {
  return new WebSocket(`ws+unix:${server.socketPath}:${path}`, { perMessageDeflate: false });
}

const messageSchema = z.looseObject({
  id: z.number().optional(),
  sessionId: z.string().optional(),
  method: z.string().optional(),
  params: z.record(z.string(), z.unknown()).optional(),
  result: z.record(z.string(), z.unknown()).optional(),
  error: z.object({ message: z.string() }).optional(),
});
type Message = z.infer<typeof messageSchema>;

class Client {
  readonly messages: Message[] = [];
  readonly socket: WebSocket;
  #lastId = 0;

  constructor(socket: WebSocket) {
    this.socket = socket.on("message", (data) =>
      this.messages.push(messageSchema.parse(JSON.parse(String(data)))),
    );
  }

  /** @param rest follows the command in the same frame. */
  async send(method: string, params: object = {}, sessionId?: string, rest = ""): Promise<Message> {
    this.#lastId += 1;
    const id = this.#lastId;
    this.socket.send(JSON.stringify({ id, method, params, sessionId }) + rest);
    return vi.waitUntil(() => this.messages.find((message) => message.id === id), ANSWER_TIMEOUT_MS);
  }

  async attach(targetId: string): Promise<string> {
    const { result } = await this.send("Target.attachToTarget", { targetId, flatten: true });
    return z.object({ sessionId: z.string() }).parse(result).sessionId;
  }

  async open(options: object = {}): Promise<string> {
    const { result } = await this.send("Target.createTarget", { url: "about:blank", ...options });
    return z.object({ targetId: z.string() }).parse(result).targetId;
  }

  events(method: string): Message[] {
    return this.messages.filter((message) => message.method === method);
  }
}

async function connect(path: string): Promise<Client> {
  const socket = openSocket(path);
  const client = new Client(socket);
  await once(socket, "open");
  onTestFinished(() => socket.terminate());
  return client;
}

async function launch(): Promise<string> {
  const { status, body } = await send("POST", "/v1/devtools/browser");
  expect(status, body).toBe(200);
  const path = `/v1/devtools/browser/${launchedSchema.parse(JSON.parse(body)).sessionId}`;
  onTestFinished(async () => void (await send("DELETE", path)));
  return path;
}

const evaluate = { expression: "1 + 1", returnByValue: true };

describe("clients of one browser", () => {
  it("have their own state and sessions, under the same ids", async () => {
    const path = await launch();
    const [one, other] = [await connect(path), await connect(path)];
    await one.send("Target.setDiscoverTargets", { discover: true });
    const page = await other.open();
    expect(one.events("Target.targetCreated").map(({ params }) => params?.targetInfo)).toContainEqual(
      expect.objectContaining({ targetId: page }),
    );
    expect(other.events("Target.targetCreated")).toEqual([]);
    expect(one.messages.filter(({ sessionId }) => sessionId !== undefined)).toEqual([]);
    const session = await one.attach(page);
    expect(await one.send("Runtime.evaluate", evaluate, session)).toMatchObject({
      sessionId: session,
      result: { result: { value: 2 } },
    });
    expect(await other.send("Runtime.evaluate", evaluate, session)).toMatchObject({
      error: { message: "Session with given id not found." },
    });
  });

  it("lose what they made with their connection only", async () => {
    const path = await launch();
    const [one, other] = [await connect(path), await connect(path)];
    const page = await other.open();
    const session = await other.attach(page);
    const { result } = await one.send("Target.createBrowserContext", { disposeOnDetach: true });
    one.socket.close();
    await expect
      .poll(async () => (await other.send("Target.getBrowserContexts")).result?.browserContextIds)
      .not.toContain(result?.browserContextId);
    expect((await other.send("Runtime.evaluate", evaluate, session)).result).toBeDefined();
  });

  it("connect to single pages", async () => {
    const path = await launch();
    const page = await (await connect(path)).open();
    const client = await connect(`${path}/page/${page}`);
    expect((await client.send("Runtime.evaluate", evaluate)).result?.result).toMatchObject({ value: 2 });
    const closed = once(client.socket, "close");
    await client.send("Page.close");
    await closed;
    const unknown = openSocket(`${path}/page/unknown`);
    expect((await once(unknown, "error"))[0]).toMatchObject({ message: expect.stringContaining("404") });
  });

  it.each([
    ["a second command", '\0{"id":7,"method":"Browser.close"}'],
    ["no JSON", "{"],
  ])("cannot send %s in a frame", async (_, rest) => {
    const client = await connect(await launch());
    void client.send("Browser.getVersion", {}, undefined, rest).catch(() => undefined);
    await expect
      .poll(() => client.messages)
      .toMatchObject([{ error: { message: expect.stringContaining("integer id") } }]);
    expect((await client.send("Browser.getVersion")).result).toBeDefined();
  });

  it("cannot end the service with a command that is nested deeply", async () => {
    const client = await connect(await launch());
    const nested = "[".repeat(1_000_000) + "]".repeat(1_000_000);
    client.socket.send(`{"id":7,"method":"Any.thing","params":{"nested":${nested}}}`);
    await expect
      .poll(() => client.messages)
      .toMatchObject([{ id: 7, error: { message: expect.any(String) } }]);
    expect((await client.send("Browser.getVersion")).result).toBeDefined();
  });

  it("exchange frames of 31 MiB", async () => {
    const path = await launch();
    const client = await connect(path);
    const session = await client.attach(await client.open());
    const expression = `"${"x".repeat(31 * 1024 * 1024)}"`;
    const { result } = await client.send("Runtime.evaluate", { expression, returnByValue: true }, session);
    const { value } = z.object({ value: z.string() }).parse(result?.result);
    expect(value).toHaveLength(31 * 1024 * 1024);
  });
});

it("ends browsers that are being launched when it closes", async () => {
  const own = makeTemporaryFolder();
  onTestFinished(() => removeTemporaryFolder(own));
  const limits = { maxBrowsers: 200, launchesPerSecond: 100 };
  const closing = await BrowserServer.open(await prepareBrowser(new AbortController().signal), own, limits);
  // More than are launched at the same time.
  for (let count = 0; count <= availableParallelism(); count++) {
    const launch = request({ method: "POST", path: "/v1/devtools/browser", socketPath: closing.socketPath });
    launch.on("error", () => undefined).end();
  }
  await expect.poll(() => readdirSync(own)).toContain("0");
  await closing.close();
  expect(readdirSync(own)).toEqual([]);
});

it("lists the page in front first", async () => {
  const path = await launch();
  const client = await connect(path);
  const listPages = async () => {
    const { body } = await send("GET", `${path}/json/list`);
    const listed = z.array(z.object({ id: z.string(), type: z.string() })).parse(JSON.parse(body));
    return listed.filter(({ type }) => type === "page").map(({ id }) => id);
  };
  const [initial] = await listPages();
  const pages = [await client.open(), await client.open(), await client.open()];
  const [first = "", second = "", third = ""] = pages;
  expect(await listPages()).toEqual([third, second, first, initial]);
  await client.send("Target.activateTarget", { targetId: first });
  expect(await listPages()).toEqual([first, third, second, initial]);
  const session = await client.attach(second);
  await client.send("Page.bringToFront", {}, session);
  expect(await listPages()).toEqual([second, first, third, initial]);
  const background = await client.open({ background: true });
  expect(await listPages()).toEqual([second, background, first, third, initial]);
  await client.send("Target.closeTarget", { targetId: second });
  // Chrome shows the page beside it.
  await expect.poll(listPages).toEqual([third, background, first, initial]);
});

it.each([
  "file:///etc/passwd",
  "view-source:file:///etc/passwd",
  "chrome://policy/test",
  "chrome://inspect",
  "chrome://settings",
  "chrome://net-export",
  "chrome-untrusted://print/",
  "devtools://devtools/bundled/devtools_app.html",
])("blocks %s", async (url) => {
  const client = await connect(await launch());
  const session = await client.attach(await client.open());
  expect((await client.send("Page.navigate", { url }, session)).result).toMatchObject({
    errorText: "net::ERR_BLOCKED_BY_ADMINISTRATOR",
  });
  const opened = await client.attach(await client.open({ url }));
  const read = { expression: "location.href", returnByValue: true };
  await expect
    .poll(async () => (await client.send("Runtime.evaluate", read, opened)).result?.result)
    .toMatchObject({ value: "chrome-error://chromewebdata/" });
});

it.runIf(process.getuid?.() === 0)(
  "runs Chrome as a user of its own, who cannot read files of root",
  async () => {
    const secret = join(folder, "secret");
    writeFileSync(secret, "of root", { mode: 0o600 });
    const one = await connect(await launch());
    const other = await connect(await launch());
    const browsers = readProcessTable().filter(
      ({ command }) => command.includes(`--user-data-dir=${folder}`) && !command.includes("--type="),
    );
    const owners = browsers.map(({ pid }) => statSync(`/proc/${pid}`).uid);
    expect(new Set(owners).size).toBe(owners.length);
    expect(owners).not.toContain(0);
    for (const client of [one, other]) {
      const session = await client.attach(await client.open());
      const input = `document.body.innerHTML = "<input type=file>"; document.querySelector("input")`;
      const { result } = await client.send("Runtime.evaluate", { expression: input }, session);
      const { objectId } = z.object({ objectId: z.string() }).parse(result?.result);
      await client.send("DOM.setFileInputFiles", { files: [secret], objectId }, session);
      const read = `document.querySelector("input").files[0].text().catch(() => "refused")`;
      const options = { expression: read, awaitPromise: true, returnByValue: true };
      expect((await client.send("Runtime.evaluate", options, session)).result?.result).toMatchObject({
        value: "refused",
      });
    }
  },
);

it.runIf(process.platform === "linux")("gives Chrome no variables of the service", async () => {
  vi.stubEnv("BERTH_API_KEY", "secret-of-the-service");
  onTestFinished(() => void vi.unstubAllEnvs());
  await connect(await launch());
  const browsers = readProcessTable().filter(({ command }) => command.includes(`--user-data-dir=${folder}`));
  const environments = browsers.map(({ pid }) => readFileSync(`/proc/${pid}/environ`, "utf8"));
  expect(environments.join()).toContain("PATH=");
  expect(environments.join()).not.toContain("secret-of-the-service");
});

it("gives clients the documents that Chrome serves on a port", async () => {
  const path = await launch();
  const { body: version } = await send("GET", `${path}/json/version`);
  expect(JSON.parse(version)).toMatchObject({
    "Protocol-Version": "1.3",
    Browser: expect.stringContaining("/"),
  });
  const { body: protocol } = await send("GET", `${path}/json/protocol`);
  const domains = z
    .object({ domains: z.array(z.object({ domain: z.string() })) })
    .parse(JSON.parse(protocol));
  expect(domains.domains.map(({ domain }) => domain)).toEqual(expect.arrayContaining(["Page", "Runtime"]));
});

it("tells why browsers have closed", async () => {
  const details = async (id: string) => JSON.parse((await send("GET", `/v1/devtools/session/${id}`)).body);
  const [closed = "", crashed = ""] = [await launch(), await launch()].map((path) => path.split("/").at(-1));
  expect(await details(closed)).toEqual({ sessionId: closed, startTime: expect.any(Number) });
  await send("DELETE", `/v1/devtools/browser/${closed}`);
  const client = await connect(`/v1/devtools/browser/${crashed}`);
  client.socket.send(JSON.stringify({ id: 1, method: "Browser.crash" }));
  const ended = { startTime: expect.any(Number), endTime: expect.any(Number) };
  const closedEntry = { sessionId: closed, ...ended, closeReason: 1, closeReasonText: "NormalClosure" };
  const crashedEntry = { sessionId: crashed, ...ended, closeReasonText: "ChromiumCrashed" };
  await expect.poll(() => details(closed)).toEqual(closedEntry);
  await expect.poll(() => details(crashed)).toEqual(crashedEntry);
  const { history } = JSON.parse((await send("GET", "/v1/history")).body);
  expect(history).toEqual(expect.arrayContaining([closedEntry, crashedEntry]));
});

it.each([
  ["a keep_alive above twenty minutes", "POST", "/v1/devtools/browser?keep_alive=1200001", 400],
  ["a keep_alive below ten seconds", "POST", "/v1/devtools/browser?keep_alive=9999", 400],
  ["a page beyond the largest", "GET", "/v1/sessions?limit=201", 400],
  ["a keep_alive that is not a number", "POST", "/v1/devtools/browser?keep_alive=soon", 400],
  ["an unknown browser", "DELETE", "/v1/devtools/browser/unknown", 404],
  ["an unknown session", "GET", "/v1/devtools/session/unknown", 404],
  ["an unknown path", "GET", "/v1/acquire", 404],
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

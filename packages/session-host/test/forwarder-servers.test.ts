import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { request } from "node:http";
import { type AddressInfo, connect, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { Forwarder } from "../src/network/forwarder.ts";

const folder = mkdtempSync(join(tmpdir(), "forwarder-"));
const socketPath = join(folder, "socket");
const forwarder = new Forwarder(async () => ["127.0.0.1"]);
forwarder.rules = { access: "all", allowPrivateAddresses: true };

beforeAll(() => forwarder.listen(socketPath));

afterAll(() => {
  forwarder.close();
  rmSync(folder, { recursive: true });
});

interface Answer {
  status: number;
  location?: string;
  body: string;
}

async function get(url: string): Promise<Answer> {
  const sent = request({ socketPath, path: url, headers: { host: new URL(url).host } }).end();
  const [response] = await once(sent, "response");
  const { statusCode, headers } = response;
  return { status: statusCode, location: headers.location, body: await text(response) };
}

/** A server that gives each connection one answer, and its port. */
async function answering(answer: string): Promise<number> {
  const server: Server = createServer((client) => {
    client.on("error", () => undefined);
    client.once("data", () => client.end(answer));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

const OK = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";

it("sends on what a client sends before its tunnel is open", async () => {
  const port = await answering(OK);
  const client = connect(socketPath);
  client.end(`CONNECT site.test:${port} HTTP/1.1\r\nHost: x\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n`);
  expect(await text(client)).toBe(`HTTP/1.1 200 Connection established\r\n\r\n${OK}`);
});

it("leaves redirects to its client", async () => {
  const location = "http://169.254.169.254/";
  const port = await answering(`HTTP/1.1 302 Found\r\nLocation: ${location}\r\nContent-Length: 0\r\n\r\n`);
  expect(await get(`http://site.test:${port}/`)).toMatchObject({ status: 302, location });
});

it.each([
  ["no HTTP", "nonsense\r\n\r\n"],
  ["a status that is too low", "HTTP/1.1 042 Low\r\nContent-Length: 0\r\n\r\n"],
  ["a status of zero", "HTTP/1.1 000 Zero\r\nContent-Length: 0\r\n\r\n"],
  ["a switch of protocols", "HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n"],
  ["a body that breaks off", "HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhello"],
  ["nothing", ""],
])("survives servers that answer %s", async (_, answer) => {
  const port = await answering(answer);
  const outcome = await get(`http://site.test:${port}/`).catch(() => undefined);
  expect(outcome?.status ?? 502).toBe(502);
  const good = await answering(OK);
  expect(await get(`http://site.test:${good}/`)).toMatchObject({ status: 200 });
});

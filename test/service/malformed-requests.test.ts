import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { SharedService } from "../conformance/shared-service.ts";

const service = await SharedService.use();

/** Sends bytes over a new connection. @returns the status line. */
async function send(request: string): Promise<string> {
  const { hostname, port } = new URL(service.baseURL);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.write(request);
  const response = await text(socket);
  return response.split("\r\n", 1)[0] ?? "";
}

/** Requests that HTTP libraries do not send. Each closes its connection. */
const REQUESTS: [name: string, request: string, status: RegExp][] = [
  ["CONNECT", "CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n", /405/],
  ["OPTIONS *", "OPTIONS * HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", /421/],
  ["two Host headers", "GET /health HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n", /421/],
  ["an unknown host", "GET /health HTTP/1.1\r\nHost: rebound.example\r\nConnection: close\r\n\r\n", /421/],
  [
    "an absolute target",
    "GET http://localhost/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
    /200/,
  ],
  ["an invalid absolute target", "GET http://[/health HTTP/1.1\r\nHost: a\r\n\r\n", /400/],
  ["a path with a space", "GET /he alth HTTP/1.1\r\nHost: a\r\n\r\n", /400/],
  ["no Host header", "GET /health HTTP/1.1\r\nConnection: close\r\n\r\n", /400/],
  ["an unknown method", "FOO /health HTTP/1.1\r\nHost: a\r\n\r\n", /501/],
  ["a negative Content-Length", "POST /browsers HTTP/1.1\r\nHost: a\r\nContent-Length: -5\r\n\r\n", /400/],
  ["a TLS handshake", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", /400/],
];

test.each(REQUESTS)("%s gets its status", async (_, request, status) => {
  expect(await send(request)).toMatch(status);
});

test("malformed requests do not break requests of other clients", async () => {
  const kernel = service.kernel();
  let isDone = false;
  const listRepeatedly = async () => {
    // This client reuses connections and does not retry.
    while (!isDone) await kernel.browsers.list();
  };
  const otherClients = [listRepeatedly(), listRepeatedly(), listRepeatedly()];
  const invalidChunk = "POST /browsers HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n";
  for (let round = 0; round < 20; round++) {
    await Promise.all([
      ...REQUESTS.map(([, request]) => send(request)),
      ...[1, 2].map(() => sendAndReset(invalidChunk)),
    ]);
  }
  isDone = true;
  await Promise.all(otherClients);
});

/** Sends bytes and resets the connection. */
async function sendAndReset(request: string): Promise<void> {
  const { hostname, port } = new URL(service.baseURL);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.on("error", () => {});
  await new Promise((resolve) => socket.write(request, resolve));
  socket.resetAndDestroy();
}

import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { SharedService } from "../conformance/shared-service.ts";

let service: SharedService;

beforeAll(async () => {
  service = await SharedService.use();
});
afterAll(() => service.end());

/** Sends bytes over a connection of its own. @returns the status line of the answer. */
async function send(request: string): Promise<string> {
  const { hostname, port } = new URL(service.baseURL);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.write(request);
  const answer = await text(socket);
  return answer.split("\r\n", 1)[0] ?? "";
}

/** Requests that no HTTP library sends, each of which ends its connection. */
const REQUESTS: [name: string, request: string, status: RegExp][] = [
  ["a tunnel", "CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n", /405/],
  ["options of the server", "OPTIONS * HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", /401/],
  ["two hosts", "GET /health HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n", /200/],
  ["an absolute target", "GET http://x/health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", /200/],
  ["a target that is no URL", "GET http://[/health HTTP/1.1\r\nHost: a\r\n\r\n", /400/],
  ["a path with a space", "GET /he alth HTTP/1.1\r\nHost: a\r\n\r\n", /400/],
  ["no host", "GET /health HTTP/1.1\r\nConnection: close\r\n\r\n", /400/],
  ["a method of its own", "FOO /health HTTP/1.1\r\nHost: a\r\n\r\n", /501/],
  ["a negative length", "POST /browsers HTTP/1.1\r\nHost: a\r\nContent-Length: -5\r\n\r\n", /400/],
  ["another protocol", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", /400/],
];

test.each(REQUESTS)("%s is answered, and with no 500", async (_, request, status) => {
  expect(await send(request)).toMatch(status);
});

test("malformed requests end no other caller's", async () => {
  const kernel = service.kernel();
  let isDone = false;
  const others = async () => {
    // A client that keeps its connections and never tries again.
    while (!isDone) await kernel.browsers.list();
  };
  const callers = [others(), others(), others()];
  const broken = "POST /browsers HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n";
  for (let round = 0; round < 20; round++) {
    await Promise.all([...REQUESTS.map(([, request]) => send(request)), ...[1, 2].map(() => leave(broken))]);
  }
  isDone = true;
  await Promise.all(callers);
});

/** Sends bytes and resets the connection. */
async function leave(request: string): Promise<void> {
  const { hostname, port } = new URL(service.baseURL);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.on("error", () => {});
  await new Promise((resolve) => socket.write(request, resolve));
  socket.resetAndDestroy();
}

import { once } from "node:events";
import { type IncomingHttpHeaders, request } from "node:http";
import type { Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { expect, test } from "vitest";
import { serveHTTP } from "../outside/local-server.ts";
import { PROXY_MARKER, type ProxyServer, startProxyServer } from "./proxy-server.ts";
import { openSite } from "./site.ts";

const CREDENTIALS = { username: "user", password: "pass:word" };
const AUTHORIZATION = `Basic ${Buffer.from("user:pass:word").toString("base64")}`;

/** Sends a request to the proxy over plain HTTP. */
async function send(proxy: ProxyServer, method: string, path: string, headers = {}) {
  const outgoing = request({ host: proxy.host, port: proxy.port, method, path, headers, agent: false });
  outgoing.end();
  const response = await new Promise<{ status?: number; text: string }>((resolve, reject) => {
    outgoing.on("error", reject);
    outgoing.on("connect", (answer, socket) => {
      resolve({ status: answer.statusCode, text: "" });
      socket.destroy();
    });
    outgoing.on("response", async (answer) => {
      const text = (await answer.toArray()).join("");
      resolve({ status: answer.statusCode, text });
    });
  });
  return response;
}

test("forwards requests and tunnels with credentials to the resolved host", async () => {
  await using site = await openSite();
  const resolve = () => ({ host: "127.0.0.1", port: site.port });
  await using proxy = await startProxyServer({ credentials: CREDENTIALS, resolve });
  expect((await send(proxy, "GET", "http://shop.test/")).status).toBe(407);
  expect((await send(proxy, "CONNECT", "shop.test:443")).status).toBe(407);
  const authorized = { "proxy-authorization": AUTHORIZATION };
  const page = await send(proxy, "GET", "http://shop.test/", authorized);
  expect([page.status, page.text]).toEqual([200, expect.stringContaining("<title>Home</title>")]);
  expect((await send(proxy, "CONNECT", "shop.test:443", authorized)).status).toBe(200);
  expect(proxy.requests.map(({ kind, host, port, authorized }) => [kind, host, port, authorized])).toEqual([
    ["http", "shop.test", 80, false],
    ["connect", "shop.test", 443, false],
    ["http", "shop.test", 80, true],
    ["connect", "shop.test", 443, true],
  ]);
});

test("adds its Via header, and removes its credentials", async () => {
  const seen: IncomingHttpHeaders[] = [];
  const origin = await serveHTTP((message, response) => {
    seen.push(message.headers);
    response.end("ok");
  });
  const resolve = () => ({ host: "127.0.0.1", port: origin.port });
  await using proxy = await startProxyServer({ resolve });
  const page = await send(proxy, "GET", "http://shop.test/x", { "proxy-authorization": AUTHORIZATION });
  expect(page).toEqual({ status: 200, text: "ok" });
  expect(seen).toEqual([expect.objectContaining({ host: "shop.test", via: PROXY_MARKER })]);
  expect(seen[0]).not.toHaveProperty("proxy-authorization");
  await origin[Symbol.asyncDispose]();
  for (const [method, path] of [
    ["GET", "http://shop.test/x"],
    ["CONNECT", "shop.test:443"],
  ] as const) {
    expect((await send(proxy, method, path)).status).toBe(502);
  }
  proxy.setMode("forbid");
  expect((await send(proxy, "GET", "http://shop.test/x")).status).toBe(403);
  proxy.setMode("reset");
  await expect(send(proxy, "GET", "http://shop.test/x")).rejects.toThrow();
});

test("serves TLS with a certificate for its name and address", async () => {
  await using proxy = await startProxyServer({ tls: true });
  const ca = proxy.certificate?.certificate ?? "";
  for (const target of [{ host: "127.0.0.1" }, { host: "127.0.0.1", servername: "localhost" }]) {
    const socket = connectTls({ ...target, port: proxy.port, ca });
    await once(socket, "secureConnect");
    expect(socket.authorized).toBe(true);
    socket.destroy();
  }
});

test("closes tunnels when it stops", async () => {
  await using site = await openSite();
  const proxy = await startProxyServer();
  const outgoing = request({
    host: proxy.host,
    port: proxy.port,
    method: "CONNECT",
    path: new URL(site.origin).host,
  });
  outgoing.end();
  const socket = await new Promise<Socket>((resolve) => {
    outgoing.on("connect", (_, tunnel) => resolve(tunnel));
  });
  socket.on("error", () => {});
  const closed = once(socket, "close");
  await proxy.stop();
  await closed;
  await expect(send(proxy, "GET", site.origin)).rejects.toThrow();
});

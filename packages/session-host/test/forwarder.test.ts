import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, request } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { NetworkAccess } from "network-rules";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Forwarder } from "../src/network/forwarder.ts";

const folder = mkdtempSync(join(tmpdir(), "forwarder-"));
const socketPath = join(folder, "network.sock");

/** What names resolve to. */
const ADDRESSES: Record<string, string[]> = {
  "site.test": ["127.0.0.1"],
  "half.test": ["93.184.215.14", "127.0.0.1"],
  "none.test": [],
};

const forwarder = new Forwarder(async (host) => ADDRESSES[host] ?? []);
const site = createServer((incoming, answer) => {
  answer.setHeader("x-headers", Object.keys(incoming.headers).sort().join());
  answer.end(`${incoming.method} ${incoming.url} ${incoming.headers.host}`);
});
let port: number;

beforeAll(async () => {
  await forwarder.listen(socketPath);
  await once(site.listen(0, "127.0.0.1"), "listening");
  port = (site.address() as AddressInfo).port;
});
afterAll(() => {
  forwarder.close();
  site.close();
  rmSync(folder, { recursive: true });
});

/** Asks the forwarder for a URL, as curl does. */
async function get(url: string): Promise<{ status: number; body: string; headers: string }> {
  const headers = {
    host: new URL(url).host,
    "proxy-authorization": "secret",
    "proxy-connection": "keep-alive",
  };
  const [response]: IncomingMessage[] = await once(
    request({ socketPath, path: url, headers }).end(),
    "response",
  );
  if (response === undefined) throw new Error("no response");
  const body = await text(response);
  return { status: response.statusCode ?? 0, body, headers: String(response.headers["x-headers"]) };
}

/** Opens a tunnel, and asks for a page through it. */
async function connect(authority: string): Promise<{ status: number; body: string }> {
  const asking = request({ socketPath, method: "CONNECT", path: authority }).end();
  const [response, socket] = await once(asking, "connect");
  if (response.statusCode !== 200) {
    socket.destroy();
    return { status: response.statusCode, body: "" };
  }
  socket.end("GET /tunnel HTTP/1.1\r\nhost: inside\r\nconnection: close\r\n\r\n");
  return { status: 200, body: await text(socket) };
}

describe("the forwarder", () => {
  it("allows nothing before its rules are set", async () => {
    expect(await get(`http://site.test:${port}/`)).toMatchObject({ status: 403 });
    expect(await connect(`site.test:${port}`)).toMatchObject({ status: 403 });
  });

  it("passes requests and tunnels on, without the headers for proxies", async () => {
    forwarder.rules = { access: "all", allowPrivateAddresses: true };
    expect(await get(`http://site.test:${port}/page?a=b`)).toEqual({
      status: 200,
      body: `GET /page?a=b site.test:${port}`,
      headers: "connection,host",
    });
    expect((await connect(`site.test:${port}`)).body).toMatch(/GET \/tunnel inside$/);
  });

  it.each<[string, string, NetworkAccess]>([
    ["a name with a private address", "site.test", "all"],
    ["a name with a private address among others", "half.test", "all"],
    ["loopback", "127.0.0.1", "all"],
    ["loopback by one number", "2130706433", "all"],
    ["loopback of IPv6", "[::1]", "all"],
    ["an embedded address", "[::ffff:127.0.0.1]", "all"],
    ["the metadata address", "169.254.169.254", "all"],
    ["an allowed name with a private address", "site.test", [{ host: "site.test", subdomains: false }]],
    ["a host that is not allowed", "other.test", [{ host: "site.test", subdomains: false }]],
    ["a host below an allowed one", "a.site.test", [{ host: "site.test", subdomains: false }]],
    ["another port", "site.test", [{ host: "site.test", subdomains: false, port: 1 }]],
    ["everything when it is off", "example.com", "none"],
  ])("refuses %s", async (_, host, access) => {
    forwarder.rules = { access, allowPrivateAddresses: false };
    expect(await get(`http://${host}:${port}/`)).toMatchObject({ status: 403 });
    expect(await connect(`${host}:${port}`)).toMatchObject({ status: 403 });
  });

  it("allows only hosts that are listed", async () => {
    const access = [{ host: "site.test", subdomains: false, port }];
    forwarder.rules = { access, allowPrivateAddresses: true };
    expect(await get(`http://site.test:${port}/`)).toMatchObject({ status: 200 });
    expect(await get(`http://127.0.0.1:${port}/`)).toMatchObject({ status: 403 });
  });

  it("says what it cannot do", async () => {
    forwarder.rules = { access: "all", allowPrivateAddresses: true };
    expect(await get(`http://none.test:${port}/`)).toMatchObject({
      status: 502,
      body: "host none.test has no address\n",
    });
    expect(await get("ftp://site.test/")).toMatchObject({ status: 403 });
    site.closeAllConnections();
    expect(await get("http://site.test:1/")).toMatchObject({ status: 502 });
  });
});

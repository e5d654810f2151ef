import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { RequestListener } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Kernel from "@onkernel/sdk";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import { keepForFile } from "../outside/keep-for-file.ts";
import { serveHTTP } from "../outside/local-server.ts";
import { PROXY_MARKER, type ProxyServer, type ProxyServerOptions, startProxyServer } from "./proxy-server.ts";
import { makeSelfSigned } from "./self-signed.ts";
import { useService } from "./use-service.ts";

const CREDENTIALS = { username: "user", password: "secret-of-the-proxy" };

/** The address that the echo service returns. */
const ECHOED_ADDRESS = "93.184.215.14";

/** Longer than a check's timeout, and shorter than the proxy's delay. */
const CHECK_TIMEOUT_MS = 30_000;

/** The service trusts both; only the first names the proxies' host. */
const certificate = makeSelfSigned();
const otherCertificate = makeSelfSigned(["other.test"]);
const folder = mkdtempSync(join(tmpdir(), "bt-ca-"));
const authority = join(folder, "ca.pem");
writeFileSync(authority, `${certificate.certificate}\n${otherCertificate.certificate}`);

let handleEcho: RequestListener;
let proxies: ProxyServer[] = [];

const echo = keepForFile(await serveHTTP((request, response) => handleEcho(request, response)));

const service = await useService({
  settings: {
    ALLOW_PRIVATE_ADDRESSES: "true",
    PROXY_CHECK_URL: "http://echo.test/",
    NODE_EXTRA_CA_CERTS: authority,
  },
});
service.keepSecret(CREDENTIALS.password);
const kernel = service.kernel();

afterAll(() => rmSync(folder, { recursive: true }));
beforeEach(() => {
  handleEcho = (request, response) => {
    const isProxied = request.headers.via === PROXY_MARKER && request.headers.host === "echo.test";
    response.end(isProxied ? `${ECHOED_ADDRESS}\n` : "not through the proxy");
  };
});
afterEach(async () => {
  for (const proxy of proxies) await proxy.stop();
  proxies = [];
});

/** Starts a proxy that resolves every host to the echo service. */
async function startProxy(options: ProxyServerOptions = {}): Promise<ProxyServer> {
  const proxy = await startProxyServer({
    resolve: () => ({ host: "127.0.0.1", port: echo.port }),
    ...options,
  });
  proxies.push(proxy);
  return proxy;
}

function createProxy(
  proxy: Pick<ProxyServer, "protocol" | "host" | "port">,
  config: { host?: string; username?: string; password?: string } = {},
) {
  const { protocol, host, port } = proxy;
  return kernel.proxies.create({ type: "custom", protocol, config: { host, port, ...config } });
}

describe("proxy API", () => {
  test("creates, retrieves, lists, renames, checks and deletes a proxy", async () => {
    const server = await startProxy({ credentials: CREDENTIALS });
    const { host, port } = server;
    const created = await kernel.proxies.create({
      type: "custom",
      name: "  office ",
      protocol: "http",
      config: { host, port, ...CREDENTIALS },
      bypass_hosts: ["Static.Example", "*.local.example"],
    });
    expect(created).toEqual({
      id: expect.stringMatching(/^[0-9a-z]{24}$/),
      type: "custom",
      name: "office",
      protocol: "http",
      config: { host, port, username: CREDENTIALS.username, has_password: true },
      bypass_hosts: ["static.example", "*.local.example"],
      status: "available",
      last_checked: expect.stringMatching(/Z$/),
      ip_address: ECHOED_ADDRESS,
    });
    const id = created.id ?? "";
    expect(server.requests).toEqual([
      expect.objectContaining({ kind: "http", target: "http://echo.test/", authorized: true }),
    ]);
    expect(await kernel.proxies.retrieve(id)).toEqual(created);
    const listed = [];
    for await (const item of kernel.proxies.list({ query: "OFF" })) listed.push(item);
    expect(listed).toEqual([created]);
    const renamed = await kernel.proxies.update(id, { name: "home" });
    expect(renamed).toEqual({ ...created, name: "home" });
    await server.stop();
    const checked = await kernel.proxies.check(id);
    expect(checked).toMatchObject({ id, status: "unavailable", ip_address: ECHOED_ADDRESS });
    expect(Date.parse(checked.last_checked ?? "")).toBeGreaterThan(Date.parse(created.last_checked ?? ""));
    expect((await kernel.proxies.retrieve(id)).status).toBe("unavailable");
    await kernel.proxies.delete(id);
    await expect(kernel.proxies.retrieve(id)).rejects.toThrow(Kernel.NotFoundError);
    await expect(kernel.proxies.delete(id)).rejects.toThrow(Kernel.NotFoundError);
  });
});

describe("proxy check", () => {
  test("reports a proxy with wrong or no credentials as unavailable", async () => {
    const server = await startProxy({ credentials: CREDENTIALS });
    for (const config of [{}, { ...CREDENTIALS, password: "wrong" }]) {
      const created = await createProxy(server, config);
      expect(created.status).toBe("unavailable");
      expect(created).not.toHaveProperty("ip_address");
    }
    expect(server.requests.map(({ authorized }) => authorized)).toEqual([false, false]);
  });

  test("reports a proxy that rejects or resets as unavailable until it recovers", async () => {
    const server = await startProxy();
    const { id = "", status } = await createProxy(server);
    expect(status).toBe("available");
    for (const mode of ["forbid", "reset"] as const) {
      server.setMode(mode);
      expect((await kernel.proxies.check(id)).status).toBe("unavailable");
    }
    server.setMode("serve");
    expect((await kernel.proxies.check(id)).status).toBe("available");
  });

  test("times out for a proxy that does not respond", async () => {
    const server = await startProxy();
    server.setDelay(60_000);
    const start = performance.now();
    const { id = "", status } = await createProxy(server);
    expect(status).toBe("unavailable");
    expect(performance.now() - start).toBeLessThan(CHECK_TIMEOUT_MS);
    const again = performance.now();
    expect((await kernel.proxies.check(id)).status).toBe("unavailable");
    expect(performance.now() - again).toBeLessThan(CHECK_TIMEOUT_MS);
    await expect.poll(() => server.connections).toBe(0);
  });

  test.each<[string, RequestListener, string]>([
    ["JSON with ip", (_, response) => response.end(JSON.stringify({ ip: ECHOED_ADDRESS })), "available"],
    ["JSON with origin", (_, response) => response.end(`{"origin": "${ECHOED_ADDRESS}"}`), "available"],
    [
      "chunks",
      (_, response) => {
        response.write(ECHOED_ADDRESS.slice(0, 5));
        response.end(ECHOED_ADDRESS.slice(5));
      },
      "available",
    ],
    ["an IPv6 address", (_, response) => response.end("2606:2800:21F:cb07::1"), "available"],
    ["an HTML page", (_, response) => response.end("<!doctype html><title>Sign in</title>"), "unavailable"],
    ["status 500", (_, response) => response.writeHead(500).end(ECHOED_ADDRESS), "unavailable"],
    ["a megabyte", (_, response) => response.end("1".repeat(1_000_000)), "unavailable"],
  ])("evaluates a response of %s", async (_, listener, status) => {
    handleEcho = listener;
    expect((await createProxy(await startProxy())).status).toBe(status);
  });

  test("follows no redirects", async () => {
    handleEcho = (request, response) => {
      if (request.url === "/") response.writeHead(302, { location: "http://echo.test/private" }).end();
      else response.end(ECHOED_ADDRESS);
    };
    const server = await startProxy();
    expect((await createProxy(server)).status).toBe("unavailable");
    expect(server.requests.map(({ target }) => target)).toEqual(["http://echo.test/"]);
  });

  test("requires an https proxy's certificate to match its host", async () => {
    const server = await startProxy({ tls: certificate, credentials: CREDENTIALS });
    const named = await createProxy(server, { host: "localhost", ...CREDENTIALS });
    expect(named).toMatchObject({ status: "available", ip_address: ECHOED_ADDRESS });
    expect(await createProxy(server, CREDENTIALS)).toMatchObject({ status: "available" });
    for (const tls of [true, otherCertificate]) {
      const untrusted = await startProxy({ tls });
      expect((await createProxy(untrusted, { host: "localhost" })).status).toBe("unavailable");
      expect(untrusted.requests).toEqual([]);
    }
    const plain = await startProxy();
    expect((await createProxy({ ...plain, protocol: "https" })).status).toBe("unavailable");
  });

  test("reaches a proxy at an IPv6 address", async () => {
    const server = await startProxy({ host: "::1" });
    expect((await createProxy(server)).status).toBe("available");
  });

  test("with a URL tests that URL and stores nothing", async () => {
    const server = await startProxy({ credentials: CREDENTIALS });
    const { last_checked, id = "" } = await createProxy(server, CREDENTIALS);
    for (const url of ["http://shop.test/a?b=c", "https://shop.test/", "https://shop.test:8443/"]) {
      expect((await kernel.proxies.check(id, { url })).status).toBe("available");
    }
    expect(
      server.requests.slice(1).map(({ kind, target, authorized }) => [kind, target, authorized]),
    ).toEqual([
      ["http", "http://shop.test/a?b=c", true],
      ["connect", "shop.test:443", true],
      ["connect", "shop.test:8443", true],
    ]);
    await expect.poll(() => server.connections).toBe(0);
    server.setMode("forbid");
    expect((await kernel.proxies.check(id, { url: "https://shop.test/" })).status).toBe("unavailable");
    expect(await kernel.proxies.retrieve(id)).toMatchObject({ status: "available", last_checked });
    for (const url of ["ftp://shop.test/", "shop.test", "http://user:password@shop.test/"]) {
      await expect(kernel.proxies.check(id, { url })).rejects.toThrow(Kernel.BadRequestError);
    }
  });
});

describe("scheduled proxy checks", () => {
  test("repeat old checks, also after one proxy fails", async () => {
    const [living, dying] = [await startProxy(), await startProxy()];
    const [{ id = "" }, { id: other = "" }] = [await createProxy(living), await createProxy(dying)];
    await dying.stop();
    await service.runScheduled();
    expect(living.requests).toHaveLength(1);
    await service.runScheduled({ laterMs: 901_000 });
    expect(living.requests).toHaveLength(2);
    expect((await kernel.proxies.retrieve(id)).status).toBe("available");
    expect((await kernel.proxies.retrieve(other)).status).toBe("unavailable");
  });
});

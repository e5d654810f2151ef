import { chromium } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type DeployedApp, deployApp, invoke } from "./apps.ts";
import { startProxyServer } from "./proxy-server.ts";
import { Service } from "./service.ts";

const SOURCE = `
app.action("fetch", async (context: KernelContext, payload?: string) => {
  const response = await fetch(payload!);
  return { status: response.status, text: await response.text() };
});
`;

let service: Service;
let app: DeployedApp;

beforeAll(async () => {
  service = await Service.start();
  app = await deployApp(service.kernel(), SOURCE);
});
afterAll(() => service.end());

describe("page navigation", () => {
  test("blocks file URLs in every context", async () => {
    const session = await service.kernel().browsers.create();
    const browser = await chromium.connectOverCDP(session.cdp_ws_url);
    for (const context of [browser.contexts()[0], await browser.newContext()]) {
      const page = await context?.newPage();
      for (const address of ["file:///etc/passwd", "view-source:file:///etc/passwd", "file:///"]) {
        await expect(page?.goto(address), address).rejects.toThrow("can be opened");
      }
    }
    await browser.close();
    await service.kernel().browsers.deleteByID(session.session_id);
  });

  test("blocks DevTools ports but not other local ports", async () => {
    const session = await service.kernel().browsers.create();
    const browser = await chromium.connectOverCDP(session.cdp_ws_url);
    const page = await browser.newPage();
    const ports = service.debuggingPorts();
    expect(ports.length).toBeGreaterThan(0);
    for (const host of ["127.0.0.1", "[::1]", "localhost"]) {
      for (const port of ports) {
        const address = `http://${host}:${port}/json/list`;
        await expect(page.goto(address), address).rejects.toThrow("ERR_UNSAFE_PORT");
      }
    }
    const other = await browser.newPage();
    expect((await other.goto(`${service.baseURL}/health`))?.status()).toBe(200);
    await browser.close();
    await service.kernel().browsers.deleteByID(session.session_id);
  });
});

describe("private addresses", () => {
  test.each(["http://127.0.0.1:9/", "http://localhost/", "http://[::1]/", "http://192.168.0.1/"])(
    "app fetch of %s is rejected",
    async (url) => {
      const { output } = await invoke(service.kernel(), app, "fetch", { payload: url });
      expect(JSON.parse(output ?? "")).toMatchObject({
        status: 403,
        text: expect.stringMatching(/private/),
      });
    },
  );

  test("proxy hosts are rejected", async () => {
    await using server = await startProxyServer();
    const { port } = server;
    for (const host of [
      "127.0.0.1",
      "localhost",
      "2130706433",
      "0x7f.1",
      "::1",
      "[::ffff:127.0.0.1]",
      "10.0.0.1",
      "169.254.169.254",
      "proxy.internal",
    ]) {
      const creation = service
        .kernel()
        .proxies.create({ type: "custom", protocol: "http", config: { host, port } });
      await expect(creation, host).rejects.toThrow(/config\.host: .*private/);
    }
    expect(server.requests).toEqual([]);
    expect((await service.kernel().proxies.list()).items).toEqual([]);
  });
});

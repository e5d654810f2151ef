import { once } from "node:events";
import { type IncomingMessage, type RequestOptions, request } from "node:http";
import { chromium } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { listeningPorts } from "../outside/listening-ports.ts";
import { type DeployedApp, deployApp, invoke } from "./apps.ts";
import { startProxyServer } from "./proxy-server.ts";
import { useService } from "./use-service.ts";

const SOURCE = `
app.action("fetch", async (context: KernelContext, payload?: string) => {
  const response = await fetch(payload!);
  return { status: response.status, text: await response.text() };
});
`;

let app: DeployedApp;

const service = await useService();

beforeAll(async () => {
  app = await deployApp(service.kernel(), SOURCE);
});

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

  test("reaches other local ports", async () => {
    const session = await service.kernel().browsers.create();
    const browser = await chromium.connectOverCDP(session.cdp_ws_url);
    const page = await browser.newPage();
    expect((await page.goto(`${service.baseURL}/health`))?.status()).toBe(200);
    await browser.close();
    await service.kernel().browsers.deleteByID(session.session_id);
  });

  describe.runIf(process.platform === "linux")("every port of the service", () => {
    const session = crypto.randomUUID();
    const paths = [
      "/v1/sessions",
      "/v1/limits",
      "/json/list",
      "/json/version",
      `/v1/devtools/browser/${session}`,
      "/cdn-cgi/local/explorer",
      "/cdn-cgi/local/platform-proxy",
      "/cdn-cgi/local/scheduled?cron=*",
      "/cdn-cgi/local/r2/public",
      "/cdn-cgi/mf/scheduled",
      "/core/store-temp-file",
      "/admin/organizations",
      "/org/api_keys",
    ];
    const attacks: Record<string, string>[] = [
      {},
      ...["browsers", "berth", "assets", "scheduler", "front", "core:entry"].map((name) => ({
        "MF-Route-Override": name,
      })),
      { "MF-Op": "GET", "MF-Op-Target": "env:DB" },
      { "MF-Original-URL": "http://berth.invalid/v1/sessions" },
      { "MF-Custom-Service": "BROWSER", "MF-Custom-Fetch-Service": "BROWSER" },
      { host: "rebound.example" },
    ];

    test("answers nobody without a credential", async () => {
      const created = await service.kernel().browsers.create();
      const pids = service.processes().map(({ pid }) => pid);
      const ports = listeningPorts(pids);
      // Its own, and the loopback server of miniflare.
      expect(ports).toHaveLength(2);
      expect(ports).toContain(Number(new URL(service.baseURL).port));
      const answered = [];
      for (const port of ports) {
        for (const path of paths) {
          for (const headers of attacks) {
            const status = await statusOf({ port, path, headers });
            if (![400, 401, 403, 404, 421].includes(status)) answered.push({ port, path, headers, status });
          }
        }
      }
      expect(answered).toEqual([]);
      await service.kernel().browsers.deleteByID(created.session_id);
    });
  });
});

async function statusOf(options: RequestOptions): Promise<number> {
  const [answer]: IncomingMessage[] = await once(
    request({ host: "127.0.0.1", ...options }).end(),
    "response",
  );
  answer?.resume();
  return answer?.statusCode ?? 0;
}

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

import type Kernel from "@onkernel/sdk";
import puppeteer from "puppeteer-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { connectPage } from "../conformance/connect-page.ts";
import { openProxiedSite, REQUEST_PATHS } from "../conformance/proxied-site.ts";
import { startProxyServer } from "../conformance/proxy-server.ts";
import { SharedService } from "../conformance/shared-service.ts";

const CREDENTIALS = { username: "customer-7", password: "s3cret-pässword" };

let service: SharedService;
let kernel: Kernel;

beforeAll(async () => {
  service = await SharedService.use();
  service.keepSecret(CREDENTIALS.password);
  kernel = service.kernel();
});
afterAll(() => service.end());

/** A session with a custom proxy. */
async function createSession(config: Kernel.ProxyCreateParams.CreateCustomProxyConfig) {
  const { id } = await kernel.proxies.create({ type: "custom", protocol: "http", config });
  return kernel.browsers.create({ proxy_id: id, timeout_seconds: 300 });
}

test.each([
  ["with credentials", CREDENTIALS],
  ["without credentials", undefined],
])("all requests of a page use a proxy %s", async (_, credentials) => {
  await using site = await openProxiedSite();
  await using proxy = await startProxyServer({ credentials, resolve: site.resolve });
  const session = await createSession({ host: proxy.host, port: proxy.port, ...credentials });
  const { browser, page } = await connectPage(session);
  await page.goto(`${site.origin}/kinds`);
  expect(await page.evaluate("done")).toBe("all");
  await expect.poll(() => site.proxiedPaths).toEqual(expect.arrayContaining(REQUEST_PATHS));
  expect(site.directPaths).toEqual([]);
  await browser.close();
  await kernel.browsers.deleteByID(session.session_id);
});

test("all pages of a WebDriver BiDi client use the proxy", async () => {
  await using site = await openProxiedSite();
  await using proxy = await startProxyServer({ credentials: CREDENTIALS, resolve: site.resolve });
  const session = await createSession({ host: proxy.host, port: proxy.port, ...CREDENTIALS });
  const browser = await puppeteer.connect({
    browserWSEndpoint: session.webdriver_ws_url ?? "",
    protocol: "webDriverBiDi",
    defaultViewport: null,
  });
  const pages = [...(await browser.pages()), await browser.newPage()];
  expect(pages).toHaveLength(2);
  for (const page of pages) {
    await page.goto(`${site.origin}/kinds`);
    expect(await page.evaluate("done")).toBe("all");
  }
  await expect.poll(() => site.proxiedPaths).toEqual(expect.arrayContaining(REQUEST_PATHS));
  expect(site.directPaths).toEqual([]);
  await browser.disconnect();
  await kernel.browsers.deleteByID(session.session_id);
});

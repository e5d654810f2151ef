import type Kernel from "@onkernel/sdk";
import puppeteer from "puppeteer-core";
import { expect, test } from "vitest";
import { connectPage, openSession } from "../conformance/connect-page.ts";
import { openProxiedSite, REQUEST_PATHS } from "../conformance/proxied-site.ts";
import { startProxyServer } from "../conformance/proxy-server.ts";
import { SharedService } from "../conformance/shared-service.ts";

const CREDENTIALS = { username: "customer-7", password: "s3cret-pässword" };

const service = await SharedService.use();
service.keepSecret(CREDENTIALS.password);
const kernel = service.kernel();

async function createSession(config: Kernel.ProxyCreateParams.CreateCustomProxyConfig) {
  const { id } = await kernel.proxies.create({ type: "custom", protocol: "http", config });
  return openSession(kernel, { proxy_id: id, timeout_seconds: 300 });
}

test.each([
  ["with credentials", CREDENTIALS],
  ["without credentials", undefined],
])("all requests of a page use a proxy %s", async (_, credentials) => {
  await using site = await openProxiedSite();
  await using proxy = await startProxyServer({ credentials, resolve: site.resolve });
  await using session = await createSession({ host: proxy.host, port: proxy.port, ...credentials });
  const { browser, page } = await connectPage(session);
  await page.goto(`${site.origin}/kinds`);
  expect(await page.evaluate("done")).toBe("all");
  await expect.poll(() => site.proxiedPaths).toEqual(expect.arrayContaining(REQUEST_PATHS));
  expect(site.directPaths).toEqual([]);
  await browser.close();
});

test("all pages of a WebDriver BiDi client use the proxy", async () => {
  await using site = await openProxiedSite();
  await using proxy = await startProxyServer({ credentials: CREDENTIALS, resolve: site.resolve });
  await using session = await createSession({ host: proxy.host, port: proxy.port, ...CREDENTIALS });
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
});

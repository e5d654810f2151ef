import type Kernel from "@onkernel/sdk";
import { openServer } from "../../scripts/local/http-server.ts";
import { type ProxyServer, startProxyServer } from "../../test/conformance/proxy-server.ts";
import { DevToolsClient } from "../devtools-client.ts";
import { pairOf, time, timePair } from "../samples.ts";
import type { Row } from "../table.ts";

const CREDENTIALS = { username: "user", password: "password" };
const LAUNCHES = 12;
const LOADS = 60;
const ROUND_TRIPS = 2000;

const IMAGES = 20;
const PAGE = `<!doctype html>${Array.from({ length: IMAGES }, (_, index) => `<img src="/${index}.svg">`).join("")}`;
const IMAGE = `<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>`;

/**
 * Sessions with a local proxy that requires credentials, compared with sessions without a proxy, and with
 * Chrome and a proxy without credentials.
 *
 * @param kernel client of a service that allows private addresses.
 */
export async function measureProxies(kernel: Kernel, chromeURL: string): Promise<Row[]> {
  await using site = await openSite();
  const resolve = () => ({ host: "127.0.0.1", port: site.port });
  await using authenticated = await startProxyServer({ credentials: CREDENTIALS, resolve });
  await using open = await startProxyServer({ resolve });
  const { id: proxyId } = await kernel.proxies.create({
    type: "custom",
    protocol: "http",
    config: { host: authenticated.host, port: authenticated.port, ...CREDENTIALS },
  });
  const created = await timePair(LAUNCHES, {
    berth: () => createOnce(kernel, proxyId),
    direct: () => createOnce(kernel),
  });

  const sessions = await Promise.all([
    kernel.browsers.create({ timeout_seconds: 600, proxy_id: proxyId }),
    kernel.browsers.create({ timeout_seconds: 600 }),
  ]);
  const clients = await Promise.all(
    [...sessions.map(({ cdp_ws_url }) => cdp_ws_url), chromeURL].map((url) => DevToolsClient.connect(url)),
  );
  const [proxied, plain, chrome] = clients;
  if (proxied === undefined || plain === undefined || chrome === undefined) throw new Error("not connected");
  try {
    const roundTrip = await timePair(ROUND_TRIPS, {
      berth: () => proxied.send("Browser.getVersion"),
      direct: () => plain.send("Browser.getVersion"),
    });
    await Promise.all([proxied.openPage(), openProxiedPage(chrome, open)]);
    const loads = await timePair(LOADS, { berth: () => load(proxied), direct: () => load(chrome) });
    const baseline = "without a proxy";
    return [
      { figure: "POST /browsers with a proxy", baseline, ...created },
      { figure: "DevTools round trip with a proxy", baseline, ...roundTrip },
      {
        figure: `page of ${IMAGES + 1} requests through a proxy`,
        baseline: "Chrome with a proxy",
        ...loads,
      },
    ];
  } finally {
    for (const client of clients) client.close();
    await Promise.all(sessions.map(({ session_id }) => kernel.browsers.deleteByID(session_id)));
  }
}

/** Loading a profile when a session starts, and saving it when it ends. */
export async function measureProfiles(kernel: Kernel): Promise<Row[]> {
  await using site = await openSite();
  const { id } = await kernel.profiles.create({});
  const profile = { id, save_changes: true };
  const starts: { with: number[]; without: number[] } = { with: [], without: [] };
  const ends: { with: number[]; without: number[] } = { with: [], without: [] };
  for (let round = 0; round < LAUNCHES; round += 1) {
    for (const variant of ["with", "without"] as const) {
      const startedAt = performance.now();
      const session = await kernel.browsers.create({
        timeout_seconds: 600,
        ...(variant === "with" ? { profile } : {}),
      });
      starts[variant].push(performance.now() - startedAt);
      const client = await DevToolsClient.connect(session.cdp_ws_url);
      await client.attachToPage();
      for (const host of ["127.0.0.1", "localhost"]) {
        await client.sendToPage("Page.navigate", { url: `http://${host}:${site.port}/` });
        await client.sendToPage("Runtime.evaluate", { expression: FILL_STORAGE, awaitPromise: true });
      }
      client.close();
      ends[variant].push(await time(() => kernel.browsers.deleteByID(session.session_id)));
    }
  }
  const rowOf = (figure: string, times: typeof starts): Row => ({
    figure,
    baseline: "without a profile",
    ...pairOf(times.with.slice(1), times.without.slice(1)),
  });
  return [
    rowOf("POST /browsers with a profile of 2 origins", starts),
    rowOf("DELETE that saves the profile", ends),
  ];
}

/** Stores 100 entries. */
const FILL_STORAGE = `for (let index = 0; index < 100; index += 1) localStorage.setItem("key " + index, "value ".repeat(20));`;

async function createOnce(kernel: Kernel, proxyId?: string): Promise<void> {
  const { session_id } = await kernel.browsers.create({
    timeout_seconds: 600,
    ...(proxyId === undefined ? {} : { proxy_id: proxyId }),
  });
  await kernel.browsers.deleteByID(session_id);
}

async function openProxiedPage(chrome: DevToolsClient, proxy: ProxyServer): Promise<void> {
  await chrome.openPage({ proxyServer: proxy.server, proxyBypassList: "<-loopback>" });
}

/** Numbers the hosts, so that nothing is cached. */
let loads = 0;

async function load(client: DevToolsClient): Promise<void> {
  loads += 1;
  const loaded = new Promise((resolve) => client.on("Page.loadEventFired", resolve));
  await client.sendToPage("Page.enable");
  await client.sendToPage("Page.navigate", { url: `http://site-${loads}.test/` });
  await loaded;
}

function openSite() {
  return openServer((request, response) => {
    response.setHeader("cache-control", "no-store");
    response.setHeader("content-type", request.url === "/" ? "text/html" : "image/svg+xml");
    response.end(request.url === "/" ? PAGE : IMAGE);
  });
}

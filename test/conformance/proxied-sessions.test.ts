import { createSocket } from "node:dgram";
import { once } from "node:events";
import type { BrowserContext, Page } from "playwright-core";
import puppeteer from "puppeteer-core";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { keepForFile } from "../outside/keep-for-file.ts";
import { connectPage, openSession } from "./connect-page.ts";
import { DevToolsClient } from "./devtools-client.ts";
import { openProxiedSite, REQUEST_PATHS } from "./proxied-site.ts";
import { type ProxyServer, startProxyServer } from "./proxy-server.ts";
import { SharedService } from "./shared-service.ts";
import { expectedStorage, readStorage, writeStorage } from "./site-storage.ts";

const CREDENTIALS = { username: "customer-7", password: "s3cret-pässword" };

/** Runs in a page: gathers ICE candidates from servers at that port, given initially and by a change. */
const GATHER = `async (port, choose) => {
  const iceServers = [
    { urls: "stun:127.0.0.1:" + port },
    { urls: ["turn:127.0.0.1:" + port], username: "u", credential: "c" },
  ];
  const Chosen = await choose(iceServers);
  const gather = async (connection) => {
    const { iceTransportPolicy } = connection.getConfiguration();
    const found = iceTransportPolicy === "relay" ? [] : ["may use " + iceTransportPolicy];
    connection.onicecandidate = ({ candidate }) => candidate && found.push(candidate.candidate);
    connection.createDataChannel("data");
    await connection.setLocalDescription(await connection.createOffer());
    while (connection.iceGatheringState !== "complete") await new Promise((resolve) => setTimeout(resolve, 20));
    return found;
  };
  const changed = new Chosen();
  changed.setConfiguration({ iceServers });
  return (await gather(new Chosen({ iceServers }))).concat(await gather(changed));
}`;

const HOSTILE_ACCESSORS = `Object.entries({ iceTransportPolicy: "all", iceServers }).forEach(([name, value]) =>
  Object.defineProperty(Object.prototype, name, { get: () => value, set: () => undefined, configurable: true }))`;

const HOSTILE_FUNCTIONS = `(RegExp.prototype.exec = () => [""], RegExp.prototype.test = () => true,
  WeakSet.prototype.has = () => true, globalThis.String = () => "turns:a.test",
  Array.prototype.filter = Array.prototype.map = Array.prototype.flatMap = () => iceServers)`;

/** A shared session with the open proxy. */
let webRTC: { cdp_ws_url: string };

const site = keepForFile(await openProxiedSite());
const guarded = keepForFile(await startProxyServer({ credentials: CREDENTIALS, resolve: site.resolve }));
const open = keepForFile(await startProxyServer({ resolve: site.resolve }));
const service = await SharedService.use();
const kernel = service.kernel();

beforeAll(async () => {
  webRTC = await createSession(await createProxy(open));
});
afterEach(() => {
  site.proxiedPaths.length = 0;
  site.directPaths.length = 0;
});

async function createProxy(proxy: ProxyServer, bypassHosts: string[] = []): Promise<string> {
  const { host, port } = proxy;
  const created = await kernel.proxies.create({
    type: "custom",
    protocol: "http",
    config: { host, port, ...(proxy === open ? {} : CREDENTIALS) },
    bypass_hosts: bypassHosts,
  });
  if (created.id === undefined) throw new Error("the proxy has no id");
  return created.id;
}

function createSession(proxy_id: string | undefined) {
  return openSession(kernel, { timeout_seconds: 300, proxy_id });
}

describe("requests of a proxied session", () => {
  test("count as usage if they are observed", async () => {
    const received = async () => {
      const usage = await kernel.get<{ total: { proxied_bytes: number } }>("/org/usage");
      return usage.total.proxied_bytes;
    };
    const before = await received();
    const visit = async (proxy_id: string | undefined, address: string) => {
      const telemetry = { browser: { network: { enabled: true } } };
      const session = await kernel.browsers.create({ proxy_id, telemetry });
      const { browser, page } = await connectPage(session);
      await page.goto(address);
      await browser.close();
      await kernel.browsers.deleteByID(session.session_id);
    };
    const proxyId = await createProxy(open);
    await visit(undefined, `${site.origin}/image`);
    await visit(proxyId, `data:text/html,${"x".repeat(10_000)}`);
    await visit(proxyId, `${site.origin}/frame`);
    await expect.poll(received).toBeGreaterThan(before);
    expect(await received()).toBeLessThan(before + 10_000);
  });

  test("use the proxy in contexts created by Playwright and Puppeteer", async () => {
    await using session = await createSession(await createProxy(guarded));
    const { browser } = await connectPage(session);
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(`${site.origin}/kinds`);
    expect(await page.evaluate("done")).toBe("all");
    const other = await puppeteer.connect({ browserWSEndpoint: session.cdp_ws_url });
    const otherPage = await (await other.createBrowserContext()).newPage();
    await otherPage.goto("http://other.test/puppeteer");
    await expect
      .poll(() => site.proxiedPaths)
      .toEqual(expect.arrayContaining([...REQUEST_PATHS, "/puppeteer"]));
    expect(site.directPaths).toEqual([]);
    await other.disconnect();
    await browser.close();
  });

  test("send the credentials to no other proxy", async () => {
    await using session = await createSession(await createProxy(guarded));
    await using thief = await startProxyServer({ credentials: { username: "any", password: "any" } });
    thief.setMode("reset");
    const { browser } = await connectPage(session);
    const context = await browser.newContext({ proxy: { server: thief.server } });
    const page = await context.newPage();
    await page.goto("http://first.test/").catch(() => undefined);
    thief.setMode("serve");
    await page.goto("http://second.test/").catch(() => undefined);
    await expect.poll(() => thief.requests.length).toBeGreaterThan(0);
    const own = await context.newPage();
    await own.goto("http://third.test/").catch(() => undefined);
    expect(thief.requests.map(({ headers }) => headers["proxy-authorization"]).filter(Boolean)).toEqual([]);
    await browser.close();
  });

  test("bypass the proxy for the named hosts only", async () => {
    await using session = await createSession(await createProxy(guarded, ["localhost"]));
    const { browser, page } = await connectPage(session);
    await page.goto(`http://localhost:${site.port}/past`);
    await page.goto(`${site.origin}/through`);
    expect(site.directPaths).toEqual(["/past"]);
    expect(site.proxiedPaths).toContain("/through");
    await browser.close();
  });

  test.each([
    ["RTCPeerConnection", "globalThis.RTCPeerConnection"],
    ["webkitRTCPeerConnection", "globalThis.webkitRTCPeerConnection"],
    [
      "the constructor of a frame",
      "document.body.appendChild(document.createElement('iframe')).contentWindow.RTCPeerConnection",
    ],
    ["the constructor of a popup", "window.open('about:blank').RTCPeerConnection"],
    [
      "the constructor of a window from document.open",
      "document.open('about:blank', '_blank', '').RTCPeerConnection",
    ],
    ["a subclass", "class extends RTCPeerConnection {}"],
    ["the constructor property", "new RTCPeerConnection().constructor"],
    ["accessors on Object.prototype", `(${HOSTILE_ACCESSORS}, RTCPeerConnection)`],
    ["replaced built-in functions", `(${HOSTILE_FUNCTIONS}, RTCPeerConnection)`],
  ])("leak nothing by WebRTC with %s", async (_, choice) => {
    const stun = createSocket("udp4");
    let packets = 0;
    stun.on("message", () => {
      packets += 1;
    });
    stun.bind(0, "127.0.0.1");
    await once(stun, "listening");
    const { browser, page } = await connectPage(webRTC);
    await page.goto(`${site.origin}/webrtc`);
    const script = `(${GATHER})(${stun.address().port}, async (iceServers) => ${choice})`;
    expect(await page.evaluate(script)).toEqual([]);
    expect(packets).toBe(0);
    stun.close();
    for (const opened of page.context().pages()) if (opened !== page) await opened.close();
    await browser.close();
  });

  test.each(["turn:turn.test:3478?transport=tcp", "turns:turn.test:5349"])(
    "use the proxy for the WebRTC relay %s",
    async (url) => {
      const { browser, page } = await connectPage(webRTC);
      await page.goto(`${site.origin}/relay`);
      open.requests.length = 0;
      await page.evaluate(async (urls) => {
        const iceServers = [{ urls, username: "u", credential: "c" }];
        const connection = new RTCPeerConnection({ iceServers });
        connection.createDataChannel("data");
        await connection.setLocalDescription(await connection.createOffer());
      }, url);
      const { host } = new URL(url.replace(/^turns?:/, "http://"));
      await expect.poll(() => open.requests.map(({ target }) => target)).toContain(host);
      expect(site.directPaths).toEqual([]);
      await browser.close();
    },
  );
});

describe("clients of a proxied session", () => {
  test("see one default context and its pages with Playwright", async () => {
    await using session = await createSession(await createProxy(guarded));
    const { browser, page } = await connectPage(session);
    expect(browser.contexts()).toHaveLength(1);
    const [context] = browser.contexts();
    if (context === undefined) throw new Error("no context");
    expect(context.pages()).toHaveLength(1);
    await page.goto(`${site.origin}/page`);
    const second = await context.newPage();
    await second.goto("http://other.test/second");
    await context.addCookies([{ name: "a", value: "1", url: site.origin, httpOnly: true }]);
    expect((await context.cookies()).map(({ name }) => name)).toEqual(["a"]);
    expect((await context.storageState()).cookies).toHaveLength(1);
    await context.grantPermissions(["geolocation"]);
    expect(
      await page.evaluate(async () => (await navigator.permissions.query({ name: "geolocation" })).state),
    ).toBe("granted");
    const downloaded = page.waitForEvent("download");
    await page.evaluate(() => {
      location.href = "/download";
    });
    expect((await downloaded).suggestedFilename()).toBe("report.txt");
    const popup = page.waitForEvent("popup");
    await page.evaluate(() => void window.open("/popup"));
    expect((await popup).url()).toContain("/popup");
    await browser.close();
    const again = await connectPage(session);
    expect(again.browser.contexts()).toHaveLength(1);
    expect(again.browser.contexts()[0]?.pages()).toHaveLength(3);
    expect((await again.browser.contexts()[0]?.cookies())?.map(({ name }) => name)).toEqual(["a"]);
    await again.browser.contexts()[0]?.clearCookies();
    expect(await again.browser.contexts()[0]?.cookies()).toEqual([]);
    await again.browser.close();
    expect(site.directPaths).toEqual([]);
  });

  test("see one default context and its pages with Puppeteer", async () => {
    await using session = await createSession(await createProxy(guarded));
    const browser = await puppeteer.connect({ browserWSEndpoint: session.cdp_ws_url });
    expect(browser.browserContexts()).toHaveLength(1);
    const pages = await browser.pages();
    expect(pages).toHaveLength(1);
    await pages[0]?.goto(`${site.origin}/first`);
    const page = await browser.newPage();
    await page.goto("http://other.test/second");
    await browser.setCookie({ name: "b", value: "2", domain: "other.test" });
    expect((await browser.cookies()).map(({ name }) => name)).toEqual(["b"]);
    expect(await page.evaluate(() => document.cookie)).toBe("b=2");
    const own = await browser.createBrowserContext();
    expect(browser.browserContexts()).toHaveLength(2);
    expect(await own.cookies()).toEqual([]);
    await own.close();
    await browser.disconnect();
    const again = await puppeteer.connect({ browserWSEndpoint: session.cdp_ws_url });
    expect(again.browserContexts()).toHaveLength(1);
    expect(await again.pages()).toHaveLength(2);
    await again.disconnect();
    expect(site.directPaths).toEqual([]);
  });

  test("never see the proxy's credentials", async () => {
    await using session = await createSession(await createProxy(guarded));
    using client = await DevToolsClient.connect(session.cdp_ws_url);
    const frames: string[] = [];
    client.socket.on("message", (data) => frames.push(data.toString()));
    const page = await client.attach();
    await client.send("Network.enable", {}, page);
    await client.send("Page.navigate", { url: `${site.origin}/watched` }, page);
    await expect.poll(() => frames.some((frame) => /proxy-authorization/i.test(frame))).toBe(true);
    const { username, password } = CREDENTIALS;
    const secret = Buffer.from(`${username}:${password}`).toString("base64");
    expect(frames.filter((frame) => frame.includes(secret) || frame.includes(password))).toEqual([]);
  });

  test("cannot reach the browser's own default context", async () => {
    await using session = await createSession(await createProxy(open));
    using client = await DevToolsClient.connect(session.cdp_ws_url);
    await expect(
      client.send("Target.sendMessageToTarget", { message: "{}", sessionId: "x" }),
    ).rejects.toThrow("sessionId");
    const [page] = await client.pages();
    await expect(client.send("Target.exposeDevToolsProtocol", { targetId: page?.targetId })).rejects.toThrow(
      "Commands must come over this connection",
    );
    const contexts = await client.send("Target.getBrowserContexts");
    expect(contexts).toMatchObject({ browserContextIds: [] });
    await client.send("Target.createTarget", {
      url: `${site.origin}/default`,
      browserContextId: contexts.defaultBrowserContextId,
    });
    await client.send("Target.createTarget", { url: `${site.origin}/none` });
    const { sessionId } = await client.send("Target.attachToBrowserTarget");
    await client.send("Target.createTarget", { url: `${site.origin}/attached` }, String(sessionId));
    await expect
      .poll(() => site.proxiedPaths)
      .toEqual(expect.arrayContaining(["/default", "/none", "/attached"]));
    expect(site.directPaths).toEqual([]);
  });
});

describe("computer control of a proxied session", () => {
  test("opens tabs that use the proxy, and takes screenshots of them", async () => {
    await using session = await createSession(await createProxy(guarded));
    const { computer } = kernel.browsers;
    const { browser, page } = await connectPage(session);
    const opened = page.context().waitForEvent("page");
    await computer.pressKey(session.session_id, { keys: ["ctrl+t"] });
    const tab = await opened;
    await computer.pressKey(session.session_id, { keys: ["ctrl+l"] });
    await computer.typeText(session.session_id, { text: `${site.origin}/typed` });
    await computer.pressKey(session.session_id, { keys: ["Return"] });
    await tab.waitForURL(`${site.origin}/typed`);
    const picture = await computer.captureScreenshot(session.session_id);
    expect((await picture.bytes()).length).toBeGreaterThan(1000);
    expect(site.proxiedPaths).toContain("/typed");
    expect(site.directPaths).toEqual([]);
    await browser.close();
  });
});

describe("proxy failures", () => {
  test("a slow proxy delays pages without an error", async () => {
    await using proxy = await startProxyServer({ credentials: CREDENTIALS, resolve: site.resolve });
    proxy.setDelay(700);
    await using session = await createSession(await createProxy(proxy));
    const { browser, page } = await connectPage(session);
    expect((await page.goto(`${site.origin}/slow`))?.status()).toBe(200);
    expect(site.directPaths).toEqual([]);
    await browser.close();
  });

  test("pages show Chrome's error until the proxy recovers", async () => {
    await using proxy = await startProxyServer({ credentials: CREDENTIALS, resolve: site.resolve });
    const proxyId = await createProxy(proxy);
    await using session = await createSession(proxyId);
    const { browser, page } = await connectPage(session);
    // A session cannot be created with a failing proxy.
    proxy.setMode("reset");
    await expect(page.goto(`${site.origin}/dead`)).rejects.toThrow(
      /ERR_(PROXY|TUNNEL|EMPTY|CONNECTION|SOCKET)/,
    );
    proxy.setMode("serve");
    await expect
      .poll(() =>
        page.goto(`${site.origin}/alive`).then(
          (answer) => answer?.status(),
          () => 0,
        ),
      )
      .toBe(200);
    expect(site.proxiedPaths).toContain("/alive");
    proxy.killConnections();
    await page.goto(`${site.origin}/after`);
    await proxy.stop();
    await expect(page.goto(`${site.origin}/gone`)).rejects.toThrow("ERR_PROXY_CONNECTION_FAILED");
    expect(site.directPaths).toEqual([]);
    await browser.close();
  });
});

/** Waits until Playwright reports a page at the URL. */
async function waitForPageAt(context: BrowserContext, url: string): Promise<Page> {
  const find = () => context.pages().find((page) => page.url() === url);
  await expect.poll(find).toBeDefined();
  const page = find();
  if (page === undefined) throw new Error(`no page is at ${url}`);
  return page;
}

describe("proxy changes", () => {
  test("keep the session's cookies, storage and tab URLs", async () => {
    await using second = await startProxyServer({ resolve: site.resolve, credentials: CREDENTIALS });
    const [first, next] = [await createProxy(guarded), await createProxy(second)];
    await using session = await createSession(first);
    const { browser, page } = await connectPage(session);
    await page.goto(`${site.origin}/one`);
    await writeStorage(page, "1");
    const other = await browser.contexts()[0]?.newPage();
    await other?.goto("http://other.test/two");
    if (other !== undefined) await writeStorage(other, "2");
    guarded.requests.length = 0;
    expect(await kernel.browsers.update(session.session_id, { proxy_id: next })).toMatchObject({
      proxy_id: next,
    });
    const [main] = browser.contexts();
    if (main === undefined) throw new Error("there is no context");
    await expect.poll(() => page.isClosed() && other?.isClosed()).toBe(true);
    // Playwright lists pages in the order of their discovery.
    const one = await waitForPageAt(main, `${site.origin}/one`);
    const two = await waitForPageAt(main, "http://other.test/two");
    expect(main.pages()).toHaveLength(2);
    expect(await one.evaluate(readStorage)).toEqual(expectedStorage("1"));
    expect(await two.evaluate(readStorage)).toEqual(expectedStorage("2"));
    await one.goto(`${site.origin}/three`);
    expect(second.requests.map(({ target }) => target)).toContain(`${site.origin}/three`);
    expect(guarded.requests).toEqual([]);
    expect(site.directPaths).toEqual([]);
    await browser.close();
  });

  test("add and remove a session's proxy", async () => {
    await using session = await createSession(undefined);
    const { browser, page } = await connectPage(session);
    const [main] = browser.contexts();
    await page.goto(`${site.origin}/direct`);
    await writeStorage(page, "3");
    expect(site.directPaths).toContain("/direct");
    site.directPaths.length = 0;
    await kernel.browsers.update(session.session_id, { proxy_id: await createProxy(guarded) });
    await expect.poll(() => page.isClosed()).toBe(true);
    if (main === undefined) throw new Error("there is no context");
    const proxied = await waitForPageAt(main, `${site.origin}/direct`);
    expect(await proxied.evaluate(readStorage)).toEqual(expectedStorage("3"));
    await (await main.newPage()).goto(`${site.origin}/new`);
    const own = await browser.newContext();
    await (await own.newPage()).goto(`${site.origin}/own`);
    expect(site.proxiedPaths).toEqual(expect.arrayContaining(["/direct", "/new", "/own"]));
    expect(site.directPaths).toEqual([]);
    const removed = await kernel.browsers.update(session.session_id, { proxy_id: "" });
    expect(removed.proxy_id).toBeUndefined();
    await expect.poll(() => proxied.isClosed()).toBe(true);
    const direct = await waitForPageAt(main, `${site.origin}/direct`);
    expect(await direct.evaluate(readStorage)).toEqual(expectedStorage("3"));
    await direct.goto(`${site.origin}/direct-again`);
    expect(site.directPaths).toContain("/direct-again");
    await browser.close();
  });

  test("reject an unknown proxy without changing the session", async () => {
    const proxyId = await createProxy(guarded);
    await using session = await createSession(proxyId);
    await expect(
      kernel.browsers.update(session.session_id, { proxy_id: "unknown", name: "n" }),
    ).rejects.toMatchObject({ status: 400 });
    expect(await kernel.browsers.retrieve(session.session_id)).toMatchObject({ proxy_id: proxyId });
    expect((await kernel.browsers.retrieve(session.session_id)).name).toBeUndefined();
    await kernel.proxies.delete(proxyId);
    const { browser, page } = await connectPage(session);
    await page.goto(`${site.origin}/kept`);
    const context = await browser.newContext();
    await (await context.newPage()).goto(`${site.origin}/kept-too`);
    expect(site.proxiedPaths).toEqual(expect.arrayContaining(["/kept", "/kept-too"]));
    expect(site.directPaths).toEqual([]);
    await browser.close();
    await expect(createSession(proxyId)).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining("proxy_id"),
    });
  });

  test("last until the end of a lease", async () => {
    await using second = await startProxyServer({ resolve: site.resolve, credentials: CREDENTIALS });
    const [own, leased] = [await createProxy(guarded), await createProxy(second)];
    const pool = await kernel.browserPools.create({ size: 1, proxy_id: own });
    expect(pool.browser_pool_config.proxy_id).toBe(own);
    const acquire = () => kernel.browserPools.acquire(pool.id, { acquire_timeout_seconds: 30 });
    const first = await acquire();
    expect(first.proxy_id).toBe(own);
    await kernel.browsers.update(first.session_id, { proxy_id: leased });
    const { browser, page } = await connectPage(first);
    await page.goto(`${site.origin}/leased`);
    expect(second.requests.map(({ target }) => target)).toContain(`${site.origin}/leased`);
    await browser.close();
    await kernel.browserPools.release(pool.id, { session_id: first.session_id });
    guarded.requests.length = 0;
    const again = await acquire();
    expect(again).toMatchObject({ session_id: first.session_id, proxy_id: own });
    const client = await connectPage(again);
    await client.page.goto(`${site.origin}/own`);
    expect(guarded.requests.map(({ target }) => target)).toContain(`${site.origin}/own`);
    expect(site.directPaths).toEqual([]);
    await client.browser.close();
    await kernel.browserPools.delete(pool.id, { force: true });
  });
});

describe("proxies unusable by the browser", () => {
  const CODE = "proxy_unreachable_from_browser";

  test.each([
    ["does not listen", /ERR_PROXY_CONNECTION_FAILED/],
    ["refuses the credentials", /refuses the credentials/],
  ])("fail session creation: the proxy %s", async (name, reason) => {
    const dead = await startProxyServer({
      resolve: site.resolve,
      credentials: { username: "a", password: "b" },
    });
    const proxyId = await createProxy(dead);
    if (name === "does not listen") await dead[Symbol.asyncDispose]();
    const before = (await kernel.browsers.list()).getPaginatedItems().length;
    await expect(createSession(proxyId)).rejects.toMatchObject({
      status: 503,
      error: { code: CODE, message: expect.stringMatching(reason) },
    });
    expect((await kernel.browsers.list()).getPaginatedItems()).toHaveLength(before);
    await dead[Symbol.asyncDispose]();
  });

  test("leave a session with its current proxy", async () => {
    await using session = await createSession(await createProxy(open));
    const dead = await startProxyServer({ resolve: site.resolve });
    const proxyId = await createProxy(dead);
    await dead[Symbol.asyncDispose]();
    const changed = kernel.browsers.update(session.session_id, { proxy_id: proxyId });
    await expect(changed).rejects.toMatchObject({ status: 503, error: { code: CODE } });
    const { browser, page } = await connectPage(session);
    await page.goto(`${site.origin}/still`);
    expect(site.proxiedPaths).toContain("/still");
    await browser.close();
  });
});

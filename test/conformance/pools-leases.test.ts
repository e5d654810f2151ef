import type Kernel from "@onkernel/sdk";
import { NotFoundError } from "@onkernel/sdk";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { keepForFile } from "../outside/keep-for-file.ts";
import { findBrowserPid, isBrowserRunning } from "./browser-process.ts";
import { recordingPage, servePages } from "./computer-pages.ts";
import { connectPage } from "./connect-page.ts";
import { DevToolsClient, readUpgradeError } from "./devtools-client.ts";
import { ViewerSocket } from "./live-view-socket.ts";
import { visit } from "./machine-file-session.ts";
import { SharedService } from "./shared-service.ts";
import { DOWNLOAD_CONTENT, openSite } from "./site.ts";

type Session = Kernel.BrowserPoolAcquireResponse;

/** The fill rate is a percentage of the size: this pool launches a browser every 1.2 seconds. */
const FAST_FILL_SIZE = 200;
const END_TIMEOUT_MS = 30_000;

const VIEWPORT = { width: 1024, height: 768 };
const DOWNLOADS = "/home/kernel/Downloads";

const service = await SharedService.use();
const kernel = service.kernel();
const site = keepForFile(await openSite());
const pages = keepForFile(
  await servePages({ "/recording": recordingPage(`<textarea id="text" autofocus></textarea>`) }),
);

/** A pool of one browser, so that each lease reuses it. */
let poolId: string;
const leased = new Set<string>();

beforeAll(async () => {
  poolId = await createPool();
});
afterEach(async () => {
  if (leased.size === 0) return;
  // Only a failed test leaves its browser leased.
  leased.clear();
  await kernel.browserPools.delete(poolId, { force: true });
  poolId = await createPool();
});

async function createPool(): Promise<string> {
  const { id } = await kernel.browserPools.create({
    size: 1,
    fill_rate_per_minute: 25,
    viewport: VIEWPORT,
    start_url: site.origin,
  });
  return id;
}

async function acquire(body: Kernel.BrowserPoolAcquireParams = {}): Promise<Session> {
  const session = await kernel.browserPools.acquire(poolId, body);
  leased.add(session.session_id);
  return session;
}

async function release({ session_id }: Session): Promise<void> {
  await kernel.browserPools.release(poolId, { session_id });
  leased.delete(session_id);
}

function listAddress({ cdp_ws_url }: Session): string {
  const address = new URL(cdp_ws_url.replace(/^ws/, "http"));
  address.pathname += "/json/list";
  return address.href;
}

describe("release", () => {
  test("disconnects clients and viewers, and invalidates the URLs of the lease", async () => {
    const session = await acquire();
    const { browser } = await connectPage(session);
    using client = await DevToolsClient.connect(session.cdp_ws_url);
    using viewer = await ViewerSocket.connect(session.browser_live_view_url);
    expect((await fetch(listAddress(session))).status).toBe(200);

    const disconnected = new Promise((resolve) => browser.once("disconnected", resolve));
    await release(session);
    await disconnected;
    const returned = expect.stringContaining("returned to its pool");
    expect(await client.closed).toMatchObject({ code: 1001, reason: returned });
    await viewer.closed;
    expect(viewer.last("ended")).toEqual({ type: "ended", cause: "use", reason: returned });

    const expectInvalid = async () => {
      expect(await readUpgradeError(session.cdp_ws_url)).toMatchObject({ status: 410 });
      using late = await ViewerSocket.connect(session.browser_live_view_url);
      expect(await late.closed).toMatchObject({ code: 1008 });
      expect(late.messages).toEqual([{ type: "ended", cause: "use", reason: returned }]);
      expect(late.frames).toBe(0);
      const response = await fetch(listAddress(session));
      expect(response.status).toBe(410);
      expect(await response.json()).toMatchObject({ code: "gone", message: returned });
    };
    await expectInvalid();

    // They stay invalid during the next lease of the same browser.
    const next = await acquire();
    expect(next.session_id).toBe(session.session_id);
    await expectInvalid();
    expect((await fetch(listAddress(next))).status).toBe(200);
    await release(next);
  });

  test("hides the session from every endpoint while it is idle", async () => {
    const session = await acquire({ name: "taken" });
    const { session_id: id } = session;
    await release(session);
    const { browsers } = kernel;
    for (const request of [
      () => browsers.retrieve(id),
      () => browsers.retrieve("taken"),
      () => browsers.update(id, { name: "mine" }),
      () => browsers.deleteByID(id),
      () => browsers.computer.clickMouse(id, { x: 1, y: 1 }),
      () => browsers.computer.typeText(id, { text: "a" }),
      () => browsers.computer.captureScreenshot(id),
      () => browsers.computer.getMousePosition(id),
      () => browsers.fs.readFile(id, { path: "/etc/passwd" }),
      () => browsers.process.exec(id, { command: "true" }),
      () => kernel.browserPools.release(poolId, { session_id: id }),
    ]) {
      await expect(request(), String(request)).rejects.toThrow(NotFoundError);
    }
    expect(await Array.fromAsync(browsers.list())).toEqual([]);
    expect(await kernel.browserPools.retrieve(poolId)).toMatchObject({ available_count: 1 });
  });

  test("kills processes and deletes files of the machine", async () => {
    const first = await acquire();
    const { fs, process } = kernel.browsers;
    const { session_id: id } = first;
    await fs.writeFile(id, Buffer.from("secret"), { path: "/tmp/file" });
    const { process_id = "" } = await process.spawn(id, {
      command: "bash",
      args: ["-c", "while true; do echo beat >> /tmp/beats; sleep 0.1; done"],
    });
    const events = Array.fromAsync(await process.stdoutStream(process_id, { id }));
    await release(first);
    expect(await events).toEqual([{ event: "exit", exit_code: -1 }]);

    const second = await acquire();
    expect(second.session_id).toBe(id);
    await expect(process.status(process_id, { id })).rejects.toThrow(NotFoundError);
    await expect(fs.readFile(id, { path: "/tmp/file" })).rejects.toThrow(NotFoundError);
    // A surviving process would write again meanwhile.
    const listing = await process.exec(id, { command: "bash", args: ["-c", "sleep 0.5; ls /tmp"] });
    expect(listing).toMatchObject({ exit_code: 0, stdout_b64: "" });
    await release(second);
  });

  test("keeps tabs and cookies, but not the name, tags and start URL", async () => {
    const first = await acquire({ name: "job", tags: { for: "one" }, start_url: `${site.origin}/popup` });
    const { browser, page } = await connectPage(first);
    await page.waitForURL(`${site.origin}/popup`);
    await page.goto(`${site.origin}/greet?who=Ada`);
    await page.evaluate("document.cookie = 'seen=yes; max-age=600'");
    const tab = await page.context().newPage();
    await tab.goto(`${site.origin}/popup`);
    await browser.close();
    await release(first);

    const second = await acquire();
    expect(second.session_id).toBe(first.session_id);
    expect(second.name).toBeUndefined();
    expect(second.tags ?? {}).toEqual({});
    expect(second.start_url).toBe(site.origin);
    const next = await connectPage(second);
    const context = next.page.context();
    const titles = await Promise.all(context.pages().map((each) => each.title()));
    expect(titles.sort()).toEqual(["Greeting", "Popup"]);
    expect(await next.page.evaluate("document.cookie")).toBe("seen=yes");
    await context.clearCookies();
    for (const each of context.pages().slice(1)) await each.close();
    await next.browser.close();
    await release(second);
    await release(await acquire({ name: "job" }));
  });

  test("resets downloads", async () => {
    const path = `${DOWNLOADS}/report.txt`;
    for (const lease of ["first", "second"]) {
      const session = await acquire();
      const { session_id: id } = session;
      await expect(kernel.browsers.fs.readFile(id, { path }), lease).rejects.toThrow(NotFoundError);
      const { browser, page } = await connectPage(session);
      await visit(page, site.origin);
      const [download] = await Promise.all([page.waitForEvent("download"), page.click("#download")]);
      expect(await download.failure()).toBeNull();
      expect(await (await kernel.browsers.fs.readFile(id, { path })).text()).toBe(DOWNLOAD_CONTENT);
      // The release disconnects this client before it can restore the behavior.
      const devtools = await browser.newBrowserCDPSession();
      await devtools.send("Browser.setDownloadBehavior", { behavior: "deny" });
      await release(session);
    }
  });

  test("restores the pool's viewport", async () => {
    const first = await acquire();
    await kernel.browsers.update(first.session_id, { viewport: { width: 1200, height: 800 } });
    const { page } = await connectPage(first);
    await expect.poll(() => page.evaluate("[innerWidth, innerHeight]")).toEqual([1200, 800]);
    await release(first);
    const second = await acquire();
    expect(second.viewport).toMatchObject(VIEWPORT);
    expect((await kernel.browsers.retrieve(second.session_id)).viewport).toMatchObject(VIEWPORT);
    const { browser, page: same } = await connectPage(second);
    await expect.poll(() => same.evaluate("[innerWidth, innerHeight]")).toEqual([1024, 768]);
    await browser.close();
    await release(second);
  });

  test("releases pressed mouse buttons", async () => {
    const first = await acquire();
    const { computer } = kernel.browsers;
    using client = await DevToolsClient.connect(first.cdp_ws_url);
    const tab = await client.attach();
    await client.send("Page.navigate", { url: `${pages.origin}/recording` }, tab);
    const events = (page: DevToolsClient, session: string) =>
      page.evaluate("typeof events === 'undefined' ? [] : events", session);
    await expect
      .poll(async () => {
        await computer.clickMouse(first.session_id, { x: 500, y: 400, click_type: "down" });
        return events(client, tab);
      })
      .toContain("mousedown left 1");
    await computer.moveMouse(first.session_id, { x: 510, y: 410 });
    expect(await events(client, tab)).toContain("mousemove 510,410 1");
    await release(first);

    const second = await acquire();
    using next = await DevToolsClient.connect(second.cdp_ws_url);
    const page = await next.attach();
    await computer.moveMouse(second.session_id, { x: 300, y: 300 });
    await expect.poll(() => events(next, page)).toContain("mousemove 300,300 0");
    expect(await events(next, page)).toContain("mouseup left 1");
    await release(second);
  });

  test("interrupts typing", async () => {
    const first = await acquire({ start_url: `${pages.origin}/recording` });
    const { computer } = kernel.browsers;
    using client = await DevToolsClient.connect(first.cdp_ws_url);
    const tab = await client.attach();
    await expect.poll(() => client.evaluate("location.pathname", tab)).toBe("/recording");
    const value = "document.querySelector('#text')?.value.length ?? 0";
    const typing = computer.typeText(first.session_id, { text: "a".repeat(200), delay: 50 }).then(
      () => "typed",
      (error: unknown) => error,
    );
    await expect.poll(() => client.evaluate(value, tab), { interval: 20 }).toBeGreaterThan(2);
    await release(first);
    expect(await typing).toBeInstanceOf(Error);

    const second = await acquire();
    using next = await DevToolsClient.connect(second.cdp_ws_url);
    const page = await next.attach();
    const before = await next.evaluate(value, page);
    expect(before).toBeLessThan(200);
    // Typing that went on would mix with this text.
    await computer.typeText(second.session_id, { text: "bbbbbbbbbb", delay: 50 });
    const text = "document.querySelector('#text').value";
    await expect.poll(() => next.evaluate(text, page)).toMatch(/^a+b{10}$/);
    expect(await next.evaluate(value, page)).toBe(Number(before) + 10);
    await release(second);
  });
});

describe("pool browser replacement", () => {
  /** Leases the browser of a pool of one that is allowed to launch another immediately. */
  async function acquireFromNewPool(): Promise<{ pool: string; session: Session }> {
    const { id } = await kernel.browserPools.create({ size: FAST_FILL_SIZE, fill_rate_per_minute: 25 });
    const session = await kernel.browserPools.acquire(id, {});
    await kernel.browserPools.update(id, { size: 1 });
    return { pool: id, session };
  }

  /** Waits for a session to end, and acquires its replacement. */
  async function expectReplaced(pool: string, { session_id }: Session, reason: string): Promise<void> {
    const ended = await service.log.waitForEvent(
      { event: "session_ended", session_id },
      { withinMs: END_TIMEOUT_MS },
    );
    expect(ended).toMatchObject({ reason });
    const next = await kernel.browserPools.acquire(pool, { acquire_timeout_seconds: 20 });
    expect(next.session_id).not.toBe(session_id);
    const { browser, page } = await connectPage(next);
    await page.goto(`${site.origin}/popup`);
    expect(await page.title()).toBe("Popup");
    await browser.close();
    expect(await kernel.browserPools.retrieve(pool)).toMatchObject({ available_count: 0, acquired_count: 1 });
    await kernel.browserPools.delete(pool, { force: true });
  }

  test("replaces a browser released with reuse: false", async () => {
    const { pool, session } = await acquireFromNewPool();
    const { session_id } = session;
    const pid = await findBrowserPid(session);
    await kernel.browserPools.release(pool, { session_id, reuse: false });
    await expect.poll(() => isBrowserRunning(pid), { timeout: END_TIMEOUT_MS }).toBe(false);
    const ended = await kernel.browsers.retrieve(session_id, { include_deleted: true });
    expect(ended).toMatchObject({ end_reason: "released", deleted_at: expect.any(String) });
    await expectReplaced(pool, session, "released");
  });

  test("replaces a deleted browser", async () => {
    const { pool, session } = await acquireFromNewPool();
    await kernel.browsers.deleteByID(session.session_id);
    await expectReplaced(pool, session, "deleted");
  });

  test("replaces a leased browser that dies", async () => {
    const { pool, session } = await acquireFromNewPool();
    process.kill(await findBrowserPid(session), "SIGKILL");
    await expectReplaced(pool, session, "browser_lost");
  });

  test("replaces an idle browser that dies", async () => {
    const { pool, session } = await acquireFromNewPool();
    const pid = await findBrowserPid(session);
    await kernel.browserPools.release(pool, { session_id: session.session_id });
    process.kill(pid, "SIGKILL");
    await expectReplaced(pool, session, "browser_lost");
  });

  test("replaces a browser that dies while it is acquired", async () => {
    const { pool, session } = await acquireFromNewPool();
    const pid = await findBrowserPid(session);
    await kernel.browserPools.release(pool, { session_id: session.session_id });
    process.kill(pid, "SIGKILL");
    const next = await kernel.browserPools.acquire(pool, { acquire_timeout_seconds: 20 });
    expect(next.session_id).not.toBe(session.session_id);
    expect(await findBrowserPid(next)).not.toBe(pid);
    await kernel.browserPools.delete(pool, { force: true });
  });
});

describe("pool configuration", () => {
  test("applies to leased browsers", async () => {
    const { id } = await kernel.browserPools.create({
      size: 1,
      stealth: true,
      kiosk_mode: true,
      viewport: { width: 1200, height: 800 },
      start_url: `${site.origin}/popup`,
    });
    const session = await kernel.browserPools.acquire(id, {});
    expect(session).toMatchObject({
      headless: false,
      stealth: true,
      kiosk_mode: true,
      viewport: { width: 1200, height: 800, refresh_rate: 60 },
      start_url: `${site.origin}/popup`,
    });
    const { browser, page } = await connectPage(session);
    await page.waitForURL(`${site.origin}/popup`);
    expect(await page.title()).toBe("Popup");
    expect(await page.evaluate("[innerWidth, innerHeight, navigator.webdriver]")).toEqual([1200, 800, false]);
    await browser.close();
    using viewer = await ViewerSocket.connect(session.browser_live_view_url);
    expect(await viewer.first("welcome")).toMatchObject({
      kiosk: true,
      viewport: { width: 1200, height: 800 },
    });
    await kernel.browserPools.delete(id, { force: true });
    expect(await viewer.closed).toMatchObject({ reason: expect.stringContaining("its pool was deleted") });
  });

  test("gives headless browsers no live view", async () => {
    const { id } = await kernel.browserPools.create({ size: 1, headless: true });
    const session = await kernel.browserPools.acquire(id, {});
    expect(session).toMatchObject({ headless: true, kiosk_mode: false, stealth: false });
    expect(session.browser_live_view_url).toBeUndefined();
    await kernel.browserPools.delete(id, { force: true });
  });
});

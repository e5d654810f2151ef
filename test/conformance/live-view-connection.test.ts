import { setTimeout } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { DevToolsClient } from "./devtools-client.ts";
import { eventually } from "./eventually.ts";
import { LiveViewSuite } from "./live-view-fixture.ts";
import { LiveViewPage } from "./live-view-page.ts";
import { ViewerSocket } from "./live-view-socket.ts";
import { startTcpProxy } from "./tcp-proxy.ts";

const TIMEOUT_MS = 10_000;
const TOLERANCE_MS = 5_000;
const END_TIMEOUT_MS = 40_000;

const suite = await LiveViewSuite.use();

function waitForColor(view: LiveViewPage, color: string): Promise<void> {
  return eventually(async () => expect(await view.color()).toBe(color));
}

function countSockets(view: LiveViewPage): number {
  return view.requested.filter((url) => url.startsWith("ws:")).length;
}

// These tests mostly wait, so they run concurrently.
describe.concurrent("connections", () => {
  test("keep the session alive until timeout_seconds after the last viewer leaves", async () => {
    const session = await suite.createSession({ timeout_seconds: TIMEOUT_MS / 1000 });
    const view = await LiveViewPage.open(suite.viewers, session.browser_live_view_url);
    // No event shows that the session stays open, so this outlasts the timeout.
    await setTimeout(TIMEOUT_MS + TOLERANCE_MS + 1_000);
    expect(await view.status.textContent()).toBe("Connected.");
    await view.goTo(suite.url("/color?is=red"));
    await waitForColor(view, "red");
    await view.close();
    const leftAt = performance.now();
    const ended = { event: "session_ended", session_id: session.session_id };
    const event = await suite.service.log.waitForEvent(ended, { withinMs: END_TIMEOUT_MS });
    expect(performance.now() - leftAt).toBeGreaterThan(TIMEOUT_MS - TOLERANCE_MS);
    expect(event).toMatchObject({ reason: "inactivity" });

    const late = await LiveViewPage.visit(suite.viewers, session.browser_live_view_url ?? "");
    await late.notice.getByText("The session has ended").waitFor();
    await late.close();
  });

  test("show a notice when closed, and reconnect", async () => {
    await using proxy = await startTcpProxy(suite.service.baseURL);
    await using fixture = await suite.createFixture({
      address: ({ browser_live_view_url }) => proxy.reroute(browser_live_view_url),
    });
    const { view, remote } = fixture;
    proxy.disconnect();
    await view.notice.getByText("Connection lost").waitFor();
    expect(await view.page.locator("body").getAttribute("class")).toContain("is-lost");
    await remote.evaluate(`void (document.body.style.background = "blue")`);
    proxy.restore();
    await view.notice.waitFor({ state: "hidden" });
    await waitForColor(view, "blue");
    await fixture.click("#button");
    await eventually(async () => expect(await remote.takeEvents()).toContain("click button button0 x1"));
  });

  test("reconnect when nothing is received", async () => {
    await using proxy = await startTcpProxy(suite.service.baseURL);
    await using fixture = await suite.createFixture({
      prepare: (page) => page.clock.install(),
      address: ({ browser_live_view_url }) => proxy.reroute(browser_live_view_url),
    });
    const { view, remote } = fixture;
    proxy.stall();
    // Messages in flight may still arrive during the first attempt.
    await eventually(async () => {
      await view.page.clock.runFor(26_000);
      expect(await view.notice.getByText("Connection lost").isVisible()).toBe(true);
    });
    await remote.evaluate(`void (document.body.style.background = "blue")`);
    await view.page.clock.runFor(10_000);
    await view.notice.waitFor({ state: "hidden" });
    await waitForColor(view, "blue");
  });

  test("stay closed and show the reason when the session ends", async () => {
    await using fixture = await suite.createFixture({ prepare: (page) => page.clock.install() });
    const { view, session } = fixture;
    await suite.kernel.browsers.deleteByID(session.session_id);
    await view.notice.getByText("The session has ended").waitFor();
    expect(await view.page.locator("#notice-text").textContent()).toBe("Deleted by a call");
    expect(await view.status.textContent()).toContain("The session has ended");
    expect(await view.page.locator("body").getAttribute("class")).toContain("is-ended");
    await view.page.clock.runFor(60_000);
    expect(countSockets(view)).toBe(1);
    await view.page.reload();
    await view.notice.getByText("The session has ended").waitFor();
    expect(view.problems).toEqual([]);
  });
});

describe.concurrent("multiple viewers", () => {
  test("share the picture and the input", async () => {
    await using fixture = await suite.createFixture();
    const other = await LiveViewPage.open(suite.viewers, fixture.session.browser_live_view_url, {
      viewport: { width: 700, height: 500 },
    });
    await fixture.remote.evaluate(`void (document.body.style.background = "red")`);
    await Promise.all([waitForColor(fixture.view, "red"), waitForColor(other, "red")]);
    await fixture.click("#field");
    await fixture.view.page.keyboard.type("one");
    await eventually(async () => expect(await fixture.remote.valueOf("#field")).toBe("one"));
    const there = await other.windowPoint(await fixture.remote.pointOf("#area"), await fixture.remote.size());
    await other.page.mouse.click(there.x, there.y);
    await other.page.keyboard.type("two");
    await eventually(async () => expect(await fixture.remote.valueOf("#area")).toBe("two"));
    // The first viewer sees the mouse of the other.
    await fixture.view.page.locator("#cursor.is-shown").waitFor();

    await other.goTo(suite.url("/color?is=blue"));
    await Promise.all([waitForColor(fixture.view, "blue"), waitForColor(other, "blue")]);
    await other.close();
    await fixture.view.goTo(suite.url("/color?is=lime"));
    await waitForColor(fixture.view, "green");
  });

  test("are not slowed down by one that draws nothing", async () => {
    await using fixture = await suite.createFixture({ path: "/animation" });
    const address = fixture.session.browser_live_view_url;
    using slow = await ViewerSocket.connect(address, { acknowledges: false });
    using quick = await ViewerSocket.connect(address);
    await eventually(() => expect(slow.frames).toBe(1));
    const before = quick.frames;
    await eventually(() => expect(quick.frames - before).toBeGreaterThan(30));
    expect(slow.frames).toBe(1);
    // Once it has drawn a frame, it receives only the latest one.
    const count = slow.frames;
    slow.send({ type: "frame-drawn", frame: 4_000_000_000 });
    await eventually(() => expect(slow.frames).toBe(count + 1));
  });
});

test("slow viewers skip pictures but get the last one", async () => {
  await using fixture = await suite.createFixture({ prepare: (page) => page.addInitScript(holdPictures) });
  const { view, remote } = fixture;
  await view.page.evaluate("window.holdPictures()");
  await remote.evaluate(`new Promise((resolve) => {
    let left = 60;
    requestAnimationFrame(function next() {
      left -= 1;
      document.body.style.background = left > 0 ? "hsl(0 100% " + left + "%)" : "blue";
      left > 0 ? requestAnimationFrame(next) : resolve();
    });
  })`);
  await view.page.evaluate("window.releasePictures()");
  await waitForColor(view, "blue");
});

/** Runs in the page before its scripts; nothing is drawn between `holdPictures()` and `releasePictures()`. */
function holdPictures(): void {
  const decode = window.createImageBitmap;
  let released = Promise.resolve();
  Object.assign(window, {
    holdPictures: () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      released = promise;
      Object.assign(window, { releasePictures: resolve });
    },
    createImageBitmap: async (picture: Blob) => {
      await released;
      return decode(picture);
    },
  });
}

test("the page is captured only while there are viewers", async () => {
  const session = await suite.createSession();
  using observer = await Observer.connect(session.cdp_ws_url);
  await observer.show(suite.url("/animation"));
  // The session takes one picture after each navigation, as evidence.
  await eventually(async () => expect(await observer.countCaptures()).toBe(0));
  const view = await LiveViewPage.open(suite.viewers, session.browser_live_view_url);
  await eventually(async () => expect(await observer.countCaptures()).toBeGreaterThan(5));
  await view.close();
  // The service notices the disconnect a moment later.
  await eventually(async () => expect(await observer.countCaptures()).toBe(0));
  await suite.kernel.browsers.deleteByID(session.session_id);
});

test("resizing with viewers fails unless forced", async () => {
  await using fixture = await suite.createFixture();
  const { view, remote, session } = fixture;
  const resize = (force: boolean) =>
    suite.kernel.browsers.update(session.session_id, { viewport: { width: 1024, height: 768, force } });
  await expect(resize(false)).rejects.toMatchObject({ status: 409 });
  expect(await remote.size()).toEqual({ width: 1200, height: 800 });
  await resize(true);
  expect(await remote.size()).toEqual({ width: 1024, height: 768 });
  await eventually(async () => {
    const { width = 0, height = 1 } = (await view.canvas.boundingBox()) ?? {};
    expect(width / height).toBeCloseTo(1024 / 768, 2);
    const picture = await view.pictureSize();
    expect(picture.width / picture.height).toBeCloseTo(1024 / 768, 2);
  });
  await fixture.click("#button");
  await eventually(async () => expect(await remote.takeEvents()).toContain("click button button0 x1"));
});

/** Counts captures in the browser's trace. */
class Observer implements Disposable {
  readonly #client: DevToolsClient;
  readonly #page: string;

  private constructor(client: DevToolsClient, page: string) {
    this.#client = client;
    this.#page = page;
  }

  static async connect(address: string): Promise<Observer> {
    const client = await DevToolsClient.connect(address);
    return new Observer(client, await client.attach());
  }

  async show(url: string): Promise<void> {
    await this.#client.send("Page.navigate", { url }, this.#page);
  }

  /** Number of captures while the page draws sixty frames. */
  async countCaptures(): Promise<number> {
    let captures = 0;
    const { promise: isComplete, resolve } = Promise.withResolvers<void>();
    const listener = (data: Buffer) => {
      const { method, params } = traceSchema.parse(JSON.parse(data.toString()));
      captures += params?.value?.filter(({ cat }) => cat === "gpu.capture").length ?? 0;
      if (method === "Tracing.tracingComplete") resolve();
    };
    this.#client.socket.on("message", listener);
    await this.#client.send("Tracing.start", { traceConfig: { includedCategories: ["gpu.capture"] } });
    const expression = `new Promise((resolve) => {
      let left = 60;
      requestAnimationFrame(function next() { left -= 1; left > 0 ? requestAnimationFrame(next) : resolve() });
    })`;
    await this.#client.send("Runtime.evaluate", { expression, awaitPromise: true }, this.#page);
    await this.#client.send("Tracing.end");
    await isComplete;
    this.#client.socket.off("message", listener);
    return captures;
  }

  [Symbol.dispose](): void {
    this.#client[Symbol.dispose]();
  }
}

const traceSchema = z.object({
  method: z.string().optional(),
  params: z
    .object({
      value: z
        .array(z.object({ cat: z.string().optional() }))
        .optional()
        .catch(undefined),
    })
    .optional(),
});

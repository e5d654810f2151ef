import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { DevToolsClient } from "./devtools-client.ts";
import { LiveViewPage } from "./live-view-page.ts";
import { Stage } from "./live-view-scene.ts";
import { ViewerSocket } from "./live-view-socket.ts";
import { soon } from "./live-view-soon.ts";
import { layWire } from "./live-view-wire.ts";

const TIMEOUT_MS = 10_000;
const TOLERANCE_MS = 5_000;
const ENDS_WITHIN_MS = 40_000;

let stage: Stage;

beforeAll(async () => {
  stage = await Stage.set();
});
afterAll(() => stage[Symbol.asyncDispose]());

function untilColor(view: LiveViewPage, color: string): Promise<void> {
  return soon(async () => expect(await view.color()).toBe(color));
}

/** How many sockets a page has opened. */
function socketsOf(view: LiveViewPage): number {
  return view.requested.filter((url) => url.startsWith("ws:")).length;
}

// These wait for clocks and for each other's processes, so they wait together.
describe.concurrent("a connection", () => {
  test("that is use of the session: it ends its time after the last viewer left, and not before", async () => {
    const session = await stage.createSession({ timeout_seconds: TIMEOUT_MS / 1000 });
    const view = await LiveViewPage.open(stage.viewers, session.browser_live_view_url);
    // Longer than the time-out and its tolerance: that nothing happens has no event.
    await setTimeout(TIMEOUT_MS + TOLERANCE_MS + 1_000);
    expect(await view.status.textContent()).toBe("Connected.");
    await view.goTo(stage.url("/color?is=red"));
    await untilColor(view, "red");
    await view.close();
    const leftAt = performance.now();
    const ended = { event: "session_ended", session_id: session.session_id };
    const event = await stage.service.log.untilEvent(ended, { withinMs: ENDS_WITHIN_MS });
    expect(performance.now() - leftAt).toBeGreaterThan(TIMEOUT_MS - TOLERANCE_MS);
    expect(event).toMatchObject({ reason: "inactivity" });

    const late = await LiveViewPage.visit(stage.viewers, session.browser_live_view_url ?? "");
    await late.notice.getByText("This live view has ended").waitFor();
    await late.close();
  });

  test("that is cut says so, and comes back by itself", async () => {
    await using wire = await layWire(stage.service.baseURL);
    await using scene = await stage.scene({
      address: ({ browser_live_view_url }) => wire.over(browser_live_view_url),
    });
    const { view, remote } = scene;
    wire.cut();
    await view.notice.getByText("Connection lost").waitFor();
    expect(await view.page.locator("body").getAttribute("class")).toContain("is-lost");
    await remote.evaluate(`void (document.body.style.background = "blue")`);
    wire.mend();
    await view.notice.waitFor({ state: "hidden" });
    await untilColor(view, "blue");
    await scene.click("#button");
    await soon(async () => expect(await remote.heard()).toContain("click button button0 x1"));
  });

  test("that falls silent is taken for lost, and comes back by itself", async () => {
    await using wire = await layWire(stage.service.baseURL);
    await using scene = await stage.scene({
      prepare: (page) => page.clock.install(),
      address: ({ browser_live_view_url }) => wire.over(browser_live_view_url),
    });
    const { view, remote } = scene;
    wire.silence();
    // What was under way when it fell silent may be heard after the first of these.
    await soon(async () => {
      await view.page.clock.runFor(26_000);
      expect(await view.notice.getByText("Connection lost").isVisible()).toBe(true);
    });
    await remote.evaluate(`void (document.body.style.background = "blue")`);
    await view.page.clock.runFor(10_000);
    await view.notice.waitFor({ state: "hidden" });
    await untilColor(view, "blue");
  });

  test("that the session's end closes says why, and stays closed", async () => {
    await using scene = await stage.scene({ prepare: (page) => page.clock.install() });
    const { view, session } = scene;
    await stage.kernel.browsers.deleteByID(session.session_id);
    await view.notice.getByText("This live view has ended").waitFor();
    expect(await view.page.locator("#notice-text").textContent()).toContain("the session ended: ");
    expect(await view.status.textContent()).toContain("This live view has ended");
    expect(await view.page.locator("body").getAttribute("class")).toContain("is-ended");
    await view.page.clock.runFor(60_000);
    expect(socketsOf(view)).toBe(1);
    await view.page.reload();
    await view.notice.getByText("This live view has ended").waitFor();
    expect(view.problems).toEqual([]);
  });
});

describe.concurrent("several viewers", () => {
  test("see the same, and all of them act", async () => {
    await using scene = await stage.scene();
    const other = await LiveViewPage.open(stage.viewers, scene.session.browser_live_view_url, {
      viewport: { width: 700, height: 500 },
    });
    await scene.remote.evaluate(`void (document.body.style.background = "red")`);
    await Promise.all([untilColor(scene.view, "red"), untilColor(other, "red")]);
    await scene.click("#field");
    await scene.view.page.keyboard.type("one");
    await soon(async () => expect(await scene.remote.valueOf("#field")).toBe("one"));
    const there = await other.windowPoint(await scene.remote.pointOf("#area"), await scene.remote.size());
    await other.page.mouse.click(there.x, there.y);
    await other.page.keyboard.type("two");
    await soon(async () => expect(await scene.remote.valueOf("#area")).toBe("two"));
    // What one does the other sees: the remote mouse.
    await scene.view.page.locator("#cursor.is-shown").waitFor();

    await other.goTo(stage.url("/color?is=blue"));
    await Promise.all([untilColor(scene.view, "blue"), untilColor(other, "blue")]);
    await other.close();
    await scene.view.goTo(stage.url("/color?is=lime"));
    await untilColor(scene.view, "green");
  });

  test("are not slowed by one that draws nothing", async () => {
    await using scene = await stage.scene({ path: "/animation" });
    const address = scene.session.browser_live_view_url;
    using slow = await ViewerSocket.connect(address, { acknowledges: false });
    using quick = await ViewerSocket.connect(address);
    await soon(() => expect(slow.frames).toBe(1));
    const before = quick.frames;
    await soon(() => expect(quick.frames - before).toBeGreaterThan(30));
    expect(slow.frames).toBe(1);
    // It takes part again as soon as it draws: the newest picture, not all that it missed.
    const count = slow.frames;
    slow.send({ type: "frame-drawn", frame: 4_000_000_000 });
    await soon(() => expect(slow.frames).toBe(count + 1));
  });
});

test("who draws slowly misses pictures, never the last one", async () => {
  await using scene = await stage.scene({ prepare: (page) => page.addInitScript(holdPictures) });
  const { view, remote } = scene;
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
  await untilColor(view, "blue");
});

/** Runs in a live view's page before its own script: no picture is drawn from `holdPictures()` to `releasePictures()`. */
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

test("a picture is taken only while somebody looks", async () => {
  const session = await stage.createSession();
  using observer = await Observer.connect(session.cdp_ws_url);
  await observer.show(stage.url("/animation"));
  expect(await observer.countCaptures()).toBe(0);
  const view = await LiveViewPage.open(stage.viewers, session.browser_live_view_url);
  expect(await observer.countCaptures()).toBeGreaterThan(5);
  await view.close();
  // The service hears of it a moment later.
  await soon(async () => expect(await observer.countCaptures()).toBe(0));
  await stage.kernel.browsers.deleteByID(session.session_id);
});

test("a resize is refused while somebody looks, and seen by them when it is forced", async () => {
  await using scene = await stage.scene();
  const { view, remote, session } = scene;
  const resize = (force: boolean) =>
    stage.kernel.browsers.update(session.session_id, { viewport: { width: 1024, height: 768, force } });
  await expect(resize(false)).rejects.toMatchObject({ status: 409 });
  expect(await remote.size()).toEqual({ width: 1200, height: 800 });
  await resize(true);
  expect(await remote.size()).toEqual({ width: 1024, height: 768 });
  await soon(async () => {
    const { width = 0, height = 1 } = (await view.canvas.boundingBox()) ?? {};
    expect(width / height).toBeCloseTo(1024 / 768, 2);
    const picture = await view.pictureSize();
    expect(picture.width / picture.height).toBeCloseTo(1024 / 768, 2);
  });
  await scene.click("#button");
  await soon(async () => expect(await remote.heard()).toContain("click button button0 x1"));
});

/** Sees by the browser's own trace whether its pages are captured. */
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

  /** How many pictures are taken of the page while it draws sixty. */
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

import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import WebSocket from "ws";
import { z } from "zod";
import type { ViewerMessage } from "../../src/live-view/protocol.ts";
import { refusedUpgrade } from "./devtools-client.ts";
import { LiveViewPage } from "./live-view-page.ts";
import { type Scene, Stage } from "./live-view-scene.ts";
import { socketURL, ViewerSocket } from "./live-view-socket.ts";
import { soon } from "./live-view-soon.ts";

let stage: Stage;

beforeAll(async () => {
  stage = await Stage.set();
});
afterAll(() => stage[Symbol.asyncDispose]());

/** What somebody without the page would send to take over a session. */
function attack(tab: string): ViewerMessage[] {
  const key = { code: "KeyA", keyCode: 65, location: 0, repeat: false, modifiers: 0 };
  return [
    {
      type: "mouse",
      action: "down",
      x: 140,
      y: 150,
      button: "left",
      buttons: 1,
      clickCount: 1,
      modifiers: 0,
    },
    { type: "mouse", action: "up", x: 140, y: 150, button: "left", buttons: 0, clickCount: 1, modifiers: 0 },
    { type: "wheel", x: 10, y: 10, deltaX: 0, deltaY: 300, modifiers: 0 },
    { type: "key", action: "down", key: "a", ...key },
    { type: "key", action: "up", key: "a", ...key },
    { type: "text", text: "attack" },
    { type: "paste", text: "attack" },
    { type: "touch", action: "start", points: [{ id: 0, x: 140, y: 150 }] },
    { type: "touch", action: "end", points: [] },
    { type: "navigate", url: "about:blank" },
    { type: "reload" },
    { type: "open-tab" },
    { type: "close-tab", tab },
    { type: "answer-dialog", dialog: 1, accept: true },
  ];
}

/** Messages of the tab strip and the address bar. */
function ofBrowserBar(tab: string): ViewerMessage[] {
  return [
    { type: "navigate", url: "about:blank" },
    { type: "back" },
    { type: "forward" },
    { type: "reload" },
    { type: "open-tab" },
    { type: "close-tab", tab },
    { type: "activate-tab", tab },
  ];
}

async function frontTab(socket: ViewerSocket): Promise<string> {
  return String((await socket.first("tabs")).active);
}

const dialogSchema = z.object({ dialog: z.object({ id: z.number() }) });

/** Number of the dialog that a viewer is shown. */
async function shownDialog(socket: ViewerSocket): Promise<number> {
  await soon(() => dialogSchema.parse(socket.last("dialog")));
  return dialogSchema.parse(socket.last("dialog")).dialog.id;
}

/** Proves that the remote page is as it was, after all that was sent has had its turn. */
async function expectUntouched(scene: Scene): Promise<void> {
  const { remote, session } = scene;
  // The session's commands run in their order: this one is the last.
  await stage.kernel.browsers.computer.getMousePosition(session.session_id);
  await stage.kernel.browsers.computer.moveMouse(session.session_id, { x: 1, y: 1 });
  expect(await remote.heard()).toEqual([]);
  expect(await remote.evaluate("[document.title, scrollY, field.value, window.isOld].join()")).toBe(
    "Playground,0,,true",
  );
  expect(await remote.client.pages()).toHaveLength(1);
}

async function mark({ remote }: Scene): Promise<void> {
  await remote.evaluate("void (window.isOld = true)");
}

async function watchAddress(sessionId: string): Promise<string> {
  const response = await fetch(`${stage.service.baseURL}/browsers/${sessionId}/live_view_urls`, {
    method: "POST",
    headers: { authorization: `Bearer ${stage.service.apiKey}`, "content-type": "application/json" },
    body: JSON.stringify({ mode: "watch" }),
  });
  const { url }: { url: string } = await response.json();
  return url;
}

describe.concurrent("who only watches", () => {
  test.for([
    ["by a link made for watching", ({ session_id }) => watchAddress(session_id)],
    [
      "by such a link with readOnly=false",
      async ({ session_id }) => `${await watchAddress(session_id)}&readOnly=false`,
    ],
    ["with readOnly=true", ({ browser_live_view_url }) => `${browser_live_view_url}&readOnly=true`],
  ] satisfies [string, (session: Scene["session"]) => string | Promise<string>][])(
    "sees and does nothing, %s",
    async ([, address]) => {
      await using scene = await stage.scene({ address });
      const { view, remote, session } = scene;
      await mark(scene);
      expect(await view.page.locator("#watching").isVisible()).toBe(true);
      expect(await view.canvas.getAttribute("role")).toBe("img");
      for (const name of ["New tab", "Back", "Reload"])
        expect(await view.button(name).isDisabled()).toBe(true);
      expect(await view.address.getAttribute("readonly")).not.toBeNull();

      await scene.click("#button");
      await view.page.mouse.wheel(0, 300);
      await view.page.keyboard.type("attack");
      await view.page.keyboard.press("Control+KeyT");
      using socket = await ViewerSocket.connect(await address(session));
      for (const message of attack(await frontTab(socket))) socket.send(message);
      await socket.untilHeard();
      await expectUntouched(scene);

      await remote.evaluate(`void (document.body.style.background = "red")`);
      await soon(async () => expect(await view.color()).toBe("red"));
      expect(view.problems).toEqual([]);
    },
  );

  test("sees a dialog and cannot answer it", async () => {
    await using scene = await stage.scene({ address: ({ session_id }) => watchAddress(session_id) });
    const { view, remote, session } = scene;
    const answer = remote.evaluate(`confirm("Really?")`);
    answer.catch(() => undefined);
    await view.dialog.getByText("Really?").waitFor();
    expect(await view.dialog.getByRole("button").count()).toBe(0);
    await view.page.keyboard.press("Escape");
    using watcher = await ViewerSocket.connect(await watchAddress(session.session_id));
    watcher.send({ type: "answer-dialog", dialog: await shownDialog(watcher), accept: false });
    await watcher.untilHeard();
    using controller = await ViewerSocket.connect(session.browser_live_view_url);
    controller.send({ type: "answer-dialog", dialog: await shownDialog(controller), accept: true });
    expect(await answer).toBe(true);
    await view.dialog.waitFor({ state: "hidden" });
  });
});

describe.concurrent("a kiosk", () => {
  test("keeps to its page: no shortcut and no message of the socket leaves it", async () => {
    await using scene = await stage.scene({ session: { kiosk_mode: true } });
    const { view, remote, session } = scene;
    await mark(scene);
    await scene.click("#field");
    await soon(async () => expect(await remote.evaluate("document.activeElement.id")).toBe("field"));
    for (const keys of [
      "Control+KeyT",
      "Control+KeyN",
      "Control+KeyW",
      "Control+KeyL",
      "F5",
      "Control+KeyR",
    ]) {
      await view.page.keyboard.press(keys);
    }
    using socket = await ViewerSocket.connect(session.browser_live_view_url);
    for (const message of ofBrowserBar(await frontTab(socket))) socket.send(message);
    await socket.untilHeard();
    // What the viewer types comes after all that; it goes to the page, not to an address bar that nobody sees.
    await view.page.keyboard.type("here");
    await soon(async () => expect(await remote.valueOf("#field")).toBe("here"));
    expect(await remote.evaluate("document.title + window.isOld")).toBe("Playgroundtrue");
    expect(await remote.client.pages()).toHaveLength(1);
  });
});

describe.concurrent("the page", () => {
  test("asks nobody but its service, keeps nothing, and tells nobody where it was", async () => {
    await using scene = await stage.scene();
    const { view } = scene;
    await scene.click("#button");
    const hosts = view.requested.map((url) => new URL(url).host);
    expect(new Set(hosts)).toEqual(new Set([new URL(stage.service.baseURL).host]));
    expect(view.requested.length).toBeGreaterThanOrEqual(4);
    expect(await view.page.context().cookies()).toEqual([]);
    const stored = () => [document.cookie, localStorage.length, sessionStorage.length, document.referrer];
    expect(await view.page.evaluate(stored)).toEqual(["", 0, 0, ""]);
    expect(view.problems).toEqual([]);
    // The address bar sends the remote browser somewhere, not this one, and without a Referer.
    await view.goTo(stage.url("/other"));
    await soon(() => expect(stage.site.requests.some(({ path }) => path === "/other")).toBe(true));
    const referers = stage.site.requests.map(({ headers }) => headers.referer ?? "");
    expect(referers.filter((referer) => referer.startsWith(stage.service.baseURL))).toEqual([]);
  });

  test("is served with headers that keep it to itself", async () => {
    const session = await stage.createSession();
    const response = await fetch(session.browser_live_view_url ?? "");
    const policy = response.headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/unsafe|https?:/);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "referrer-policy": "no-referrer",
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
    });
    expect(response.headers.getSetCookie()).toEqual([]);
    expect(await response.text()).not.toContain("eyJ");
    await stage.kernel.browsers.deleteByID(session.session_id);
  });

  test("runs no script that is not its own", async () => {
    await using scene = await stage.scene();
    const { page } = scene.view;
    const violation = page.evaluate(
      () =>
        new Promise<string>((resolve) => {
          addEventListener("securitypolicyviolation", ({ effectiveDirective }) =>
            resolve(effectiveDirective),
          );
          const script = document.createElement("script");
          script.textContent = "window.isInjected = true";
          document.body.append(script);
        }),
    );
    expect(await violation).toBe("script-src-elem");
    expect(await page.evaluate("window.isInjected")).toBeUndefined();
  });

  test("is shown and used in a page of another origin", async () => {
    await using scene = await stage.scene();
    const embedding = await stage.viewers.newPage();
    const view = encodeURIComponent(scene.session.browser_live_view_url ?? "");
    // By another name, so that it is another site as well.
    const origin = stage.site.origin.replace("127.0.0.1", "localhost");
    await embedding.goto(`${origin}/embedding?view=${view}`);
    const canvas = embedding.frameLocator("iframe").locator("#page");
    await embedding.frameLocator("iframe").locator("body.is-welcome").waitFor();
    await soon(async () =>
      expect(await canvas.evaluate((element) => element.clientWidth)).toBeGreaterThan(100),
    );
    const { x, y } = await scene.remote.pointOf("#field");
    const size = await scene.remote.size();
    await clickInside(canvas, { x: x / size.width, y: y / size.height });
    await embedding.keyboard.type("embedded");
    await soon(async () => expect(await scene.remote.valueOf("#field")).toBe("embedded"));
    expect(await embedding.context().cookies()).toEqual([]);
    await embedding.close();
  });
});

/** Clicks at a share of an element's width and height. */
async function clickInside(element: Locator, { x, y }: { x: number; y: number }): Promise<void> {
  const box = await element.boundingBox();
  if (box === null) throw new Error("There is nothing to click");
  await element.click({ position: { x: box.width * x, y: box.height * y } });
}

describe.concurrent("by keyboard alone", () => {
  test("one reaches tabs, toolbar and the remote page, and comes out of it again", async () => {
    await using scene = await stage.scene();
    const { view, remote } = scene;
    const { keyboard } = view.page;
    await scene.click("#field");
    await soon(async () => expect(await remote.evaluate("document.activeElement.id")).toBe("field"));
    await view.page.evaluate(
      () => document.activeElement instanceof HTMLElement && document.activeElement.blur(),
    );
    await view.page.locator("#tabs button").first().focus();
    const reached: string[] = [];
    for (let presses = 0; presses < 12 && reached.at(-1) !== "keys"; presses += 1) {
      reached.push(await focused(view.page));
      await keyboard.press("Tab");
      if ((await focused(view.page)) === "keys") reached.push("keys");
    }
    expect(reached).toEqual([
      "Playground",
      "Close tab: Playground",
      "new-tab",
      "back",
      "reload",
      "address",
      "keys",
    ]);
    expect(await view.page.locator("#keyboard-hint").textContent()).toContain("Ctrl+Alt+Shift");
    await soon(async () => {
      const opacity = await view.page
        .locator("#keyboard-hint")
        .evaluate((hint) => getComputedStyle(hint).opacity);
      expect(opacity).toBe("1");
    });
    await keyboard.type("in");
    await soon(async () => expect(await remote.valueOf("#field")).toBe("in"));
    // Tab is the remote page's as well.
    await keyboard.press("Tab");
    await soon(async () => expect(await remote.evaluate("document.activeElement.id")).toBe("button"));
    expect(await focused(view.page)).toBe("keys");
    await keyboard.press("Control+Alt+Shift");
    expect(await focused(view.page)).toBe("address");
    await keyboard.press("Shift+Tab");
    expect(await focused(view.page)).toBe("reload");
  });

  test("one comes out of a kiosk", async () => {
    await using scene = await stage.scene({ session: { kiosk_mode: true } });
    const { page } = scene.view;
    await page.keyboard.press("Tab");
    expect(await focused(page)).toBe("keys");
    await page.keyboard.press("Control+Alt+Shift");
    expect(await focused(page)).toBe("after-screen");
  });
});

/** Id of the element that has the focus; its name where it has none. */
function focused(page: Page): Promise<string> {
  return page.evaluate(() => document.activeElement?.id || document.activeElement?.ariaLabel || "nothing");
}

describe.concurrent("the socket", () => {
  test("is opened by the page's own origin with the session's own token only", async () => {
    const [session, other] = await Promise.all([stage.createSession(), stage.createSession()]);
    const address = session.browser_live_view_url;
    for (const origin of ["https://evil.example", "null", stage.site.origin, undefined]) {
      expect(await upgradeStatus(socketURL(address), origin), String(origin)).toBe(403);
    }
    expect(await refusedUpgrade(socketURL(address))).toMatchObject({ status: 403 });
    const path = (url: string | null | undefined) => new URL(url ?? "").pathname;
    const token = (url: string | null | undefined) => new URL(url ?? "").search;
    const forged = [
      `${stage.service.baseURL}${path(address)}`,
      `${stage.service.baseURL}${path(address)}${token(other.browser_live_view_url)}`,
      `${stage.service.baseURL}${path(address)}${token(session.cdp_ws_url)}`,
      `${address}x`,
    ];
    for (const url of forged) {
      using socket = await ViewerSocket.connect(url);
      expect(await socket.closed).toMatchObject({ code: 1008 });
      expect(socket.messages.map(({ type }) => type)).toEqual(["ended"]);
      expect(socket.frames).toBe(0);
    }
    // A token for looking drives no browser.
    const cdp = new URL(session.cdp_ws_url);
    cdp.search = token(address);
    expect(await refusedUpgrade(cdp.href)).toMatchObject({ status: 401 });
    for (const { session_id } of [session, other]) await stage.kernel.browsers.deleteByID(session_id);
  });

  test("ends at a message that is none, for that viewer alone", async () => {
    await using scene = await stage.scene();
    const malformed: (string | Buffer)[] = [
      "",
      "{",
      "null",
      "[]",
      `{"type":"unknown"}`,
      `{"type":"mouse","action":"down"}`,
      `{"type":"mouse","action":"move","x":-1,"y":1e9,"button":"none","buttons":0,"clickCount":0,"modifiers":0}`,
      `{"type":"key","action":"down","key":"","code":"","keyCode":1,"location":9,"repeat":false,"modifiers":99}`,
      `{"type":"navigate","url":"${"x".repeat(10_001)}"}`,
      `{"__proto__":{"type":"ping"}}`,
      "[".repeat(50_000),
      Buffer.from([0, 1, 2, 255]),
    ];
    for (const message of malformed) {
      using socket = await ViewerSocket.connect(scene.session.browser_live_view_url);
      socket.sendRaw(message);
      expect(await socket.closed).toMatchObject({ code: 1008 });
    }
    await scene.click("#button");
    await soon(async () => expect(await scene.remote.heard()).toContain("click button button0 x1"));
    expect(await scene.view.status.textContent()).toBe("Connected.");
  });

  test("takes a flood without harm", async () => {
    await using scene = await stage.scene();
    using socket = await ViewerSocket.connect(scene.session.browser_live_view_url);
    await socket.first("tabs");
    for (let sent = 0; sent < 5000; sent += 1) {
      const [x, y] = [sent % 1200, sent % 800];
      socket.send({
        type: "mouse",
        action: "move",
        x,
        y,
        button: "none",
        buttons: 0,
        clickCount: 0,
        modifiers: 0,
      });
      socket.send({ type: "frame-drawn", frame: sent });
    }
    for (let sent = 0; sent < 2000; sent += 1) socket.send({ type: "activate-tab", tab: "none" });
    await socket.untilHeard();
    await scene.click("#button");
    await soon(async () => expect(await scene.remote.heard()).toContain("click button button0 x1"));
  });
});

/** Answer to an upgrade that is refused. */
function upgradeStatus(url: string, origin: string | undefined): Promise<number | undefined> {
  const socket = new WebSocket(url, { origin });
  return new Promise((resolve, reject) => {
    socket.on("unexpected-response", (_, response) => resolve(response.statusCode));
    socket.on("open", () => reject(new Error(`The socket opened to ${origin}`)));
    socket.on("error", reject);
  });
}

test("a token that expires or is not there opens a page that says so", async () => {
  const session = await stage.createSession();
  const url = new URL(session.browser_live_view_url ?? "");
  url.search = "";
  const view = await LiveViewPage.visit(stage.viewers, url.href);
  await view.notice.getByText("This live view has ended").waitFor();
  expect(await view.page.locator("body").getAttribute("class")).toContain("is-ended");
  await view.close();
  await stage.kernel.browsers.deleteByID(session.session_id);
});

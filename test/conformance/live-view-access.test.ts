import type { Locator, Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import WebSocket from "ws";
import { z } from "zod";
import type { ViewerMessage } from "../../src/features/live-view/protocol.ts";
import { readUpgradeError } from "./devtools-client.ts";
import { eventually } from "./eventually.ts";
import { type LiveViewFixture, LiveViewSuite } from "./live-view-fixture.ts";
import { LiveViewPage } from "./live-view-page.ts";
import { socketURL, ViewerSocket } from "./live-view-socket.ts";

const suite = await LiveViewSuite.use();

/** Messages of an attacker without the page. */
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
function browserBarMessages(tab: string): ViewerMessage[] {
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

async function waitForDialogId(socket: ViewerSocket): Promise<number> {
  await eventually(() => dialogSchema.parse(socket.last("dialog")));
  return dialogSchema.parse(socket.last("dialog")).dialog.id;
}

/** Checks that the messages sent so far did not change the remote page. */
async function expectUntouched(fixture: LiveViewFixture): Promise<void> {
  const { remote, session } = fixture;
  // A session's commands run in order, so this waits for all earlier ones.
  await suite.kernel.browsers.computer.getMousePosition(session.session_id);
  await suite.kernel.browsers.computer.moveMouse(session.session_id, { x: 1, y: 1 });
  expect(await remote.takeEvents()).toEqual([]);
  expect(await remote.evaluate("[document.title, scrollY, field.value, window.isOld].join()")).toBe(
    "Playground,0,,true",
  );
  expect(await remote.client.pages()).toHaveLength(1);
}

async function markPage({ remote }: LiveViewFixture): Promise<void> {
  await remote.evaluate("void (window.isOld = true)");
}

async function createWatchURL(sessionId: string): Promise<string> {
  const path = `/browsers/${sessionId}/live_view_urls`;
  const response = await suite.service.send("POST", path, { mode: "watch" });
  const { url }: { url: string } = await response.json();
  return url;
}

describe.concurrent("watching", () => {
  test.for([
    ["by a watch link", ({ session_id }) => createWatchURL(session_id)],
    [
      "by a watch link with readOnly=false",
      async ({ session_id }) => `${await createWatchURL(session_id)}&readOnly=false`,
    ],
    ["with readOnly=true", ({ browser_live_view_url }) => `${browser_live_view_url}&readOnly=true`],
  ] satisfies [string, (session: LiveViewFixture["session"]) => string | Promise<string>][])(
    "shows the page and ignores input, %s",
    async ([, address]) => {
      await using fixture = await suite.createFixture({ address });
      const { view, remote, session } = fixture;
      await markPage(fixture);
      expect(await view.page.locator("#watching").isVisible()).toBe(true);
      expect(await view.canvas.getAttribute("role")).toBe("img");
      for (const name of ["New tab", "Back", "Reload"])
        expect(await view.button(name).isDisabled()).toBe(true);
      expect(await view.address.getAttribute("readonly")).not.toBeNull();

      await fixture.click("#button");
      await view.page.mouse.wheel(0, 300);
      await view.page.keyboard.type("attack");
      await view.page.keyboard.press("Control+KeyT");
      using socket = await ViewerSocket.connect(await address(session));
      for (const message of attack(await frontTab(socket))) socket.send(message);
      await socket.waitUntilProcessed();
      await expectUntouched(fixture);

      await remote.evaluate(`void (document.body.style.background = "red")`);
      await eventually(async () => expect(await view.color()).toBe("red"));
      expect(view.problems).toEqual([]);
    },
  );

  test("shows dialogs and ignores responses to them", async () => {
    await using fixture = await suite.createFixture({
      address: ({ session_id }) => createWatchURL(session_id),
    });
    const { view, remote, session } = fixture;
    const result = remote.evaluate(`confirm("Really?")`);
    result.catch(() => undefined);
    await view.dialog.getByText("Really?").waitFor();
    expect(await view.dialog.getByRole("button").count()).toBe(0);
    await view.page.keyboard.press("Escape");
    using watcher = await ViewerSocket.connect(await createWatchURL(session.session_id));
    watcher.send({ type: "answer-dialog", dialog: await waitForDialogId(watcher), accept: false });
    await watcher.waitUntilProcessed();
    using controller = await ViewerSocket.connect(session.browser_live_view_url);
    controller.send({ type: "answer-dialog", dialog: await waitForDialogId(controller), accept: true });
    expect(await result).toBe(true);
    await view.dialog.waitFor({ state: "hidden" });
  });
});

describe.concurrent("kiosk mode", () => {
  test("blocks shortcuts and messages that leave the page", async () => {
    await using fixture = await suite.createFixture({ session: { kiosk_mode: true } });
    const { view, remote, session } = fixture;
    await markPage(fixture);
    await fixture.click("#field");
    await eventually(async () => expect(await remote.evaluate("document.activeElement.id")).toBe("field"));
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
    for (const message of browserBarMessages(await frontTab(socket))) socket.send(message);
    await socket.waitUntilProcessed();
    // Typed after all that, so it shows that no hidden address bar has the focus.
    await view.page.keyboard.type("here");
    await eventually(async () => expect(await remote.valueOf("#field")).toBe("here"));
    expect(await remote.evaluate("document.title + window.isOld")).toBe("Playgroundtrue");
    expect(await remote.client.pages()).toHaveLength(1);
  });
});

describe.concurrent("the page", () => {
  test("loads nothing from other hosts, stores nothing and sends no Referer", async () => {
    await using fixture = await suite.createFixture();
    const { view } = fixture;
    await fixture.click("#button");
    const hosts = view.requested.map((url) => new URL(url).host);
    expect(new Set(hosts)).toEqual(new Set([new URL(suite.service.baseURL).host]));
    expect(view.requested.length).toBeGreaterThanOrEqual(4);
    expect(await view.page.context().cookies()).toEqual([]);
    const stored = () => [document.cookie, localStorage.length, sessionStorage.length, document.referrer];
    expect(await view.page.evaluate(stored)).toEqual(["", 0, 0, ""]);
    expect(view.problems).toEqual([]);
    // The address bar navigates the remote browser, without a Referer.
    await view.goTo(suite.url("/other"));
    await eventually(() => expect(suite.site.requests.some(({ path }) => path === "/other")).toBe(true));
    const referers = suite.site.requests.map(({ headers }) => headers.referer ?? "");
    expect(referers.filter((referer) => referer.startsWith(suite.service.baseURL))).toEqual([]);
  });

  test("has restrictive security headers", async () => {
    const session = await suite.createSession();
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
    await suite.kernel.browsers.deleteByID(session.session_id);
  });

  test("blocks injected scripts", async () => {
    await using fixture = await suite.createFixture();
    const { page } = fixture.view;
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

  test("works when embedded in another origin", async () => {
    await using fixture = await suite.createFixture();
    const embedding = await suite.viewers.newPage();
    const view = encodeURIComponent(fixture.session.browser_live_view_url ?? "");
    // Another host name makes it a different site.
    const origin = suite.site.origin.replace("127.0.0.1", "localhost");
    await embedding.goto(`${origin}/embedding?view=${view}`);
    const canvas = embedding.frameLocator("iframe").locator("#page");
    await embedding.frameLocator("iframe").locator("body.is-welcome").waitFor();
    await eventually(async () =>
      expect(await canvas.evaluate((element) => element.clientWidth)).toBeGreaterThan(100),
    );
    const { x, y } = await fixture.remote.pointOf("#field");
    const size = await fixture.remote.size();
    await clickInside(canvas, { x: x / size.width, y: y / size.height });
    await embedding.keyboard.type("embedded");
    await eventually(async () => expect(await fixture.remote.valueOf("#field")).toBe("embedded"));
    expect(await embedding.context().cookies()).toEqual([]);
    await embedding.close();
  });
});

/** Clicks a point given as shares of an element's width and height. */
async function clickInside(element: Locator, { x, y }: { x: number; y: number }): Promise<void> {
  const box = await element.boundingBox();
  if (box === null) throw new Error("The element is not visible");
  await element.click({ position: { x: box.width * x, y: box.height * y } });
}

describe.concurrent("keyboard navigation", () => {
  test("reaches tabs, toolbar and the remote page, and leaves it again", async () => {
    await using fixture = await suite.createFixture();
    const { view, remote } = fixture;
    const { keyboard } = view.page;
    await fixture.click("#field");
    await eventually(async () => expect(await remote.evaluate("document.activeElement.id")).toBe("field"));
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
    await eventually(async () => {
      const opacity = await view.page
        .locator("#keyboard-hint")
        .evaluate((hint) => getComputedStyle(hint).opacity);
      expect(opacity).toBe("1");
    });
    await keyboard.type("in");
    await eventually(async () => expect(await remote.valueOf("#field")).toBe("in"));
    // The remote page receives Tab.
    await keyboard.press("Tab");
    await eventually(async () => expect(await remote.evaluate("document.activeElement.id")).toBe("button"));
    expect(await focused(view.page)).toBe("keys");
    await keyboard.press("Control+Alt+Shift");
    expect(await focused(view.page)).toBe("address");
    await keyboard.press("Shift+Tab");
    expect(await focused(view.page)).toBe("reload");
  });

  test("leaves the remote page in kiosk mode", async () => {
    await using fixture = await suite.createFixture({ session: { kiosk_mode: true } });
    const { page } = fixture.view;
    await page.keyboard.press("Tab");
    expect(await focused(page)).toBe("keys");
    await page.keyboard.press("Control+Alt+Shift");
    expect(await focused(page)).toBe("after-screen");
  });
});

/** Id or label of the focused element. */
function focused(page: Page): Promise<string> {
  return page.evaluate(() => document.activeElement?.id || document.activeElement?.ariaLabel || "nothing");
}

describe.concurrent("the socket", () => {
  test("requires the page's origin and the session's token", async () => {
    const [session, other] = await Promise.all([suite.createSession(), suite.createSession()]);
    const address = session.browser_live_view_url;
    for (const origin of ["https://evil.example", "null", suite.site.origin, undefined]) {
      expect(await upgradeStatus(socketURL(address), origin), String(origin)).toBe(403);
    }
    expect(await readUpgradeError(socketURL(address))).toMatchObject({ status: 403 });
    const path = (url: string | null | undefined) => new URL(url ?? "").pathname;
    const token = (url: string | null | undefined) => new URL(url ?? "").search;
    const forged = [
      `${suite.service.baseURL}${path(address)}`,
      `${suite.service.baseURL}${path(address)}${token(other.browser_live_view_url)}`,
      `${suite.service.baseURL}${path(address)}${token(session.cdp_ws_url)}`,
      `${address}x`,
    ];
    for (const url of forged) {
      using socket = await ViewerSocket.connect(url);
      expect(await socket.closed).toMatchObject({ code: 1008 });
      expect(socket.messages.map(({ type }) => type)).toEqual(["ended"]);
      expect(socket.frames).toBe(0);
    }
    // A live view token is not valid for CDP.
    const cdp = new URL(session.cdp_ws_url);
    cdp.search = token(address);
    expect(await readUpgradeError(cdp.href)).toMatchObject({ status: 401 });
    for (const { session_id } of [session, other]) await suite.kernel.browsers.deleteByID(session_id);
  });

  test("is closed after an invalid message, for that viewer only", async () => {
    await using fixture = await suite.createFixture();
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
      using socket = await ViewerSocket.connect(fixture.session.browser_live_view_url);
      socket.sendRaw(message);
      expect(await socket.closed).toMatchObject({ code: 1008 });
    }
    await fixture.click("#button");
    await eventually(async () =>
      expect(await fixture.remote.takeEvents()).toContain("click button button0 x1"),
    );
    expect(await fixture.view.status.textContent()).toBe("Connected.");
  });

  test("survives a flood of messages", async () => {
    await using fixture = await suite.createFixture();
    using socket = await ViewerSocket.connect(fixture.session.browser_live_view_url);
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
    await socket.waitUntilProcessed();
    await fixture.click("#button");
    await eventually(async () =>
      expect(await fixture.remote.takeEvents()).toContain("click button button0 x1"),
    );
  });
});

function upgradeStatus(url: string, origin: string | undefined): Promise<number | undefined> {
  const socket = new WebSocket(url, { origin });
  return new Promise((resolve, reject) => {
    socket.on("unexpected-response", (_, response) => resolve(response.statusCode));
    socket.on("open", () => reject(new Error(`The upgrade was accepted from origin ${origin}`)));
    socket.on("error", reject);
  });
}

test("a missing token opens a page that says so", async () => {
  const session = await suite.createSession();
  const url = new URL(session.browser_live_view_url ?? "");
  url.search = "";
  const view = await LiveViewPage.visit(suite.viewers, url.href);
  await view.notice.getByText("This link does not work").waitFor();
  expect(await view.page.locator("body").getAttribute("class")).toContain("is-ended");
  await view.close();
  await suite.kernel.browsers.deleteByID(session.session_id);
});

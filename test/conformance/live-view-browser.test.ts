import { setTimeout } from "node:timers/promises";
import { chromium } from "playwright-core";
import { describe, expect, test } from "vitest";
import { eventually } from "./eventually.ts";
import { type LiveViewFixture, LiveViewSuite } from "./live-view-fixture.ts";
import type { RemotePage } from "./live-view-remote.ts";
import { ViewerSocket } from "./live-view-socket.ts";

/** A closing page may never respond. */
const RESPONSE_TIMEOUT_MS = 500;

/** A slow machine needs a second or more for each page's process. */
const THIRTY_PAGES_TIMEOUT_MS = 90_000;

const suite = await LiveViewSuite.use();

async function waitForTitle({ view }: LiveViewFixture, title: string): Promise<void> {
  await eventually(async () => expect(await view.activeTitle()).toBe(title));
}

async function waitForAddress(remote: RemotePage, address: string): Promise<void> {
  await eventually(async () => expect(await remote.evaluate("location.href")).toBe(address));
}

function openDialog({ remote }: LiveViewFixture, expression: string): Promise<unknown> {
  const result = remote.evaluate(expression);
  // Rejects when a failing test closes the page.
  result.catch(() => undefined);
  return result;
}

describe.concurrent("the tab strip", () => {
  test("opens, shows, switches and closes tabs", async () => {
    await using fixture = await suite.createFixture({ path: "/color?is=red" });
    const { view } = fixture;
    await waitForTitle(fixture, "red");
    await view.button("New tab").click();
    await eventually(async () => expect(await view.tabs.count()).toBe(2));
    await waitForTitle(fixture, "New tab");
    await view.goTo(suite.url("/color?is=blue"));
    await waitForTitle(fixture, "blue");
    await eventually(async () => expect(await view.color()).toBe("blue"));
    expect(await view.page.title()).toContain("blue");

    await view.button("red").click();
    await waitForTitle(fixture, "red");
    await eventually(async () => expect(await view.color()).toBe("red"));
    expect(await view.address.inputValue()).toBe(suite.url("/color?is=red"));
    await view.button("Close tab: blue").click();
    await eventually(async () => expect(await view.tabs.count()).toBe(1));
    await waitForTitle(fixture, "red");
  });

  test("follows tabs that Playwright activates or the page opens", async () => {
    await using fixture = await suite.createFixture({ path: "/color?is=red" });
    const agent = await chromium.connectOverCDP(fixture.session.cdp_ws_url);
    const context = agent.contexts()[0];
    const first = context?.pages()[0];
    const second = await context?.newPage();
    await second?.goto(suite.url("/color?is=blue"));
    await waitForTitle(fixture, "blue");
    await eventually(async () => expect(await fixture.view.color()).toBe("blue"));
    await first?.bringToFront();
    await waitForTitle(fixture, "red");
    await eventually(async () => expect(await fixture.view.color()).toBe("red"));
    await first?.evaluate((url) => void window.open(url), suite.url("/color?is=lime"));
    await waitForTitle(fixture, "lime");
    await eventually(async () => expect(await fixture.view.color()).toBe("green"));
    await agent.close();
  });

  test("draws a popup as large as it is beside its opener", async () => {
    await using fixture = await suite.createFixture({ path: "/color?is=red" });
    const { view, remote } = fixture;
    const opened = (await view.canvas.boundingBox())?.width ?? 0;
    const open = `open(${JSON.stringify(suite.url("/color?is=blue"))}, "", "popup,width=500,height=400")`;
    await remote.evaluate(`void ${open}`);
    await waitForTitle(fixture, "blue");
    await eventually(async () => expect(await view.color()).toBe("blue"));
    const { width = 0, height = 0 } = (await view.canvas.boundingBox()) ?? {};
    expect(width).toBeGreaterThan(400);
    expect(width).toBeLessThan(opened * 0.6);
    expect(width / height).toBeCloseTo(500 / 400, 0);
  });

  test("shows titles and addresses as text", async () => {
    await using fixture = await suite.createFixture();
    const { view, remote } = fixture;
    await view.page.evaluate("window.isInjected = false");
    const title = `<img src=x onerror="window.isInjected=true">&lt;b&gt; "quoted" '`;
    await remote.evaluate(`void (document.title = ${JSON.stringify(title)})`);
    await remote.evaluate(`history.replaceState(null, "", "#<svg/onload=window.isInjected=true>")`);
    await waitForTitle(fixture, title);
    await view.button(`Close tab: ${title}`).waitFor();
    await eventually(async () => expect(await view.address.inputValue()).toMatch(/svg/));
    expect(await view.page.locator(".tab img, .tab b, .toolbar svg[onload]").count()).toBe(0);
    expect(await view.page.evaluate("window.isInjected")).toBe(false);
    expect(view.problems).toEqual([]);

    await remote.evaluate(`void (document.title = "long ".repeat(100_000))`);
    await eventually(async () => expect(await view.activeTitle()).toMatch(/^long long/));
    const overflow = await view.page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect(overflow).toBe(0);
  });

  test("fits thirty tabs", async () => {
    await using fixture = await suite.createFixture();
    const { view, remote } = fixture;
    const opening = Array.from({ length: 29 }, (_, index) =>
      remote.client.send("Target.createTarget", {
        url: suite.url(`/color?is=${index === 28 ? "blue" : "red"}`),
      }),
    );
    await Promise.all(opening);
    await eventually(async () => expect(await view.tabs.count()).toBe(30));
    await view.button("blue").click({ timeout: THIRTY_PAGES_TIMEOUT_MS });
    await waitForTitle(fixture, "blue");
    await eventually(async () => expect(await view.color()).toBe("blue"));
    // The active tab is scrolled into view, and the button beside the tabs stays visible.
    const strip = await view.page.locator("#tabs").boundingBox();
    const active = await view.page.locator("li.tab.is-active").boundingBox();
    const end = (box: { x: number; width: number } | null) => (box === null ? Number.NaN : box.x + box.width);
    expect(end(active)).toBeLessThanOrEqual(end(strip) + 1);
    expect(active?.x).toBeGreaterThanOrEqual((strip?.x ?? 0) - 1);
    expect(end(await view.button("New tab").boundingBox())).toBeLessThanOrEqual(1280);
  });

  test("offers to open a tab when the last one is closed", async () => {
    await using fixture = await suite.createFixture();
    const { view } = fixture;
    await view.button("Close tab: Playground").click();
    await view.notice.getByText("No tab is open").waitFor();
    await view.button("Open a tab").click();
    await waitForTitle(fixture, "New tab");
    expect(await view.tabs.count()).toBe(1);
    await view.goTo(suite.url("/color?is=blue"));
    await eventually(async () => expect(await view.color()).toBe("blue"));
  });
});

describe.concurrent("the toolbar", () => {
  test("navigates, goes back and forward, and reloads", async () => {
    await using fixture = await suite.createFixture();
    const { view, remote } = fixture;
    await view.goTo(`${suite.site.origin.replace("http://", "")}/other`);
    await waitForAddress(remote, suite.url("/other"));
    await eventually(async () => expect(await view.address.inputValue()).toBe(suite.url("/other")));
    await view.button("Back").click();
    await waitForAddress(remote, suite.url("/playground"));
    await view.button("Forward").click();
    await waitForAddress(remote, suite.url("/other"));
    await eventually(async () => expect(await view.button("Forward").isDisabled()).toBe(true));
    await remote.evaluate("void (window.isOld = true)");
    await view.button("Reload").click();
    await eventually(async () => expect(await remote.evaluate("window.isOld === undefined")).toBe(true));
  });

  test("shows loading and stops it", async () => {
    await using fixture = await suite.createFixture();
    const { view, remote } = fixture;
    await view.goTo(suite.url("/hanging"));
    await view.button("Stop").waitFor();
    await view.page.locator("li.tab.is-loading").waitFor();
    await view.button("Stop").click();
    await view.button("Reload").waitFor();
    expect(await remote.evaluate("location.href")).toBe(suite.url("/playground"));
    // The remote page still receives input.
    await fixture.click("#button");
    await eventually(async () => expect(await remote.takeEvents()).toContain("click button button0 x1"));
  });

  test("rejects addresses that are not HTTP", async () => {
    await using fixture = await suite.createFixture();
    const { view, remote } = fixture;
    const refusal = view.page.locator("#address-refusal");
    for (const address of [
      "javascript:document.title='run'",
      "file:///etc/passwd",
      "chrome://version",
      "data:text/html,<title>run</title>",
      "view-source:http://127.0.0.1/",
      "two words",
    ]) {
      await view.goTo(address);
      await refusal.waitFor();
      expect(await view.address.getAttribute("aria-invalid")).toBe("true");
      await view.address.press("Escape");
      await refusal.waitFor({ state: "hidden" });
      expect(await view.address.inputValue()).toBe(suite.url("/playground"));
    }
    expect(await remote.evaluate("document.title")).toBe("Playground");
  });

  test("is not trusted: the service rejects them too", async () => {
    await using fixture = await suite.createFixture();
    using socket = await ViewerSocket.connect(fixture.session.browser_live_view_url);
    await socket.first("tabs");
    const addresses = [
      "javascript:document.title='run'",
      " JaVaScRiPt:document.title='run'",
      "java\nscript:document.title='run'",
      "file:///etc/passwd",
      "chrome://version",
      "data:text/html,<title>run</title>",
      "blob:http://127.0.0.1/x",
      "view-source:http://127.0.0.1/",
      "about:srcdoc",
      "no address",
      "",
    ];
    for (const url of addresses) socket.send({ type: "navigate", url });
    await eventually(async () => expect(await socket.count("refused")).toBe(addresses.length));
    expect(await fixture.remote.evaluate("document.title + location.href")).toBe(
      `Playground${suite.url("/playground")}`,
    );
    socket.send({ type: "navigate", url: suite.url("/other") });
    await waitForAddress(fixture.remote, suite.url("/other"));
  });
});

describe.concurrent("dialogs", () => {
  test("alert", async () => {
    await using fixture = await suite.createFixture();
    const { view } = fixture;
    const message = `<b onclick="x">Hello</b>\n${"long ".repeat(2000)}`;
    const answer = openDialog(fixture, `alert(${JSON.stringify(message)})`);
    await view.dialog.waitFor();
    expect(await view.page.locator("#dialog-title").textContent()).toBe(
      `${new URL(suite.site.origin).host} says`,
    );
    // Chrome truncates long messages.
    expect(await view.page.locator("#dialog-message").textContent()).toMatch(
      /^<b onclick="x">Hello<\/b>\nlong/,
    );
    expect(await view.page.locator("#dialog-dismiss").isHidden()).toBe(true);
    const { height = 0 } = (await view.dialog.boundingBox()) ?? {};
    expect(height).toBeLessThan(800);
    await view.button("OK").click();
    await view.dialog.waitFor({ state: "hidden" });
    await answer;
  });

  test("confirm, accepted and dismissed", async () => {
    await using fixture = await suite.createFixture();
    const { view } = fixture;
    for (const [name, expected] of [
      ["OK", true],
      ["Cancel", false],
    ] as const) {
      const answer = openDialog(fixture, `confirm("Really?")`);
      await view.dialog.getByText("Really?").waitFor();
      await view.button(name).click();
      expect(await answer).toBe(expected);
      await view.dialog.waitFor({ state: "hidden" });
    }
  });

  test("prompt with a default, by keyboard alone", async () => {
    await using fixture = await suite.createFixture();
    const { view } = fixture;
    const attack = `"><img src=x onerror=alert(1)>`;
    const first = openDialog(fixture, `prompt("Who?", ${JSON.stringify(attack)})`);
    await view.dialog.waitFor();
    expect(await view.page.locator("#dialog-text").inputValue()).toBe(attack);
    await view.page.keyboard.type("Zoë & Co");
    await view.page.keyboard.press("Enter");
    expect(await first).toBe("Zoë & Co");
    await view.dialog.waitFor({ state: "hidden" });
    const second = openDialog(fixture, `prompt("Who?")`);
    await view.dialog.waitFor();
    await view.page.keyboard.press("Escape");
    expect(await second).toBe(null);
  });

  test("opened by a click", async () => {
    await using fixture = await suite.createFixture();
    const { view, remote } = fixture;
    await remote.evaluate(`void (button.onclick = () => (field.value = confirm("Sure?")))`);
    await fixture.click("#button");
    await view.dialog.getByText("Sure?").waitFor();
    await view.button("OK").click();
    await eventually(async () => expect(await remote.valueOf("#field")).toBe("true"));
  });

  test.for([
    ["the address bar", (fixture: LiveViewFixture) => fixture.view.goTo(suite.url("/other"))],
    ["Reload", (fixture: LiveViewFixture) => fixture.view.button("Reload").click()],
    ["a tab's close button", (fixture: LiveViewFixture) => fixture.view.button("Close tab: Guarded").click()],
  ] as const)("beforeunload, caused by %s", async ([, leave]) => {
    await using fixture = await suite.createFixture({ path: "/guarded" });
    const { view, remote } = fixture;
    await remote.evaluate("void (window.isOld = true)");
    await fixture.click("#button");
    // Chrome skips beforeunload dialogs of pages without user activation.
    const isTouched = () => remote.evaluate("navigator.userActivation.hasBeenActive");
    await eventually(async () => expect(await isTouched()).toBe(true));
    await leave(fixture);
    await view.dialog.waitFor();
    expect(await view.page.locator("#dialog-title").textContent()).toMatch(/^Leave 127\.0\.0\.1:\d+\?$/);
    await view.button("Stay").click();
    await view.dialog.waitFor({ state: "hidden" });
    expect(await remote.evaluate("document.title + window.isOld")).toBe("Guardedtrue");
    await leave(fixture);
    await view.dialog.waitFor();
    await view.button("Leave").click();
    await view.dialog.waitFor({ state: "hidden" });
    const isClosed = () =>
      Promise.race([
        remote.evaluate("window.isOld === undefined").catch(() => true),
        setTimeout(RESPONSE_TIMEOUT_MS, false),
      ]);
    await eventually(async () => expect(await isClosed()).toBe(true));
  });

  test("do not block other tabs", async () => {
    await using fixture = await suite.createFixture({ path: "/color?is=red" });
    const { view } = fixture;
    const answer = openDialog(fixture, `confirm("Here?")`);
    await view.dialog.waitFor();
    await view.button("New tab").click();
    await view.dialog.waitFor({ state: "hidden" });
    await view.goTo(suite.url("/color?is=blue"));
    await eventually(async () => expect(await view.color()).toBe("blue"));
    await view.button("red").click();
    await view.dialog.waitFor();
    await view.button("OK").click();
    expect(await answer).toBe(true);
  });
});

describe.concurrent("the page", () => {
  test("shows the list of a select and selects by a click", async () => {
    await using fixture = await suite.createFixture();
    const { view, remote } = fixture;
    const size = await remote.size();
    const point = await remote.pointOf("#select", { dy: 60 });
    await remote.evaluate(`document.querySelectorAll("option").forEach((option) => {
      option.style.cssText = "background: blue; height: 60px";
    })`);
    const below = { x: point.x / size.width, y: point.y / size.height };
    expect(await view.color(below)).toBe("white");
    await fixture.click("#select");
    await eventually(async () => expect(await view.color(below)).toBe("blue"));
    const { x, y } = await fixture.at("option:nth-child(2)");
    await view.page.mouse.click(x, y);
    await eventually(async () => expect(await remote.valueOf("#select")).toBe("green"));
    await eventually(async () => expect(await view.color(below)).toBe("white"));
  });

  test("shows a crash and recovers on Reload", async () => {
    await using fixture = await suite.createFixture({ path: "/color?is=red" });
    const { view, remote } = fixture;
    // The crashed renderer never responds.
    remote.send("Page.crash").catch(() => undefined);
    await view.notice.getByText("This page crashed").waitFor();
    await view.page.locator("li.tab.has-crashed").waitFor();
    await view.notice.getByRole("button", { name: "Reload" }).click();
    await view.notice.waitFor({ state: "hidden" });
    await waitForTitle(fixture, "red");
    // The picture is updated again.
    const agent = await chromium.connectOverCDP(fixture.session.cdp_ws_url);
    await agent.contexts()[0]?.pages()[0]?.evaluate("void (document.body.style.background = 'blue')");
    await eventually(async () => expect(await view.color()).toBe("blue"));
    await agent.close();
  });
});

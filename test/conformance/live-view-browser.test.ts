import { setTimeout } from "node:timers/promises";
import { chromium } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { RemotePage } from "./live-view-remote.ts";
import { type Scene, Stage } from "./live-view-scene.ts";
import { ViewerSocket } from "./live-view-socket.ts";
import { soon } from "./live-view-soon.ts";

/** A page that has not answered by then may never do. */
const UNANSWERED_MS = 500;

let stage: Stage;

beforeAll(async () => {
  stage = await Stage.set();
});
afterAll(() => stage[Symbol.asyncDispose]());

async function untilTitle({ view }: Scene, title: string): Promise<void> {
  await soon(async () => expect(await view.activeTitle()).toBe(title));
}

async function untilAddress(remote: RemotePage, address: string): Promise<void> {
  await soon(async () => expect(await remote.evaluate("location.href")).toBe(address));
}

/** Runs a script of the page's that waits for a dialog; what it makes of the answer. */
function ask({ remote }: Scene, expression: string): Promise<unknown> {
  const answer = remote.evaluate(expression);
  // A test that fails before the answer ends the page instead.
  answer.catch(() => undefined);
  return answer;
}

describe.concurrent("the tab strip", () => {
  test("opens, shows, switches and closes tabs", async () => {
    await using scene = await stage.scene({ path: "/color?is=red" });
    const { view } = scene;
    await untilTitle(scene, "red");
    await view.button("New tab").click();
    await soon(async () => expect(await view.tabs.count()).toBe(2));
    await untilTitle(scene, "New tab");
    await view.goTo(stage.url("/color?is=blue"));
    await untilTitle(scene, "blue");
    await soon(async () => expect(await view.color()).toBe("blue"));
    expect(await view.page.title()).toContain("blue");

    await view.button("red").click();
    await untilTitle(scene, "red");
    await soon(async () => expect(await view.color()).toBe("red"));
    expect(await view.address.inputValue()).toBe(stage.url("/color?is=red"));
    await view.button("Close tab: blue").click();
    await soon(async () => expect(await view.tabs.count()).toBe(1));
    await untilTitle(scene, "red");
  });

  test("follows what others do: a tab that Playwright brings to the front, one that the page opens", async () => {
    await using scene = await stage.scene({ path: "/color?is=red" });
    const agent = await chromium.connectOverCDP(scene.session.cdp_ws_url);
    const context = agent.contexts()[0];
    const first = context?.pages()[0];
    const second = await context?.newPage();
    await second?.goto(stage.url("/color?is=blue"));
    await untilTitle(scene, "blue");
    await soon(async () => expect(await scene.view.color()).toBe("blue"));
    await first?.bringToFront();
    await untilTitle(scene, "red");
    await soon(async () => expect(await scene.view.color()).toBe("red"));
    await first?.evaluate((url) => void window.open(url), stage.url("/color?is=lime"));
    await untilTitle(scene, "lime");
    await soon(async () => expect(await scene.view.color()).toBe("green"));
    await agent.close();
  });

  test("shows titles and addresses as text", async () => {
    await using scene = await stage.scene();
    const { view, remote } = scene;
    await view.page.evaluate("window.isInjected = false");
    const title = `<img src=x onerror="window.isInjected=true">&lt;b&gt; "quoted" '`;
    await remote.evaluate(`void (document.title = ${JSON.stringify(title)})`);
    await remote.evaluate(`history.replaceState(null, "", "#<svg/onload=window.isInjected=true>")`);
    await untilTitle(scene, title);
    await view.button(`Close tab: ${title}`).waitFor();
    await soon(async () => expect(await view.address.inputValue()).toMatch(/svg/));
    expect(await view.page.locator(".tab img, .tab b, .toolbar svg[onload]").count()).toBe(0);
    expect(await view.page.evaluate("window.isInjected")).toBe(false);
    expect(view.problems).toEqual([]);

    await remote.evaluate(`void (document.title = "long ".repeat(100_000))`);
    await soon(async () => expect(await view.activeTitle()).toMatch(/^long long/));
    const overflow = await view.page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect(overflow).toBe(0);
  });

  test("has room for thirty tabs", async () => {
    await using scene = await stage.scene();
    const { view, remote } = scene;
    const opening = Array.from({ length: 29 }, (_, index) =>
      remote.client.send("Target.createTarget", {
        url: stage.url(`/color?is=${index === 28 ? "blue" : "red"}`),
      }),
    );
    await Promise.all(opening);
    await soon(async () => expect(await view.tabs.count()).toBe(30));
    await view.button("blue").click();
    await untilTitle(scene, "blue");
    await soon(async () => expect(await view.color()).toBe("blue"));
    // The active tab is scrolled to, and the button beside the tabs is not pushed out.
    const strip = await view.page.locator("#tabs").boundingBox();
    const active = await view.page.locator("li.tab.is-active").boundingBox();
    const end = (box: { x: number; width: number } | null) => (box === null ? Number.NaN : box.x + box.width);
    expect(end(active)).toBeLessThanOrEqual(end(strip) + 1);
    expect(active?.x).toBeGreaterThanOrEqual((strip?.x ?? 0) - 1);
    expect(end(await view.button("New tab").boundingBox())).toBeLessThanOrEqual(1280);
  });

  test("says that the last tab is closed, and opens another", async () => {
    await using scene = await stage.scene();
    const { view } = scene;
    await view.button("Close tab: Playground").click();
    await view.notice.getByText("No tab is open").waitFor();
    await view.button("Open a tab").click();
    await untilTitle(scene, "New tab");
    expect(await view.tabs.count()).toBe(1);
    await view.goTo(stage.url("/color?is=blue"));
    await soon(async () => expect(await view.color()).toBe("blue"));
  });
});

describe.concurrent("the toolbar", () => {
  test("navigates, back, forward, and reloads", async () => {
    await using scene = await stage.scene();
    const { view, remote } = scene;
    await view.goTo(`${stage.site.origin.replace("http://", "")}/other`);
    await untilAddress(remote, stage.url("/other"));
    await soon(async () => expect(await view.address.inputValue()).toBe(stage.url("/other")));
    await view.button("Back").click();
    await untilAddress(remote, stage.url("/playground"));
    await view.button("Forward").click();
    await untilAddress(remote, stage.url("/other"));
    await soon(async () => expect(await view.button("Forward").isDisabled()).toBe(true));
    await remote.evaluate("void (window.isOld = true)");
    await view.button("Reload").click();
    await soon(async () => expect(await remote.evaluate("window.isOld === undefined")).toBe(true));
  });

  test("shows that a page loads, and stops it", async () => {
    await using scene = await stage.scene();
    const { view, remote } = scene;
    await view.goTo(stage.url("/hanging"));
    await view.button("Stop").waitFor();
    await view.page.locator("li.tab.is-loading").waitFor();
    await view.button("Stop").click();
    await view.button("Reload").waitFor();
    expect(await remote.evaluate("location.href")).toBe(stage.url("/playground"));
    // The remote page goes on to be used.
    await scene.click("#button");
    await soon(async () => expect(await remote.heard()).toContain("click button button0 x1"));
  });

  test("refuses what is no address of the web", async () => {
    await using scene = await stage.scene();
    const { view, remote } = scene;
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
      expect(await view.address.inputValue()).toBe(stage.url("/playground"));
    }
    expect(await remote.evaluate("document.title")).toBe("Playground");
  });

  test("is not what refuses: the service does as well", async () => {
    await using scene = await stage.scene();
    using socket = await ViewerSocket.connect(scene.session.browser_live_view_url);
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
    await soon(async () => expect(await socket.count("refused")).toBe(addresses.length));
    expect(await scene.remote.evaluate("document.title + location.href")).toBe(
      `Playground${stage.url("/playground")}`,
    );
    socket.send({ type: "navigate", url: stage.url("/other") });
    await untilAddress(scene.remote, stage.url("/other"));
  });
});

describe.concurrent("dialogs", () => {
  test("alert", async () => {
    await using scene = await stage.scene();
    const { view } = scene;
    const message = `<b onclick="x">Hello</b>\n${"long ".repeat(2000)}`;
    const answer = ask(scene, `alert(${JSON.stringify(message)})`);
    await view.dialog.waitFor();
    expect(await view.page.locator("#dialog-title").textContent()).toBe(
      `${new URL(stage.site.origin).host} says`,
    );
    // A browser cuts what is too long.
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

  test("confirm, answered either way", async () => {
    await using scene = await stage.scene();
    const { view } = scene;
    for (const [name, expected] of [
      ["OK", true],
      ["Cancel", false],
    ] as const) {
      const answer = ask(scene, `confirm("Really?")`);
      await view.dialog.getByText("Really?").waitFor();
      await view.button(name).click();
      expect(await answer).toBe(expected);
      await view.dialog.waitFor({ state: "hidden" });
    }
  });

  test("prompt, with its default, by keys alone", async () => {
    await using scene = await stage.scene();
    const { view } = scene;
    const attack = `"><img src=x onerror=alert(1)>`;
    const first = ask(scene, `prompt("Who?", ${JSON.stringify(attack)})`);
    await view.dialog.waitFor();
    expect(await view.page.locator("#dialog-text").inputValue()).toBe(attack);
    await view.page.keyboard.type("Zoë & Co");
    await view.page.keyboard.press("Enter");
    expect(await first).toBe("Zoë & Co");
    await view.dialog.waitFor({ state: "hidden" });
    const second = ask(scene, `prompt("Who?")`);
    await view.dialog.waitFor();
    await view.page.keyboard.press("Escape");
    expect(await second).toBe(null);
  });

  test("that a click opens", async () => {
    await using scene = await stage.scene();
    const { view, remote } = scene;
    await remote.evaluate(`void (button.onclick = () => (field.value = confirm("Sure?")))`);
    await scene.click("#button");
    await view.dialog.getByText("Sure?").waitFor();
    await view.button("OK").click();
    await soon(async () => expect(await remote.valueOf("#field")).toBe("true"));
  });

  test.for([
    ["the address bar", (scene: Scene) => scene.view.goTo(stage.url("/other"))],
    ["Reload", (scene: Scene) => scene.view.button("Reload").click()],
    ["a tab's close button", (scene: Scene) => scene.view.button("Close tab: Guarded").click()],
  ] as const)("beforeunload, asked by %s", async ([, leave]) => {
    await using scene = await stage.scene({ path: "/guarded" });
    const { view, remote } = scene;
    await remote.evaluate("void (window.isOld = true)");
    await scene.click("#button");
    // Chrome asks nothing for a page that nobody has touched.
    const isTouched = () => remote.evaluate("navigator.userActivation.hasBeenActive");
    await soon(async () => expect(await isTouched()).toBe(true));
    await leave(scene);
    await view.dialog.waitFor();
    expect(await view.page.locator("#dialog-title").textContent()).toMatch(/^Leave 127\.0\.0\.1:\d+\?$/);
    await view.button("Stay").click();
    await view.dialog.waitFor({ state: "hidden" });
    expect(await remote.evaluate("document.title + window.isOld")).toBe("Guardedtrue");
    await leave(scene);
    await view.dialog.waitFor();
    await view.button("Leave").click();
    await view.dialog.waitFor({ state: "hidden" });
    // The page that was left is gone, by its address, its window or its tab.
    // Chrome may never answer what comes to a page as it closes.
    const isGone = () =>
      Promise.race([
        remote.evaluate("window.isOld === undefined").catch(() => true),
        setTimeout(UNANSWERED_MS, false),
      ]);
    await soon(async () => expect(await isGone()).toBe(true));
  });

  test("do not keep one from another tab", async () => {
    await using scene = await stage.scene({ path: "/color?is=red" });
    const { view } = scene;
    const answer = ask(scene, `confirm("Here?")`);
    await view.dialog.waitFor();
    await view.button("New tab").click();
    await view.dialog.waitFor({ state: "hidden" });
    await view.goTo(stage.url("/color?is=blue"));
    await soon(async () => expect(await view.color()).toBe("blue"));
    await view.button("red").click();
    await view.dialog.waitFor();
    await view.button("OK").click();
    expect(await answer).toBe(true);
  });
});

describe.concurrent("what a page has beside its text", () => {
  test("the list of a select is seen, and chosen from by a click", async () => {
    await using scene = await stage.scene();
    const { view, remote } = scene;
    const size = await remote.size();
    const point = await remote.pointOf("#select", { dy: 60 });
    await remote.evaluate(`document.querySelectorAll("option").forEach((option) => {
      option.style.cssText = "background: blue; height: 60px";
    })`);
    const below = { x: point.x / size.width, y: point.y / size.height };
    expect(await view.color(below)).toBe("white");
    await scene.click("#select");
    await soon(async () => expect(await view.color(below)).toBe("blue"));
    const { x, y } = await scene.at("option:nth-child(2)");
    await view.page.mouse.click(x, y);
    await soon(async () => expect(await remote.valueOf("#select")).toBe("green"));
    await soon(async () => expect(await view.color(below)).toBe("white"));
  });

  test("a crash is told, and Reload recovers the page", async () => {
    await using scene = await stage.scene({ path: "/color?is=red" });
    const { view, remote } = scene;
    // It has no answer: the page that would give it is gone.
    remote.send("Page.crash").catch(() => undefined);
    await view.notice.getByText("This page crashed").waitFor();
    await view.page.locator("li.tab.has-crashed").waitFor();
    await view.notice.getByRole("button", { name: "Reload" }).click();
    await view.notice.waitFor({ state: "hidden" });
    await untilTitle(scene, "red");
    // The picture is alive again.
    const agent = await chromium.connectOverCDP(scene.session.cdp_ws_url);
    await agent.contexts()[0]?.pages()[0]?.evaluate("void (document.body.style.background = 'blue')");
    await soon(async () => expect(await view.color()).toBe("blue"));
    await agent.close();
  });
});

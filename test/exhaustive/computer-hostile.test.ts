import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { layOutDialog } from "../../src/features/computer/dialog-layout.ts";
import type { Rectangle } from "../../src/platform/page-scripts/drawing.ts";
import { recordingPage, servePages } from "../conformance/computer-pages.ts";
import { ComputerSession, type PageView, VIEWPORT } from "../conformance/computer-session.ts";
import { errorOf } from "../conformance/error-of.ts";
import type { Picture } from "../conformance/png.ts";
import { useService } from "../conformance/use-service.ts";
import { keepForFile } from "../outside/keep-for-file.ts";

const ACCEPT_COLOR = "#0b57d0";
const DISMISS_COLOR = "#d3e3fd";
const PAGE_COLOR = "#ffee00";

const button = (id: string, top: number, script: string) =>
  `<button id="${id}" class="at" style="left: 20px; top: ${top}px" onclick="${script}">${id}</button>`;

const PAGES = {
  "/dialogs": recordingPage(
    `<style>html { background: ${PAGE_COLOR} }</style>
     ${button("alert", 300, "alert('Attention'); answers.push('alerted')")}
     ${button("confirm", 350, "answers.push(confirm('Sure?'))")}
     ${button("prompt", 400, "answers.push(prompt('Your name?', 'Ada'))")}
     ${button("both", 450, "answers.push(confirm('one'), confirm('two'))")}
     ${button("leave", 500, "onbeforeunload = (event) => event.preventDefault()")}
     <textarea id="text" class="at" style="left: 20px; top: 550px"></textarea>
     <script>const answers = []</script>`,
  ),
  "/unasked": recordingPage(
    `<style>html { background: ${PAGE_COLOR} }</style>
     <script>
       let answer;
       onload = () => requestAnimationFrame(() => setTimeout(() => { answer = confirm("Unasked") }, 50));
     </script>`,
  ),
  "/select": recordingPage(
    `<select id="list" class="at" style="left: 100px; top: 100px; width: 200px; height: 30px">
       <option>apple<option>banana<option>cherry<option>date
     </select>
     <script>
       const chosen = [];
       list.onchange = () => chosen.push(list.value);
     </script>`,
  ),
  "/stuck": recordingPage(
    `<style>html { background: ${PAGE_COLOR} }</style>
     ${button("loop", 300, "for (;;) ;")}
     <textarea id="text" class="at" style="left: 20px; top: 400px"></textarea>`,
  ),
};

const site = keepForFile(await servePages(PAGES));
const service = await useService();

let session: ComputerSession;
/** Each test starts with this page as the only tab. */
let page: PageView;

/** Shares a session among a group's tests, and opens a new tab for each. */
function shareSession(path: keyof typeof PAGES): void {
  beforeAll(async () => {
    session = await ComputerSession.open(service);
    return () => session[Symbol.asyncDispose]();
  });
  beforeEach(async () => {
    page = await session.newPage(site.origin + path);
    await session.closeOtherTabs(page);
  });
}

async function clickOn(selector: string): Promise<void> {
  await session.click(...(await page.centerOf(selector)));
}

function middleOf({ x, y, width, height }: Rectangle): [x: number, y: number] {
  return [Math.round(x + width / 2), Math.round(y + height / 2)];
}

/** @returns the background color of a drawn button. */
function colorOf(picture: Picture, { x, y, height }: Rectangle): string {
  return picture.pixel(x + 10, Math.round(y + height / 2));
}

/** Expects a command to fail. @returns the error and its duration. */
async function expectFailure(command: Promise<unknown>) {
  const begin = performance.now();
  const error = await errorOf(command);
  return { error, seconds: (performance.now() - begin) / 1000 };
}

describe("dialog", () => {
  shareSession("/dialogs");

  const answers = () => page.evaluate("answers");

  test.each([
    ["alert", "Return", "alerted"],
    ["alert", "Escape", "alerted"],
    ["confirm", "Return", true],
    ["confirm", "KP_Enter", true],
    ["confirm", "Escape", false],
    ["prompt", "Return", "Ada"],
    ["prompt", "Escape", null],
  ])("%s is answered by %s", async (kind, key, answer) => {
    await clickOn(`#${kind}`);
    await session.press(key);
    await expect.poll(answers).toEqual([answer]);
    // The page did not receive the dialog's key, and receives input again.
    await clickOn("#text");
    await session.type("on");
    expect(await page.evaluate("text.value")).toBe("on");
    expect((await page.takeEvents("keydown")).map((event) => event.split(" ")[1])).toEqual(["o", "n"]);
  });

  test.each([
    ["alert", "accept", "alerted"],
    ["confirm", "accept", true],
    ["confirm", "dismiss", false],
    ["prompt", "accept", "Ada"],
    ["prompt", "dismiss", null],
  ] as const)("%s is drawn, and answered by its %s button", async (kind, part, answer) => {
    const before = await session.screenshot();
    await clickOn(`#${kind}`);
    const layout = layOutDialog(VIEWPORT.width, kind);
    const shown = await session.screenshot();
    expect([shown.width, shown.height]).toEqual([VIEWPORT.width, VIEWPORT.height]);
    expect(colorOf(before, layout.accept)).toBe(PAGE_COLOR);
    expect(colorOf(shown, layout.accept)).toBe(ACCEPT_COLOR);
    if (layout.dismiss !== undefined) expect(colorOf(shown, layout.dismiss)).toBe(DISMISS_COLOR);
    expect(shown.pixel(900, 600)).toBe(PAGE_COLOR);
    const rectangle = layout[part];
    if (rectangle === undefined) throw new Error("there is no such button");
    const cut = await session.screenshot({ ...rectangle, width: 40 });
    expect(cut.pixel(10, 18)).toBe(part === "accept" ? ACCEPT_COLOR : DISMISS_COLOR);
    // Clicks beside the buttons do nothing.
    await session.click(900, 600);
    await session.click(...middleOf(rectangle));
    await expect.poll(answers).toEqual([answer]);
    expect(colorOf(await session.screenshot(), layout.accept)).toBe(PAGE_COLOR);
  });

  test.each([
    ["typing", () => session.type("Grace Ünï\n"), "Grace Ünï"],
    [
      "editing keys",
      async () => {
        await session.press("End", "m", "BackSpace", "Shift+b", "Return");
      },
      "AdaB",
    ],
    [
      "clearing it",
      async () => {
        await session.press("BackSpace", "Return");
      },
      "",
    ],
  ])("prompt accepts text by %s", async (_, write, answer) => {
    await clickOn("#prompt");
    await write();
    await expect.poll(answers).toEqual([answer]);
  });

  test("another dialog can follow", async () => {
    await clickOn("#both");
    await session.press("Return");
    const { dismiss } = layOutDialog(VIEWPORT.width, "confirm");
    if (dismiss === undefined) throw new Error("there is no such button");
    await expect.poll(async () => colorOf(await session.screenshot(), dismiss)).toBe(DISMISS_COLOR);
    await session.press("Escape");
    await expect.poll(answers).toEqual([true, false]);
  });

  test("does not block moves, scrolls, drags or other keys", async () => {
    await clickOn("#confirm");
    await session.move(300, 300);
    await session.scroll(300, 300, { delta_y: 1 });
    await session.drag([
      [300, 300],
      [310, 310],
    ]);
    await session.press("a", "F8");
    await session.press("Escape");
    await expect.poll(answers).toEqual([false]);
  });

  test("beforeunload stays on Escape or dismiss, and leaves on Return or accept", async () => {
    const { accept, dismiss } = layOutDialog(VIEWPORT.width, "beforeunload");
    if (dismiss === undefined) throw new Error("there is no such button");
    const showBeforeUnload = async () => {
      await clickOn("#leave");
      await page.evaluate("globalThis.isOld = true");
      await session.press("F5");
      await expect.poll(async () => colorOf(await session.screenshot(), accept)).toBe(ACCEPT_COLOR);
    };
    await showBeforeUnload();
    await session.press("Escape");
    expect(await page.evaluate("globalThis.isOld")).toBe(true);
    await showBeforeUnload();
    await session.click(...middleOf(dismiss));
    expect(await page.evaluate("globalThis.isOld")).toBe(true);
    await showBeforeUnload();
    await session.press("Return");
    await page.waitForTrue("globalThis.isOld === undefined && document.readyState === 'complete'");
    await showBeforeUnload();
    await session.click(...middleOf(accept));
    await page.waitForTrue("globalThis.isOld === undefined && document.readyState === 'complete'");
  });

  test("beforeunload is shown when Ctrl+w closes the tab", async () => {
    await clickOn("#leave");
    await session.press("Ctrl+w");
    await session.press("Escape");
    expect(await page.evaluate("answers.length")).toBe(0);
    await session.press("Ctrl+w");
    await session.press("Return");
    await expect.poll(async () => (await session.urls()).includes(`${site.origin}/dialogs`)).toBe(false);
  });
});

test("a dialog opened before the first command is shown and answered", async () => {
  await using early = await ComputerSession.open(service, { start_url: `${site.origin}/unasked` });
  const { accept } = layOutDialog(VIEWPORT.width, "confirm");
  await expect
    .poll(async () => colorOf(await early.screenshot(), accept), { timeout: 10_000 })
    .toBe(ACCEPT_COLOR);
  await early.click(...middleOf(accept));
  expect(await (await early.page()).evaluate("answer")).toBe(true);
});

describe("select", () => {
  shareSession("/select");

  const middleOfOption = async (option: number) => page.centerOf(`option:nth-child(${option})`);

  async function differingPixels(): Promise<() => Promise<number>> {
    const region = { x: 100, y: 140, width: 200, height: 60 };
    const before = await session.screenshot(region);
    return async () => {
      const after = await session.screenshot(region);
      let count = 0;
      for (let y = 0; y < region.height; y += 1) {
        for (let x = 0; x < region.width; x += 1) if (before.pixel(x, y) !== after.pixel(x, y)) count += 1;
      }
      return count;
    };
  }

  test("opens a visible list and accepts clicks on options", async () => {
    const differing = await differingPixels();
    await clickOn("#list");
    await page.waitForTrue("list.matches(':open')");
    expect(await differing()).toBeGreaterThan(50);
    await session.click(...(await middleOfOption(3)));
    expect(await page.evaluate("list.value")).toBe("cherry");
    expect(await page.evaluate("chosen")).toEqual(["cherry"]);
    await page.waitForTrue("!list.matches(':open')");
    await expect.poll(differing).toBe(0);
  });

  test("accepts keys", async () => {
    await clickOn("#list");
    await page.waitForTrue("list.matches(':open')");
    await session.press("Down", "Return");
    expect(await page.evaluate("list.value")).toBe("banana");
    await session.press("Tab");
    await page.evaluate("list.focus()");
    await session.type("d");
    expect(await page.evaluate("list.value")).toBe("date");
  });

  test("closes unchanged on Escape", async () => {
    await clickOn("#list");
    await page.waitForTrue("list.matches(':open')");
    await session.press("Escape");
    await page.waitForTrue("!list.matches(':open')");
    expect(await page.evaluate("chosen")).toEqual([]);
  });

  test("opens its list on a session's first command", async () => {
    await using fresh = await ComputerSession.open(service, { start_url: `${site.origin}/select` });
    const view = await fresh.page();
    await view.waitForLoad();
    await fresh.click(200, 115);
    await view.waitForTrue("list.matches(':open')");
    await fresh.click(...(await view.centerOf("option:nth-child(2)")));
    expect(await view.evaluate("list.value")).toBe("banana");
  });
});

describe("page stuck in a loop", () => {
  shareSession("/stuck");

  const stopLoop = () => page.send("Runtime.terminateExecution");

  test("fails clicks, returns the last screenshot, and recovers", async () => {
    await clickOn("#text");
    await session.type("before");
    const whole = await session.screenshot();
    const [x, y] = await page.centerOf("#loop");
    await page.takeEvents();

    const { error, seconds } = await expectFailure(session.click(x, y, { hold_keys: ["Shift"] }));
    expect(error.status).toBe(503);
    expect(error.headers?.get("x-should-retry")).toBe("false");
    expect(error.message).toMatch(/does not answer/);
    expect(seconds).toBeGreaterThan(8);
    expect(seconds).toBeLessThan(20);

    const begin = performance.now();
    const picture = await session.screenshot();
    expect(performance.now() - begin).toBeLessThan(12_000);
    expect([picture.width, picture.height, picture.pixel(900, 600)]).toEqual([1024, 768, PAGE_COLOR]);
    expect(picture.pixel(x, y)).not.toBe("#000000");
    expect(whole.pixel(900, 600)).toBe(PAGE_COLOR);

    await stopLoop();
    await page.waitForTrue("true");
    // The modifier was also released.
    await expect.poll(async () => (await page.takeEvents("keyup")).length).toBe(1);
    await clickOn("#text");
    expect(await page.takeEvents("click")).toEqual(["click left 1"]);
    await session.type(" after");
    expect(await page.evaluate("text.value")).toBe("before after");
  });

  test("stops a batch at the action that failed", async () => {
    await clickOn("#text");
    const [x, y] = await page.centerOf("#loop");
    const { error } = await expectFailure(
      session.batch(
        { type: "type_text", type_text: { text: "one" } },
        { type: "click_mouse", click_mouse: { x, y } },
        { type: "click_mouse", click_mouse: { x: 30, y: 410 } },
        { type: "type_text", type_text: { text: "two" } },
      ),
    );
    expect(error.status).toBe(503);
    await stopLoop();
    expect(await page.evaluate("text.value")).toBe("one");
  });

  test("recovers by reload, as its error advises", async () => {
    const { error } = await expectFailure(clickOn("#loop"));
    expect(error.message).toMatch(/reload/);
    await session.press("F5");
    await page.waitForTrue("document.readyState === 'complete'");
    await clickOn("#text");
    await session.type("again");
    expect(await page.evaluate("text.value")).toBe("again");
  });

  test.each([
    ["closing it", "Ctrl+w"],
    ["switching tabs", "Ctrl+Tab"],
    ["opening a tab", "Ctrl+t"],
  ])("allows %s with %s", async (_, keys) => {
    const other = await session.newPage(`${site.origin}/select`);
    await page.send("Page.bringToFront");
    await page.evaluate("setTimeout(() => { for (;;) ; })");
    await session.press(keys);
    if (keys === "Ctrl+t") {
      await session.type(`${site.origin}/dialogs\n`);
      await (await session.page(`${site.origin}/dialogs`)).waitForLoad();
    } else {
      await session.press("x");
      await expect.poll(() => other.takeEvents("keydown")).toEqual(["keydown x KeyX 88 0"]);
    }
    const isOpen = (await session.urls()).includes(`${site.origin}/stuck`);
    expect(isOpen).toBe(keys !== "Ctrl+w");
    if (isOpen) await stopLoop();
  });

  test("does not block a tab in front of it", async () => {
    const front = await session.newPage(`${site.origin}/select`);
    await page.evaluate("setTimeout(() => { for (;;) ; })");
    const begin = performance.now();
    await session.click(500, 500);
    await session.type("x");
    const picture = await session.screenshot();
    expect(performance.now() - begin).toBeLessThan(5000);
    expect(picture.width).toBe(VIEWPORT.width);
    expect(await front.takeEvents("click", "keydown")).toEqual(["click left 1", "keydown x KeyX 88 0"]);
    await stopLoop();
  });
});

describe("crashed page", () => {
  shareSession("/dialogs");

  test("fails commands, and recovers by reload", async () => {
    await session.click(500, 500);
    // The crashed page never responds.
    page.send("Page.crash").catch(() => undefined);
    await expect.poll(async () => expectFailure(session.screenshot()).catch(() => undefined)).toBeDefined();
    const { error, seconds } = await expectFailure(session.screenshot());
    expect(error.status).toBe(503);
    expect(error.headers?.get("x-should-retry")).toBe("false");
    expect(error.message).toMatch(/crash/);
    expect(seconds).toBeLessThan(8);
    const clicked = await expectFailure(session.click(500, 500));
    expect(clicked.error.status).toBe(503);
    expect(clicked.error.headers?.get("x-should-retry")).toBe("false");
    await session.press("F5");
    await page.waitForTrue("document.readyState === 'complete' && location.pathname === '/dialogs'");
    await clickOn("#text");
    await session.type("alive");
    expect(await page.evaluate("text.value")).toBe("alive");
    expect((await session.screenshot()).pixel(900, 600)).toBe(PAGE_COLOR);
  });
});

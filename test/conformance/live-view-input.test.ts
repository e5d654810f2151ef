import { devices, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Scene, Stage } from "./live-view-scene.ts";
import { soon } from "./live-view-soon.ts";

/** A phone, with a finger and without a mouse. */
const PHONE = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, hasTouch: true, isMobile: true };

let stage: Stage;

beforeAll(async () => {
  stage = await Stage.set();
});
afterAll(() => stage[Symbol.asyncDispose]());

/** Gives a remote field the keyboard by a click in the live view. */
async function enter(scene: Scene, selector: string): Promise<void> {
  await scene.click(selector);
  await untilFocused(scene, selector);
}

async function untilFocused({ remote }: Scene, selector: string): Promise<void> {
  await soon(async () => expect(await remote.evaluate("document.activeElement.id")).toBe(selector.slice(1)));
}

async function untilValue({ remote }: Scene, selector: string, value: string): Promise<void> {
  await soon(async () => expect(await remote.valueOf(selector)).toBe(value));
}

function scrollTop({ remote }: Scene): Promise<number> {
  return remote.evaluate("scrollY").then(Number);
}

/** Presses a key that Playwright's own keyboard does not have. */
async function pressForeignKey(page: Page, key: string, code: string, keyCode: number): Promise<void> {
  const client = await page.context().newCDPSession(page);
  const event = { key, code, windowsVirtualKeyCode: keyCode };
  await client.send("Input.dispatchKeyEvent", { type: "keyDown", text: key, ...event });
  await client.send("Input.dispatchKeyEvent", { type: "keyUp", ...event });
  await client.detach();
}

describe.concurrent("the picture", () => {
  test("is drawn no larger than the viewer draws it, and in the page's shape", async () => {
    await using scene = await stage.scene({ viewport: { width: 640, height: 700 } });
    const widthNow = async () => (await scene.view.pictureSize()).width;
    await soon(async () => expect(await widthNow()).toBeLessThanOrEqual(640));
    const { width, height } = await scene.view.pictureSize();
    expect(width / height).toBeCloseTo(1200 / 800, 1);
    await scene.view.page.setViewportSize({ width: 1280, height: 900 });
    await soon(async () => expect(await widthNow()).toBeGreaterThan(1000));
  });
});

describe.concurrent("the mouse", () => {
  test("clicks with modifiers", async () => {
    await using scene = await stage.scene();
    await enter(scene, "#field");
    await scene.view.page.keyboard.down("Shift");
    await scene.click("#button");
    await scene.view.page.keyboard.up("Shift");
    expect(await scene.heardUntil("keyup Shift ShiftLeft")).toContain("click button button0 x1 shift");
  });

  test("drags, also beyond the picture's edge", async () => {
    await using scene = await stage.scene();
    const { mouse } = scene.view.page;
    const start = await scene.at("#slider", { dx: -190 });
    const end = await scene.at("#slider", { dx: 100 });
    await mouse.move(start.x, start.y);
    await mouse.down();
    await mouse.move(end.x, end.y, { steps: 5 });
    await soon(async () => expect(Number(await scene.remote.valueOf("#slider"))).toBeGreaterThan(65));
    await mouse.move(0, end.y, { steps: 5 });
    await mouse.up();
    await untilValue(scene, "#slider", "0");
    await scene.heardUntil("mouseup slider button0 x1");
  });

  test("turns the wheel", async () => {
    await using scene = await stage.scene();
    const { x, y } = await scene.at("#words");
    await scene.view.page.mouse.move(x, y);
    await scene.view.page.mouse.wheel(0, 500);
    await soon(async () => expect(await scrollTop(scene)).toBe(500));
    await scene.view.page.mouse.wheel(0, -200);
    await soon(async () => expect(await scrollTop(scene)).toBe(300));
  });

  test("of somebody else is shown", async () => {
    await using scene = await stage.scene();
    const arrow = scene.view.page.locator("#cursor.is-shown");
    expect(await arrow.count()).toBe(0);
    await stage.kernel.browsers.computer.moveMouse(scene.session.session_id, { x: 600, y: 400 });
    await arrow.waitFor();
    const styles = () => arrow.evaluate((element) => element.getAttribute("style"));
    expect(await styles()).toBe("left: 50%; top: 50%;");
  });
});

describe.concurrent("the keyboard", () => {
  test("types letters, shifted, of other layouts, and lines", async () => {
    await using scene = await stage.scene();
    const { page } = scene.view;
    await enter(scene, "#area");
    await page.keyboard.type("Say: What?");
    await pressForeignKey(page, "é", "Digit2", 50);
    await page.keyboard.press("Enter");
    await page.keyboard.type("x");
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("Shift+KeyY");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("End");
    await page.keyboard.press("Backspace");
    // Text without keys, as an input method sends it.
    await page.keyboard.insertText("日本 🙂");
    await untilValue(scene, "#area", "Say: What?日本 🙂\nYx");
    const heard = await scene.remote.heard();
    expect(heard).toContain("keydown é Digit2");
    expect(heard).toContain("keydown Y KeyY shift");
  });

  test("has the shortcuts of editing", async () => {
    await using scene = await stage.scene();
    const { keyboard } = scene.view.page;
    await enter(scene, "#field");
    await keyboard.type("one two");
    await keyboard.press("Control+KeyA");
    await keyboard.type("three");
    await untilValue(scene, "#field", "three");
    await keyboard.press("Control+KeyZ");
    await untilValue(scene, "#field", "one two");
    await keyboard.press("End");
    await keyboard.press("Control+Backspace");
    await untilValue(scene, "#field", "one ");
  });

  test("has the browser's shortcuts: F5 reloads, Ctrl+T opens a tab, Ctrl+W closes it", async () => {
    await using scene = await stage.scene();
    const { page, tabs } = scene.view;
    await enter(scene, "#field");
    await scene.remote.evaluate("void (window.isOld = true)");
    await page.keyboard.press("F5");
    await soon(async () => expect(await scene.remote.evaluate("window.isOld === undefined")).toBe(true));
    await page.keyboard.press("Control+KeyT");
    await soon(async () => expect(await tabs.count()).toBe(2));
    await soon(async () => expect(await scene.view.activeTitle()).toBe("New tab"));
    await page.keyboard.press("Control+KeyW");
    await soon(async () => expect(await tabs.count()).toBe(1));
    expect(page.context().pages()).toHaveLength(1);
  });

  test("lets go of what was held when the viewer leaves", async () => {
    await using scene = await stage.scene();
    await enter(scene, "#field");
    await scene.view.page.keyboard.down("Control");
    await scene.heardUntil("keydown Control ControlLeft ctrl");
    await scene.view.page.goto("about:blank");
    await scene.heardUntil("keyup Control ControlLeft");
  });
});

describe("the clipboard", () => {
  test("of the viewer is pasted", async () => {
    await using scene = await stage.scene({ permissions: ["clipboard-read", "clipboard-write"] });
    const { page } = scene.view;
    await enter(scene, "#area");
    const text = `first line\nsecond – "quoted" <b>${crypto.randomUUID()}</b>`;
    await page.evaluate((text) => navigator.clipboard.writeText(text), text);
    await page.keyboard.press("Control+KeyV");
    await untilValue(scene, "#area", text);
  });

  test("of the remote page comes to the viewer's", async () => {
    await using scene = await stage.scene({ permissions: ["clipboard-read", "clipboard-write"] });
    const { page } = scene.view;
    await enter(scene, "#field");
    const text = `copied ${crypto.randomUUID()}`;
    await page.keyboard.type(text);
    await page.keyboard.press("Control+KeyA");
    await page.keyboard.press("Control+KeyC");
    await soon(async () => expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(text));
    await untilValue(scene, "#field", text);
  });
});

describe.concurrent("on a phone", () => {
  test("a tap clicks", async () => {
    await using scene = await stage.scene(PHONE);
    const { x, y } = await scene.at("#button");
    await scene.view.page.touchscreen.tap(x, y);
    expect(await scene.heardUntil("click button button0 x1")).toEqual(
      expect.arrayContaining(["touchstart button 1", "touchend button 0"]),
    );
  });

  test("a swipe scrolls", async () => {
    await using scene = await stage.scene(PHONE);
    const { page } = scene.view;
    const start = await scene.at("#words");
    const client = await page.context().newCDPSession(page);
    const touch = (type: "touchStart" | "touchMove" | "touchEnd", points: { x: number; y: number }[]) =>
      client.send("Input.dispatchTouchEvent", { type, touchPoints: points });
    await touch("touchStart", [start]);
    for (let moved = 10; moved <= 100; moved += 10)
      await touch("touchMove", [{ ...start, y: start.y - moved }]);
    await touch("touchEnd", []);
    await soon(async () => expect(await scrollTop(scene)).toBeGreaterThan(100));
  });

  test("the soft keyboard types", async () => {
    await using scene = await stage.scene(PHONE);
    const { page } = scene.view;
    const { x, y } = await scene.at("#field");
    await page.touchscreen.tap(x, y);
    await untilFocused(scene, "#field");
    await scene.view.button("Keyboard").tap();
    await page.locator("#keys:focus").waitFor();
    await page.keyboard.insertText("hello wrold");
    const client = await page.context().newCDPSession(page);
    // A word grows while it is composed, and the keyboard corrects it.
    await untilValue(scene, "#field", "hello wrold");
    await client.send("Input.imeSetComposition", { text: " ag", selectionStart: 3, selectionEnd: 3 });
    await untilValue(scene, "#field", "hello wrold ag");
    await client.send("Input.imeSetComposition", { text: " again", selectionStart: 6, selectionEnd: 6 });
    await client.send("Input.insertText", { text: " again" });
    await untilValue(scene, "#field", "hello wrold again");
  });

  test("everything fits, and the page is not zoomed", async () => {
    await using scene = await stage.scene({ ...PHONE, userAgent: devices["Pixel 7"]?.userAgent });
    const { page } = scene.view;
    const box = await scene.view.canvas.boundingBox();
    expect(box?.width).toBe(390);
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect(overflow).toBe(0);
    for (const name of ["Back", "Forward", "Reload", "New tab", "Keyboard"]) {
      const { width = 0, height = 0 } = (await scene.view.button(name).boundingBox()) ?? {};
      expect(Math.min(width, height), name).toBeGreaterThanOrEqual(40);
    }
  });
});

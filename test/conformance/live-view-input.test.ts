import { devices, type Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { eventually } from "./eventually.ts";
import { type LiveViewFixture, LiveViewSuite } from "./live-view-fixture.ts";

const PHONE = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, hasTouch: true, isMobile: true };

const suite = await LiveViewSuite.use();

/** Focuses a remote field by a click in the live view. */
async function focus(fixture: LiveViewFixture, selector: string): Promise<void> {
  await fixture.click(selector);
  await waitForFocus(fixture, selector);
}

async function waitForFocus({ remote }: LiveViewFixture, selector: string): Promise<void> {
  await eventually(async () =>
    expect(await remote.evaluate("document.activeElement.id")).toBe(selector.slice(1)),
  );
}

async function waitForValue({ remote }: LiveViewFixture, selector: string, value: string): Promise<void> {
  await eventually(async () => expect(await remote.valueOf(selector)).toBe(value));
}

function scrollTop({ remote }: LiveViewFixture): Promise<number> {
  return remote.evaluate("scrollY").then(Number);
}

async function positionOf(fixture: LiveViewFixture, selector: string): Promise<[number, number]> {
  const { x, y } = await fixture.at(selector);
  return [x, y];
}

async function tap(fixture: LiveViewFixture, selector: string): Promise<void> {
  await fixture.view.page.touchscreen.tap(...(await positionOf(fixture, selector)));
}

/** Presses a key that Playwright's keyboard lacks. */
async function pressForeignKey(page: Page, key: string, code: string, keyCode: number): Promise<void> {
  const client = await page.context().newCDPSession(page);
  const event = { key, code, windowsVirtualKeyCode: keyCode };
  await client.send("Input.dispatchKeyEvent", { type: "keyDown", text: key, ...event });
  await client.send("Input.dispatchKeyEvent", { type: "keyUp", ...event });
  await client.detach();
}

describe.concurrent("the picture", () => {
  test("fits the viewer and keeps the aspect ratio", async () => {
    await using fixture = await suite.createFixture({ viewport: { width: 640, height: 700 } });
    const widthNow = async () => (await fixture.view.pictureSize()).width;
    await eventually(async () => expect(await widthNow()).toBeLessThanOrEqual(640));
    const { width, height } = await fixture.view.pictureSize();
    expect(width / height).toBeCloseTo(1200 / 800, 1);
    await fixture.view.page.setViewportSize({ width: 1280, height: 900 });
    await eventually(async () => expect(await widthNow()).toBeGreaterThan(1000));
  });
});

describe.concurrent("the mouse", () => {
  test("clicks with modifiers", async () => {
    await using fixture = await suite.createFixture();
    await focus(fixture, "#field");
    await fixture.view.page.keyboard.down("Shift");
    await fixture.click("#button");
    await fixture.view.page.keyboard.up("Shift");
    expect(await fixture.collectEventsUntil("keyup Shift ShiftLeft")).toContain(
      "click button button0 x1 shift",
    );
  });

  test("drags beyond the edge of the picture", async () => {
    await using fixture = await suite.createFixture();
    const { mouse } = fixture.view.page;
    const start = await fixture.at("#slider", { dx: -190 });
    const end = await fixture.at("#slider", { dx: 100 });
    await mouse.move(start.x, start.y);
    await mouse.down();
    await mouse.move(end.x, end.y, { steps: 5 });
    await eventually(async () => expect(Number(await fixture.remote.valueOf("#slider"))).toBeGreaterThan(65));
    await mouse.move(0, end.y, { steps: 5 });
    await mouse.up();
    await waitForValue(fixture, "#slider", "0");
    await fixture.collectEventsUntil("mouseup slider button0 x1");
  });

  test("scrolls with the wheel", async () => {
    await using fixture = await suite.createFixture();
    const { x, y } = await fixture.at("#words");
    await fixture.view.page.mouse.move(x, y);
    await fixture.view.page.mouse.wheel(0, 500);
    await eventually(async () => expect(await scrollTop(fixture)).toBe(500));
    await fixture.view.page.mouse.wheel(0, -200);
    await eventually(async () => expect(await scrollTop(fixture)).toBe(300));
  });

  test("of another client is shown", async () => {
    await using fixture = await suite.createFixture();
    const arrow = fixture.view.page.locator("#cursor.is-shown");
    expect(await arrow.count()).toBe(0);
    await suite.kernel.browsers.computer.moveMouse(fixture.session.session_id, { x: 600, y: 400 });
    await arrow.waitFor();
    const styles = () => arrow.evaluate((element) => element.getAttribute("style"));
    expect(await styles()).toBe("left: 50%; top: 50%;");
  });
});

describe.concurrent("the keyboard", () => {
  test("types shifted letters, other layouts and line breaks", async () => {
    await using fixture = await suite.createFixture();
    const { page } = fixture.view;
    await focus(fixture, "#area");
    await page.keyboard.type("Say: What?");
    await pressForeignKey(page, "é", "Digit2", 50);
    await page.keyboard.press("Enter");
    await page.keyboard.type("x");
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("Shift+KeyY");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("End");
    await page.keyboard.press("Backspace");
    // Input methods send text without key events.
    await page.keyboard.insertText("日本 🙂");
    await waitForValue(fixture, "#area", "Say: What?日本 🙂\nYx");
    const events = await fixture.remote.takeEvents();
    expect(events).toContain("keydown é Digit2");
    expect(events).toContain("keydown Y KeyY shift");
  });

  test("supports editing shortcuts", async () => {
    await using fixture = await suite.createFixture();
    const { keyboard } = fixture.view.page;
    await focus(fixture, "#field");
    await keyboard.type("one two");
    await keyboard.press("Control+KeyA");
    await keyboard.type("three");
    await waitForValue(fixture, "#field", "three");
    await keyboard.press("Control+KeyZ");
    await waitForValue(fixture, "#field", "one two");
    await keyboard.press("End");
    await keyboard.press("Control+Backspace");
    await waitForValue(fixture, "#field", "one ");
  });

  test("supports F5, Ctrl+T and Ctrl+W", async () => {
    await using fixture = await suite.createFixture();
    const { page, tabs } = fixture.view;
    await focus(fixture, "#field");
    await fixture.remote.evaluate("void (window.isOld = true)");
    await page.keyboard.press("F5");
    await eventually(async () =>
      expect(await fixture.remote.evaluate("window.isOld === undefined")).toBe(true),
    );
    await page.keyboard.press("Control+KeyT");
    await eventually(async () => expect(await tabs.count()).toBe(2));
    await eventually(async () => expect(await fixture.view.activeTitle()).toBe("New tab"));
    await page.keyboard.press("Control+KeyW");
    await eventually(async () => expect(await tabs.count()).toBe(1));
    expect(page.context().pages()).toHaveLength(1);
  });

  test("releases held keys when the viewer leaves", async () => {
    await using fixture = await suite.createFixture();
    await focus(fixture, "#field");
    await fixture.view.page.keyboard.down("Control");
    await fixture.collectEventsUntil("keydown Control ControlLeft ctrl");
    await fixture.view.page.goto("about:blank");
    await fixture.collectEventsUntil("keyup Control ControlLeft");
  });
});

describe("the clipboard", () => {
  test("pastes from the viewer", async () => {
    await using fixture = await suite.createFixture({ permissions: ["clipboard-read", "clipboard-write"] });
    const { page } = fixture.view;
    await focus(fixture, "#area");
    const text = `first line\nsecond – "quoted" <b>${crypto.randomUUID()}</b>`;
    await page.evaluate((text) => navigator.clipboard.writeText(text), text);
    await page.keyboard.press("Control+KeyV");
    await waitForValue(fixture, "#area", text);
  });

  test("copies to the viewer", async () => {
    await using fixture = await suite.createFixture({ permissions: ["clipboard-read", "clipboard-write"] });
    const { page } = fixture.view;
    await focus(fixture, "#field");
    const text = `copied ${crypto.randomUUID()}`;
    await page.keyboard.type(text);
    await page.keyboard.press("Control+KeyA");
    await page.keyboard.press("Control+KeyC");
    await eventually(async () =>
      expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(text),
    );
    await waitForValue(fixture, "#field", text);
  });
});

describe.concurrent("on a phone", () => {
  test("a tap clicks", async () => {
    await using fixture = await suite.createFixture(PHONE);
    const { x, y } = await fixture.at("#button");
    await fixture.view.page.touchscreen.tap(x, y);
    expect(await fixture.collectEventsUntil("click button button0 x1")).toEqual(
      expect.arrayContaining(["touchstart button 1", "touchend button 0"]),
    );
  });

  test("a swipe scrolls", async () => {
    await using fixture = await suite.createFixture(PHONE);
    const { page } = fixture.view;
    const start = await fixture.at("#words");
    const client = await page.context().newCDPSession(page);
    const touch = (type: "touchStart" | "touchMove" | "touchEnd", points: { x: number; y: number }[]) =>
      client.send("Input.dispatchTouchEvent", { type, touchPoints: points });
    await touch("touchStart", [start]);
    for (let moved = 10; moved <= 100; moved += 10)
      await touch("touchMove", [{ ...start, y: start.y - moved }]);
    await touch("touchEnd", []);
    await eventually(async () => expect(await scrollTop(fixture)).toBeGreaterThan(100));
  });

  test("the soft keyboard types", async () => {
    await using fixture = await suite.createFixture(PHONE);
    const { page } = fixture.view;
    const { x, y } = await fixture.at("#field");
    await page.touchscreen.tap(x, y);
    await waitForFocus(fixture, "#field");
    await page.locator("#keys:focus").waitFor();
    await page.keyboard.insertText("hello wrold");
    const client = await page.context().newCDPSession(page);
    await waitForValue(fixture, "#field", "hello wrold");
    await client.send("Input.imeSetComposition", { text: " ag", selectionStart: 3, selectionEnd: 3 });
    await waitForValue(fixture, "#field", "hello wrold ag");
    await client.send("Input.imeSetComposition", { text: " again", selectionStart: 6, selectionEnd: 6 });
    await client.send("Input.insertText", { text: " again" });
    await waitForValue(fixture, "#field", "hello wrold again");
  });

  test("a tap beside fields closes the soft keyboard, and its button opens it", async () => {
    await using fixture = await suite.createFixture(PHONE);
    const { page } = fixture.view;
    await tap(fixture, "#area");
    await page.locator("#keys:focus").waitFor();
    await tap(fixture, "#words");
    await page.locator("#keys:not(:focus)").waitFor();
    await fixture.view.button("Keyboard").tap();
    await page.locator("#keys:focus").waitFor();
  });

  test("choices and dates come from the phone's own pickers", async () => {
    await using fixture = await suite.createFixture(PHONE);
    const picker = fixture.view.page.locator("#picker");
    await tap(fixture, "#select");
    await picker.getByLabel("Choices from the page").selectOption("blue");
    await waitForValue(fixture, "#select", "blue");
    await picker.waitFor({ state: "hidden" });
    await tap(fixture, "#date");
    await picker.getByLabel("Value of the field").fill("2027-03-04");
    await waitForValue(fixture, "#date", "2027-03-04");
    await picker.waitFor({ state: "hidden" });
    await tap(fixture, "#button");
    await fixture.collectEventsUntil("click button button0 x1");
    expect(fixture.view.problems).toEqual([]);
  });

  test("two taps fill the screen, which then scrolls to the rest of the page", async () => {
    await using fixture = await suite.createFixture(PHONE);
    const { page, canvas } = fixture.view;
    const width = async () => (await canvas.boundingBox())?.width;
    const tapTwice = async () => {
      for (let count = 0; count < 2; count += 1) await page.touchscreen.tap(195, 200);
    };
    await tapTwice();
    await eventually(async () => expect(await width()).toBeGreaterThan(900));
    const view = page.locator("#view");
    await view.evaluate((element) => element.scrollTo({ left: 0 }));
    const client = await page.context().newCDPSession(page);
    const touch = (type: "touchStart" | "touchMove" | "touchEnd", ...x: number[]) =>
      client.send("Input.dispatchTouchEvent", { type, touchPoints: x.map((x) => ({ x, y: 600 })) });
    await touch("touchStart", 300);
    for (let x = 290; x >= 100; x -= 10) await touch("touchMove", x);
    await touch("touchEnd");
    await eventually(async () =>
      expect(await view.evaluate(({ scrollLeft }) => scrollLeft)).toBeGreaterThan(50),
    );
    await tapTwice();
    await eventually(async () => expect(await width()).toBe(390));
  });

  test("everything fits without zooming", async () => {
    await using fixture = await suite.createFixture({ ...PHONE, userAgent: devices["Pixel 7"]?.userAgent });
    const { page } = fixture.view;
    const box = await fixture.view.canvas.boundingBox();
    expect(box?.width).toBe(390);
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect(overflow).toBe(0);
    for (const name of ["Back", "Forward", "Reload", "New tab", "Keyboard"]) {
      const { width = 0, height = 0 } = (await fixture.view.button(name).boundingBox()) ?? {};
      expect(Math.min(width, height), name).toBeGreaterThanOrEqual(40);
    }
  });
});

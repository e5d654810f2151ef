import { describe, expect, test } from "vitest";
import { eventually } from "../conformance/eventually.ts";
import { LiveViewSuite } from "../conformance/live-view-fixture.ts";

const suite = await LiveViewSuite.use();

describe("live view", () => {
  test("shows changes of the remote page", async () => {
    await using fixture = await suite.createFixture();
    for (const color of ["red", "green", "blue"] as const) {
      const cssColor = color === "green" ? "lime" : color;
      await fixture.remote.evaluate(`void (document.body.style.background = "${cssColor}")`);
      await eventually(async () => expect(await fixture.view.color()).toBe(color));
    }
    expect(fixture.view.problems).toEqual([]);
  });

  test("sends clicks of each button and double clicks", async () => {
    await using fixture = await suite.createFixture();
    await fixture.click("#button");
    expect(await fixture.collectEventsUntil("click button button0 x1")).toEqual([
      "mousedown button button0 x1",
      "mouseup button button0 x1",
      "click button button0 x1",
    ]);
    await fixture.click("#button", { button: "middle" });
    expect(await fixture.collectEventsUntil("auxclick button button1 x1")).toContain(
      "mouseup button button1 x1",
    );
    await fixture.click("#button", { button: "right" });
    expect(await fixture.collectEventsUntil("auxclick button button2 x1")).toContain(
      "contextmenu button button2 x0",
    );
    await fixture.click("#beta", { clickCount: 2 });
    expect(await fixture.collectEventsUntil("dblclick beta button0 x2")).toContain(
      "mousedown beta button0 x2",
    );
    const selected = () => fixture.remote.evaluate("getSelection().toString().trim()");
    await eventually(async () => expect(await selected()).toBe("betabeta"));
  });

  test("has no tab strip or address bar in kiosk mode, and accepts input", async () => {
    await using fixture = await suite.createFixture({ session: { kiosk_mode: true } });
    const { view, remote } = fixture;
    expect(await view.page.locator(".tab-strip").isVisible()).toBe(false);
    expect(await view.address.isVisible()).toBe(false);
    const box = await view.canvas.boundingBox();
    expect(box?.width === 1280 || box?.height === 800).toBe(true);
    await fixture.click("#field");
    await view.page.keyboard.type("typed");
    await eventually(async () => expect(await remote.valueOf("#field")).toBe("typed"));
  });
});

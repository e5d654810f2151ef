import { BadRequestError } from "@onkernel/sdk";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Pages, recordingPage } from "./computer-pages.ts";
import { type ComputerSession, openComputer, type PageView } from "./computer-session.ts";

const LINES = ["one first line", "the second line", "a third"];

const PAGES = {
  "/pad": recordingPage(""),
  "/before": recordingPage(""),
  "/after": recordingPage(""),
  "/text": recordingPage(
    `<textarea class="at" style="left: 0; top: 0; width: 600px; height: 300px; padding: 0; border: 0;
      font: 20px/40px monospace">${LINES.join("\n")}</textarea>`,
  ),
  "/drag": recordingPage(
    `<div id="piece" class="at" draggable="true"
       style="left: 50px; top: 50px; width: 60px; height: 60px; background: teal"></div>
     <div id="target" class="at" style="left: 400px; top: 300px; width: 120px; height: 120px; background: silver"></div>
     <input id="slider" class="at" type="range" style="left: 50px; top: 500px; width: 400px; height: 20px">
     <script>
       piece.ondragstart = (event) => event.dataTransfer.setData("text/plain", "the piece");
       target.ondragover = (event) => event.preventDefault();
       target.ondrop = (event) => { event.preventDefault(); target.textContent = event.dataTransfer.getData("text/plain") };
       const values = [];
       slider.oninput = () => values.push(slider.valueAsNumber);
     </script>`,
  ),
  "/scroll": recordingPage(
    `<div id="box" class="at" style="left: 0; top: 0; width: 300px; height: 300px; overflow: scroll">
       <div style="width: 5000px; height: 5000px"></div>
     </div>
     <div style="width: 6000px; height: 6000px"></div>
     <script>
       const wheel = { x: 0, y: 0 };
       addEventListener("wheel", ({ deltaX, deltaY }) => { wheel.x += deltaX; wheel.y += deltaY });
     </script>`,
  ),
};

let site: Pages;
let session: ComputerSession;
let page: PageView;

beforeAll(async () => {
  const computer = await openComputer(PAGES);
  ({ site, session, page } = computer);
  return () => computer[Symbol.asyncDispose]();
});

async function open(path: keyof typeof PAGES): Promise<void> {
  await page.goto(site.origin + path);
  await session.move(1000, 700);
  await page.waitForTrue("events.length === 1");
  await page.takeEvents();
}

describe("clicks", () => {
  beforeEach(() => open("/pad"));

  test("use the left button by default", async () => {
    await session.click(10, 20);
    expect(await page.takeEvents("click", "auxclick")).toEqual(["click left 1"]);
  });

  test("can be split into down and up", async () => {
    await session.click(30, 40, { click_type: "down" });
    expect(await page.takeEvents()).toEqual(["mousemove 30,40 0", "mousedown left 1"]);
    await session.click(30, 40, { click_type: "up" });
    expect((await page.takeEvents()).slice(1)).toEqual(["mouseup left 1", "click left 1"]);
  });

  test("of the back and forward buttons navigate", async () => {
    await page.goto(`${site.origin}/before`);
    await page.goto(`${site.origin}/after`);
    await session.click(200, 120, { button: "back" });
    await page.waitForTrue("location.pathname === '/before'");
    await session.click(200, 120, { button: "forward" });
    await page.waitForTrue("location.pathname === '/after'");
  });

  test.each([
    [["Shift_L"], "Shift"],
    [["Shift_R"], "Shift"],
    [["Control_L"], "Control"],
    [["ctrl"], "Control"],
    [["Control_R"], "Control"],
    [["Alt_L"], "Alt"],
    [["Alt_R"], "Alt"],
    [["Super_L"], "Meta"],
    [["Meta_R"], "Meta"],
    [["shift", "ctrl", "alt"], "Alt Control Shift"],
  ])("with %j held carry its flags", async (hold_keys, flags) => {
    await session.click(200, 120, { hold_keys });
    const events = await page.takeEvents();
    const clicked = [`mousedown left 1 ${flags}`, `mouseup left 1 ${flags}`, `click left 1 ${flags}`];
    expect(events.filter((event) => /^(mousedown|mouseup|click)/.test(event))).toEqual(clicked);
    expect(events.filter((event) => event.startsWith("keydown"))).toHaveLength(hold_keys.length);
    expect(events.slice(-hold_keys.length).every((event) => event.startsWith("keyup"))).toBe(true);
    await session.click(200, 120);
    expect(await page.takeEvents("click")).toEqual(["click left 1"]);
  });

  test("outside the viewport or with invalid fields are rejected without effect", async () => {
    for (const [x, y] of [
      [1024, 10],
      [10, 768],
      [-1, 10],
      [10, -1],
      [1.5, 10],
    ] as const) {
      await expect(session.click(x, y), `${x}, ${y}`).rejects.toThrow(BadRequestError);
      await expect(session.move(x, y), `${x}, ${y}`).rejects.toThrow(BadRequestError);
      await expect(session.scroll(x, y, { delta_y: 1 }), `${x}, ${y}`).rejects.toThrow(BadRequestError);
      const dragged = session.drag([
        [5, 5],
        [x, y],
      ]);
      await expect(dragged, `${x}, ${y}`).rejects.toThrow(BadRequestError);
    }
    await expect(session.click(1, 1, { num_clicks: 0 })).rejects.toThrow(BadRequestError);
    await expect(session.click(1, 1, { num_clicks: 101 })).rejects.toThrow(BadRequestError);
    await expect(session.click(1, 1, { hold_keys: ["a"] })).rejects.toThrow(/"a" is not a modifier/);
    await expect(session.click(1, 1, { hold_keys: ["Shift", "Shfit"] })).rejects.toThrow(/"Shfit"/);
    await expect(session.scroll(1, 1, {})).rejects.toThrow(BadRequestError);
    await expect(session.scroll(1, 1, { delta_x: 0, delta_y: 0 })).rejects.toThrow(BadRequestError);
    await expect(session.drag([[5, 5]])).rejects.toThrow(BadRequestError);
    await expect(session.move(5, 5, { smooth: true, duration_ms: 49 })).rejects.toThrow(BadRequestError);
    expect(await page.takeEvents()).toEqual([]);
    expect(await session.mousePosition()).toEqual([1000, 700]);
  });

  test("reach the last pixels of the viewport", async () => {
    await session.click(1023, 767);
    await session.click(0, 0);
    expect(await page.takeEvents("mousemove", "click")).toEqual([
      "mousemove 1023,767 0",
      "click left 1",
      "mousemove 0,0 0",
      "click left 1",
    ]);
  });
});

describe("multiple clicks", () => {
  test("can be up to 100", async () => {
    await open("/pad");
    await page.evaluate("clicks = 0, addEventListener('mousedown', () => { clicks += 1 })");
    await session.click(70, 60, { num_clicks: 100 });
    expect(await page.evaluate("clicks")).toBe(100);
  });

  const selected = () =>
    page.evaluate(
      "(({ value, selectionStart, selectionEnd }) => value.slice(selectionStart, selectionEnd))(document.querySelector('textarea'))",
    );

  test("select a word or a line", async () => {
    await open("/text");
    await session.click(70, 60, { num_clicks: 2 });
    expect(await page.takeEvents("click", "dblclick")).toEqual([
      "click left 1",
      "click left 2",
      "dblclick left 2",
    ]);
    expect(String(await selected()).trim()).toBe("second");
    // Elsewhere, because Chrome would continue the count of the double click.
    await session.click(70, 100, { num_clicks: 3 });
    expect(await page.takeEvents("click")).toEqual(["click left 1", "click left 2", "click left 3"]);
    expect(String(await selected()).trim()).toBe("a third");
  });

  test("extend the selection with Shift held", async () => {
    await open("/text");
    await session.click(0, 20);
    await session.click(500, 60, { hold_keys: ["Shift"] });
    expect(await selected()).toBe(LINES.slice(0, 2).join("\n"));
  });
});

describe("moves", () => {
  beforeEach(() => open("/pad"));

  test("jump to the position", async () => {
    await session.move(321, 123);
    await expect.poll(() => page.takeEvents()).toEqual(["mousemove 321,123 0"]);
    expect(await session.mousePosition()).toEqual([321, 123]);
  });

  test("with smooth pass positions in between and end exactly", async () => {
    await session.move(100, 100);
    await session.move(700, 500, { smooth: true, duration_ms: 300 });
    await page.waitForTrue("events.at(-1) === 'mousemove 700,500 0'");
    const positions = (await page.takeEvents()).map(
      (event) => event.split(" ")[1]?.split(",").map(Number) ?? [],
    );
    expect(new Set(positions.map(String)).size).toBeGreaterThan(5);
    for (const [x = 0, y = 0] of positions) {
      expect(x >= 0 && x < 1024 && y >= 0 && y < 768, `${x}, ${y}`).toBe(true);
    }
    expect(await session.mousePosition()).toEqual([700, 500]);
  });

  test("with keys held carry their flags", async () => {
    await session.move(50, 60, { hold_keys: ["Alt", "Shift"] });
    await page.waitForTrue("events.some((event) => event.startsWith('mousemove'))");
    expect(await page.takeEvents("mousemove")).toEqual(["mousemove 50,60 0 Alt Shift"]);
  });
});

describe("drags", () => {
  beforeEach(() => open("/drag"));

  const dropped = "target.textContent === 'the piece'";

  test("work with down, move and up in quick succession", async () => {
    for (let turn = 0; turn < 6; turn += 1) {
      await page.evaluate("target.textContent = ''");
      await session.click(80, 80, { click_type: "down" });
      await session.move(90, 90);
      await session.move(300, 250);
      await session.move(460, 360);
      await session.click(460, 360, { click_type: "up" });
      await page.waitForTrue(dropped);
    }
  });

  test.each([true, false])("drop an HTML5 draggable quickly, smooth: %s", async (smooth) => {
    const path = [
      [80, 80],
      [460, 360],
    ];
    await session.drag(path, { smooth, duration_ms: 60, steps_per_segment: 5, step_delay_ms: 0 });
    await page.waitForTrue(dropped);
  });

  test.each([true, false])("drop an HTML5 draggable, smooth: %s", async (smooth) => {
    const path = [
      [80, 80],
      [200, 300],
      [460, 360],
    ];
    await session.drag(path, { smooth, steps_per_segment: 5, step_delay_ms: 10 });
    await page.waitForTrue(dropped);
    expect(await session.mousePosition()).toEqual([460, 360]);
  });

  test.each([true, false])("move a slider, smooth: %s", async (smooth) => {
    const path = [
      [250, 510],
      [449, 510],
    ];
    await session.drag(path, { smooth, steps_per_segment: 8, step_delay_ms: 20 });
    await page.waitForTrue("slider.value === '100'");
    expect(await page.evaluate("values.length")).toBeGreaterThan(2);
    expect(
      await page.evaluate("values.every((value, index) => index === 0 || value >= values[index - 1])"),
    ).toBe(true);
    await session.move(60, 510);
    expect(await page.evaluate("slider.value")).toBe("100");
  });

  test("press at the start, move with the button down, and release at the end", async () => {
    await open("/pad");
    const path = [
      [100, 100],
      [100, 200],
      [200, 200],
    ];
    await session.drag(path, {
      button: "right",
      smooth: false,
      steps_per_segment: 2,
      // Chrome joins moves that come before its next frame.
      step_delay_ms: 200,
      delay: 60,
      hold_keys: ["Shift"],
    });
    expect(await page.takeEvents("mousedown", "mousemove", "mouseup")).toEqual([
      "mousemove 100,100 0 Shift",
      "mousedown right 1 Shift",
      "mousemove 100,150 2 Shift",
      "mousemove 100,200 2 Shift",
      "mousemove 150,200 2 Shift",
      "mousemove 200,200 2 Shift",
      // Chrome sends two more moves to find out whether dropping is allowed here.
      "mousemove 200,200 2 Shift",
      "mousemove 200,200 2 Shift",
      "mouseup right 1 Shift",
    ]);
  });
});

describe("the wheel", () => {
  beforeEach(() => open("/scroll"));

  const scrolled = () => page.evaluate("[box.scrollLeft, box.scrollTop, scrollX, scrollY].join(' ')");

  test("scrolls the element under the mouse by 120 pixels per notch", async () => {
    await session.scroll(100, 100, { delta_y: 3 });
    await expect.poll(scrolled).toBe("0 360 0 0");
    await session.scroll(100, 100, { delta_x: 2 });
    await expect.poll(scrolled).toBe("240 360 0 0");
    await session.scroll(100, 100, { delta_x: -1, delta_y: -2 });
    await expect.poll(scrolled).toBe("120 120 0 0");
  });

  test("scrolls the page outside scrollable elements", async () => {
    await session.scroll(600, 600, { delta_x: 1, delta_y: 2 });
    await expect.poll(scrolled).toBe("0 0 120 240");
    await session.scroll(600, 600, { delta_y: -1 });
    await expect.poll(scrolled).toBe("0 0 120 120");
    expect(await session.mousePosition()).toEqual([600, 600]);
  });

  test("sends wheel events with held keys to the page", async () => {
    await session.scroll(100, 100, { delta_x: -1, delta_y: 2, hold_keys: ["Shift"] });
    // Chrome scrolls before it sends the events, and may merge them.
    await expect.poll(() => page.evaluate("wheel")).toEqual({ x: -120, y: 240 });
    const events = await page.takeEvents("wheel");
    expect(events.every((event) => event.endsWith(" Shift"))).toBe(true);
  });

  test("scrolls far in one request", async () => {
    await session.scroll(600, 600, { delta_y: 40 });
    await expect.poll(scrolled).toBe("0 0 0 4800");
  });
});

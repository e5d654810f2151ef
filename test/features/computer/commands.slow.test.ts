import { beforeEach, describe, expect, it } from "vitest";
import { type Client, newClient } from "../../api.ts";
import { useFakeBrowsers } from "../../fakes/browser-binding.ts";
import { restart, runInSession } from "../../objects.ts";
import { COMPUTER_BODIES } from "./bodies.ts";

const browsers = useFakeBrowsers();

let client: Client;
let id: string;
let browserId: string;
let sentBefore: number;

beforeEach(async () => {
  client = await newClient();
  const session = await client.createSession({
    timeout_seconds: 3600,
    viewport: { width: 1024, height: 768 },
    start_url: "https://home.example/",
  });
  id = session.session_id;
  browserId = browsers.launched.at(-1) ?? "";
  await expect.poll(() => browsers.commands.at(-1)?.method).toBe("Page.navigate");
  sentBefore = browsers.commands.length;
});

const call = (name: string, body?: unknown) => client.post(`/browsers/${id}/computer/${name}`, body);
const sent = (method: RegExp) =>
  browsers.commands.slice(sentBefore).filter((command) => method.test(command.method));

/** Mouse events that were sent, in the form "mousePressed left 2 @10,20 +8". */
const mouseEvents = () =>
  sent(/^Input\.dispatchMouseEvent$/).map(({ params: { type, button, clickCount, x, y, modifiers } }) =>
    [type, button, clickCount, `@${x},${y}`, modifiers === 0 ? undefined : `+${modifiers}`]
      .filter((part) => part !== undefined)
      .join(" "),
  );

/** Key events that were sent, in the form "keyDown a +8". */
const keyEvents = () =>
  sent(/^Input\.dispatchKeyEvent$/).map(({ params: { type, key, modifiers } }) =>
    modifiers === 0 ? `${type} ${key}` : `${type} ${key} +${modifiers}`,
  );

describe("events that reach the page", () => {
  const moved = "mouseMoved none @10,20";
  const clicks: [string, object, string[]][] = [
    ["a click", {}, [moved, "mousePressed left 1 @10,20", "mouseReleased left 1 @10,20"]],
    [
      "a double click",
      { num_clicks: 2 },
      [
        moved,
        "mousePressed left 1 @10,20",
        "mouseReleased left 1 @10,20",
        "mousePressed left 2 @10,20",
        "mouseReleased left 2 @10,20",
      ],
    ],
    ["a press", { click_type: "down" }, [moved, "mousePressed left 1 @10,20"]],
    ["a release", { click_type: "up" }, [moved, "mouseReleased left 1 @10,20"]],
    ...["right", "middle", "back", "forward"].map((button): [string, object, string[]] => [
      `a click with the ${button} button`,
      { button },
      [moved, `mousePressed ${button} 1 @10,20`, `mouseReleased ${button} 1 @10,20`],
    ]),
    [
      "a click with modifiers",
      { hold_keys: ["Shift", "Alt"] },
      [`${moved} +9`, "mousePressed left 1 @10,20 +9", "mouseReleased left 1 @10,20 +9"],
    ],
    [
      "a click with unknown fields",
      { unknown: 1, duration: -5 },
      [moved, "mousePressed left 1 @10,20", "mouseReleased left 1 @10,20"],
    ],
  ];

  it.each(clicks)("%s", async (_, details, events) => {
    const answer = await call("click_mouse", { x: 10, y: 20, ...details });
    expect(answer.status, answer.text).toBe(200);
    expect(answer.text).toBe("");
    expect(mouseEvents()).toEqual(events);
  });

  it("a button held down: moves are drags that report it", async () => {
    await call("click_mouse", { x: 1, y: 1, click_type: "down" });
    await call("move_mouse", { x: 5, y: 5 });
    await call("click_mouse", { x: 9, y: 9, click_type: "up" });
    expect(mouseEvents()).toEqual([
      "mouseMoved none @1,1",
      "mousePressed left 1 @1,1",
      "mouseMoved left @5,5",
      "mouseMoved left @9,9",
      "mouseReleased left 1 @9,9",
    ]);
    expect(sent(/dispatchMouseEvent/).map(({ params }) => params.buttons)).toEqual([0, 1, 1, 1, 0]);
  });

  it("a straight drag: presses at the first point and releases at the last", async () => {
    const path = [
      [0, 0],
      [10, 0],
      [10, 10],
    ];
    await call("drag_mouse", { path, smooth: false, steps_per_segment: 2, step_delay_ms: 0 });
    expect(mouseEvents()).toEqual([
      "mouseMoved none @0,0",
      "mousePressed left 1 @0,0",
      "mouseMoved left @5,0",
      "mouseMoved left @10,0",
      "mouseMoved left @10,5",
      "mouseMoved left @10,10",
      // A page accepts a drop only after it has handled a drag event.
      "mouseMoved left @10,10",
      "mouseMoved left @10,10",
      "mouseReleased left 1 @10,10",
    ]);
  });

  it("a smooth move: many moves within the viewport, the last at the target", async () => {
    await call("move_mouse", { x: 1023, y: 0, smooth: true, duration_ms: 200 });
    const places = sent(/dispatchMouseEvent/).map(({ params }) => [Number(params.x), Number(params.y)]);
    expect(places).toHaveLength(12);
    expect(places.at(-1)).toEqual([1023, 0]);
    for (const [x = -1, y = -1] of places) {
      expect(x >= 0 && x < 1024 && y >= 0 && y < 768, `${x},${y}`).toBe(true);
    }
  });

  it("a scroll: notches of 120 pixels, vertical first", async () => {
    await call("scroll", { x: 10, y: 20, delta_x: -1, delta_y: 2, hold_keys: ["Ctrl"] });
    const wheel = sent(/dispatchMouseEvent/).filter(({ params }) => params.type === "mouseWheel");
    expect(wheel.map(({ params: { deltaX, deltaY, modifiers } }) => [deltaX, deltaY, modifiers])).toEqual([
      [0, 120, 2],
      [0, 120, 2],
      [-120, 0, 2],
    ]);
  });

  it("tapped keys: one after the other while modifiers are held", async () => {
    await call("press_key", { keys: ["a", "Meta+b"], hold_keys: ["Alt"] });
    expect(keyEvents()).toEqual([
      "rawKeyDown Alt +1",
      "rawKeyDown a +1",
      "keyUp a +1",
      "rawKeyDown Meta +5",
      "rawKeyDown b +5",
      "keyUp b +5",
      "keyUp Meta +1",
      "keyUp Alt",
    ]);
  });

  it.each([
    ["in a combination", { keys: ["Shift+b"] }],
    ["in hold_keys", { keys: ["b"], hold_keys: ["Shift"] }],
  ])("a key with Shift %s: the shifted key", async (_, body) => {
    await call("press_key", body);
    expect(keyEvents()).toEqual(["rawKeyDown Shift +8", "keyDown B +8", "keyUp B +8", "keyUp Shift"]);
    expect(sent(/dispatchKeyEvent/)[1]?.params).toMatchObject({ text: "B", code: "KeyB" });
  });

  it("held keys: all go down, then up in reverse order", async () => {
    await call("press_key", { keys: ["a", "b"], duration: 1 });
    expect(keyEvents()).toEqual(["keyDown a", "keyDown b", "keyUp b", "keyUp a"]);
  });

  it("text: a key per character, Enter for a newline, insertText for long characters", async () => {
    await call("type", { text: "aB\n👩‍👩‍👧" });
    expect(keyEvents()).toEqual([
      "keyDown a",
      "keyUp a",
      "keyDown B +8",
      "keyUp B",
      "keyDown Enter",
      "keyUp Enter",
    ]);
    expect(sent(/insertText/).map(({ params }) => params.text)).toEqual(["👩‍👩‍👧"]);
  });

  it("a batch: its actions in order", async () => {
    await call("batch", {
      actions: [
        { type: "press_key", press_key: { keys: ["a"] } },
        { type: "click_mouse", click_mouse: { x: 1, y: 2 } },
        { type: "sleep", sleep: { duration_ms: 1 } },
        { type: "type_text", type_text: { text: "b" } },
      ],
    });
    const types = sent(/^Input\./).map(({ params }) => params.type);
    expect(types).toEqual([
      "keyDown",
      "keyUp",
      "mouseMoved",
      "mousePressed",
      "mouseReleased",
      "keyDown",
      "keyUp",
    ]);
  });
});

describe("commands of one session", () => {
  it("run in order when sent concurrently", async () => {
    const texts = ["one", "two", "three", "four"];
    await Promise.all(texts.map((text) => call("type", { text, delay: 1 })));
    const typed = sent(/dispatchKeyEvent/).flatMap(({ params }) =>
      params.type === "keyDown" ? params.key : [],
    );
    expect(typed).toHaveLength(texts.join("").length);
    const order = texts.toSorted((one, other) => typed.join("").indexOf(one) - typed.join("").indexOf(other));
    expect(typed.join("")).toBe(order.join(""));
  });

  it("continue after one fails", async () => {
    browsers.failingMethods.add("Page.captureScreenshot");
    expect((await call("screenshot")).status).toBe(503);
    expect((await call("type", { text: "a" })).status).toBe(200);
  });

  it("continue after the session's object restarts", async () => {
    await restart(id);
    expect((await call("click_mouse", { x: 1, y: 2 })).status).toBe(200);
    expect(mouseEvents()).toHaveLength(3);
    expect((await call("get_mouse_position")).json).toEqual({ x: 1, y: 2 });
  });
});

describe("responses", () => {
  it("have the documented body or none", async () => {
    for (const [name, body] of Object.entries(COMPUTER_BODIES)) {
      const answer = await call(name, body);
      expect(answer.status, answer.text).toBe(200);
      if (name === "cursor") expect(answer.json).toEqual({ ok: true });
      else if (name === "get_mouse_position") expect(answer.json).toEqual({ x: 10, y: 20 });
      else if (name === "clipboard/read") expect(answer.json).toEqual({ text: "" });
      else if (name !== "screenshot") expect(answer.text, name).toBe("");
    }
  });

  it("of screenshots are PNGs that must not be stored", async () => {
    const answer = await call("screenshot");
    expect(answer.headers.get("content-type")).toBe("image/png");
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(answer.text).toContain("PNG");
  });

  it("of screenshots capture only the requested region", async () => {
    await call("screenshot", { region: { x: 1, y: 2, width: 1023, height: 766 } });
    expect(sent(/captureScreenshot/).map(({ params }) => params)).toEqual([
      // The fake page is scrolled by (30, 500).
      { format: "png", clip: { x: 31, y: 502, width: 1023, height: 766, scale: 1 } },
    ]);
  });
});

it("releases a button that was pressed before a dialog opened", async () => {
  await call("click_mouse", { x: 5, y: 5, click_type: "down" });
  await runInSession(id, () => browsers.browser(browserId).openDialog({ type: "alert", message: "stop" }));
  await call("click_mouse", { x: 5, y: 5, click_type: "up" });
  expect(mouseEvents().at(-1)).toBe("mouseReleased left 1 @5,5");
  await call("press_key", { keys: ["Return"] });
  await call("move_mouse", { x: 9, y: 9 });
  expect(mouseEvents().at(-1)).toBe("mouseMoved none @9,9");
});

describe("while a dialog is open", () => {
  beforeEach(async () => {
    await runInSession(id, () =>
      browsers.browser(browserId).openDialog({ type: "prompt", message: "Name?" }),
    );
  });

  it("mouse commands return without pressing or scrolling in the page", async () => {
    for (const name of ["move_mouse", "click_mouse", "drag_mouse", "scroll"] as const) {
      const answer = await call(name, COMPUTER_BODIES[name]);
      expect(answer.status, name).toBe(200);
    }
    expect(mouseEvents().filter((event) => !event.startsWith("mouseMoved"))).toEqual([]);
  });

  it("keys and text go to the dialog, and Return accepts it", async () => {
    await call("type", { text: "Ada" });
    await call("press_key", { keys: ["BackSpace", "m", "Return"] });
    expect(sent(/handleJavaScriptDialog/).map(({ params }) => params)).toEqual([
      { accept: true, promptText: "Adm" },
    ]);
    expect(keyEvents()).toEqual([]);
  });

  it("Escape dismisses the dialog, and the page gets keys again", async () => {
    await call("press_key", { keys: ["Escape"] });
    await call("press_key", { keys: ["a"] });
    expect(sent(/handleJavaScriptDialog/).map(({ params }) => params)).toEqual([{ accept: false }]);
    expect(keyEvents()).toEqual(["keyDown a", "keyUp a"]);
  });
});

import { describe, expect, it } from "vitest";
import {
  batchSchema,
  clickMouseSchema,
  dragMouseSchema,
  moveMouseSchema,
  pressKeySchema,
  screenshotSchema,
  scrollSchema,
  setCursorSchema,
  toClickMouse,
  toDragMouse,
  toMoveMouse,
  toPressKey,
  toScroll,
  toSetCursor,
  toTypeText,
  typeTextSchema,
} from "../../../src/api/computer/schema.ts";

describe("computer request bodies with required fields only", () => {
  it("move directly", () => {
    expect(toMoveMouse(moveMouseSchema.parse({ x: 0, y: 1 }))).toEqual({
      type: "move_mouse",
      to: [0, 1],
      smooth: false,
      durationMs: undefined,
      holdKeys: [],
    });
  });

  it("click once with the left button", () => {
    expect(toClickMouse(clickMouseSchema.parse({ x: 0, y: 1 }))).toEqual({
      type: "click_mouse",
      at: [0, 1],
      button: "left",
      clickType: "click",
      count: 1,
      holdKeys: [],
    });
  });

  it("drag smoothly with the left button", () => {
    const path = [
      [1, 2],
      [3, 4],
    ];
    expect(toDragMouse(dragMouseSchema.parse({ path }))).toEqual({
      type: "drag_mouse",
      path,
      button: "left",
      delayMs: 0,
      smooth: true,
      durationMs: undefined,
      stepsPerSegment: 10,
      stepDelayMs: 50,
      holdKeys: [],
    });
  });

  it("scroll in the given direction", () => {
    expect(toScroll(scrollSchema.parse({ x: 1, y: 2, delta_y: -3 }))).toEqual({
      type: "scroll",
      at: [1, 2],
      notchesX: 0,
      notchesY: -3,
      holdKeys: [],
    });
    expect(toScroll(scrollSchema.parse({ x: 1, y: 2, delta_x: 4 }))).toMatchObject({
      notchesX: 4,
      notchesY: 0,
    });
  });

  it("type without a delay", () => {
    expect(toTypeText(typeTextSchema.parse({ text: "" }))).toEqual({
      type: "type_text",
      text: "",
      delayMs: 0,
    });
  });

  it("tap keys", () => {
    expect(toPressKey(pressKeySchema.parse({ keys: ["a"] }))).toEqual({
      type: "press_key",
      keys: ["a"],
      durationMs: 0,
      holdKeys: [],
    });
  });

  it("capture the whole screen", () => {
    expect(screenshotSchema.parse({})).toEqual({});
  });
});

describe("computer request bodies with all fields", () => {
  const hold_keys = ["Shift"];

  it("move the mouse", () => {
    const body = { x: 5, y: 6, smooth: true, duration_ms: 50, hold_keys };
    expect(toMoveMouse(moveMouseSchema.parse(body))).toEqual({
      type: "move_mouse",
      to: [5, 6],
      smooth: true,
      durationMs: 50,
      holdKeys: hold_keys,
    });
  });

  it.each(["left", "right", "middle", "back", "forward"])("click the %s button", (button) => {
    const body = { x: 5, y: 6, button, click_type: "down", num_clicks: 100, hold_keys };
    expect(toClickMouse(clickMouseSchema.parse(body))).toEqual({
      type: "click_mouse",
      at: [5, 6],
      button,
      clickType: "down",
      count: 100,
      holdKeys: hold_keys,
    });
  });

  it("drag the mouse", () => {
    const body = {
      path: [
        [0, 0],
        [1, 1],
        [2, 2],
      ],
      button: "middle",
      delay: 60_000,
      smooth: false,
      duration_ms: 10_000,
      steps_per_segment: 1000,
      step_delay_ms: 0,
      hold_keys,
    };
    expect(toDragMouse(dragMouseSchema.parse(body))).toEqual({
      type: "drag_mouse",
      path: body.path,
      button: "middle",
      delayMs: 60_000,
      smooth: false,
      durationMs: 10_000,
      stepsPerSegment: 1000,
      stepDelayMs: 0,
      holdKeys: hold_keys,
    });
  });

  it("press keys, type text and set the cursor", () => {
    expect(toPressKey(pressKeySchema.parse({ keys: ["a", "Ctrl+b"], duration: 9, hold_keys }))).toEqual({
      type: "press_key",
      keys: ["a", "Ctrl+b"],
      durationMs: 9,
      holdKeys: hold_keys,
    });
    expect(toTypeText(typeTextSchema.parse({ text: "é\n", delay: 3 }))).toEqual({
      type: "type_text",
      text: "é\n",
      delayMs: 3,
    });
    expect(toSetCursor(setCursorSchema.parse({ hidden: true }))).toEqual({
      type: "set_cursor",
      hidden: true,
    });
  });
});

describe("batchSchema", () => {
  it("reads actions in order", () => {
    const { actions } = batchSchema.parse({
      actions: [
        { type: "sleep", sleep: { duration_ms: 5 } },
        { type: "move_mouse", move_mouse: { x: 1, y: 2 } },
        { type: "click_mouse", click_mouse: { x: 1, y: 2, button: "right" } },
        {
          type: "drag_mouse",
          drag_mouse: {
            path: [
              [1, 2],
              [3, 4],
            ],
          },
        },
        { type: "scroll", scroll: { x: 1, y: 2, delta_x: 1 } },
        { type: "type_text", type_text: { text: "t" } },
        { type: "press_key", press_key: { keys: ["k"] } },
        { type: "set_cursor", set_cursor: { hidden: false } },
      ],
    });
    expect(actions).toMatchObject([
      { type: "sleep", durationMs: 5 },
      { type: "move_mouse", to: [1, 2] },
      { type: "click_mouse", at: [1, 2], button: "right", count: 1 },
      { type: "drag_mouse", smooth: true },
      { type: "scroll", notchesX: 1, notchesY: 0 },
      { type: "type_text", text: "t", delayMs: 0 },
      { type: "press_key", keys: ["k"], holdKeys: [] },
      { type: "set_cursor", hidden: false },
    ]);
  });

  it("ignores the fields of other action types", () => {
    const action = { type: "sleep", sleep: { duration_ms: 5 }, click_mouse: { x: "wrong" } };
    expect(batchSchema.parse({ actions: [action] }).actions).toEqual([{ type: "sleep", durationMs: 5 }]);
  });
});

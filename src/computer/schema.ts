import { z } from "@hono/zod-openapi";
import type { ComputerAction } from "./actions.ts";
import type { Point } from "./mouse-path.ts";

const LONGEST_DELAY_MS = 60_000;
const LONGEST_TEXT = 100_000;
const LONGEST_CLIPBOARD = 500_000;

const notNegative = "must not be negative";
const coordinate = z.int().min(0, notNegative);
const milliseconds = z.int().min(0, notNegative).max(LONGEST_DELAY_MS, `must be at most ${LONGEST_DELAY_MS}`);
const keyNames = z.array(z.string().min(1, "must not be empty").max(100, "must have at most 100 characters"));

const x = coordinate.openapi({ description: "Pixels of the viewport from its left edge.", example: 200 });
const y = coordinate.openapi({ description: "Pixels of the viewport from its top edge.", example: 120 });

const hold_keys = keyNames
  .max(10, "must have at most 10 items")
  .default([])
  .openapi({ description: "Modifier keys that are held meanwhile.", example: ["Shift"] });

const durationOf = (longest: number) =>
  z
    .int()
    .min(50)
    .max(longest, `must be at most ${longest}`)
    .optional()
    .openapi({ description: "Milliseconds of a smooth movement; by its length when absent." });

export const moveMouseSchema = z
  .object({
    x,
    y,
    smooth: z.boolean().default(false).openapi({ description: "Move along a curve, as a hand does." }),
    duration_ms: durationOf(5000),
    hold_keys,
  })
  .openapi("MoveMouse");

export const clickMouseSchema = z
  .object({
    x,
    y,
    button: z.enum(["left", "right", "middle", "back", "forward"]).default("left"),
    click_type: z
      .enum(["click", "down", "up"])
      .default("click")
      .openapi({ description: "`down` keeps the button down until `up`." }),
    num_clicks: z
      .int()
      .min(1)
      .max(100)
      .default(1)
      .openapi({ description: "2 is a double click. Only of `click`." }),
    hold_keys,
  })
  .openapi("ClickMouse");

const pointSchema = z
  .array(coordinate)
  .length(2, "must be [x, y]")
  .transform(([px = 0, py = 0]): Point => [px, py])
  .openapi({ example: [200, 120] });

export const dragMouseSchema = z
  .object({
    path: z
      .array(pointSchema)
      .min(2, "must have at least 2 points")
      .max(1000, "must have at most 1000 points")
      .openapi({
        example: [
          [200, 120],
          [400, 300],
        ],
      }),
    button: z.enum(["left", "middle", "right"]).default("left"),
    delay: milliseconds
      .default(0)
      .openapi({ description: "Milliseconds between the press and the first move." }),
    smooth: z.boolean().default(true).openapi({ description: "Move along curves, as a hand does." }),
    duration_ms: durationOf(10_000),
    steps_per_segment: z
      .int()
      .min(1)
      .max(1000)
      .default(10)
      .openapi({ description: "Only without `smooth`." }),
    step_delay_ms: milliseconds
      .default(50)
      .openapi({ description: "Milliseconds between steps. Only without `smooth`." }),
    hold_keys,
  })
  .openapi("DragMouse");

const notches = z.int().min(-1000).max(1000).default(0);

export const scrollSchema = z
  .object({
    x,
    y,
    delta_x: notches.openapi({ description: "Notches of the wheel to the right, 120 pixels each." }),
    delta_y: notches.openapi({ description: "Notches of the wheel down, 120 pixels each.", example: 3 }),
    hold_keys,
  })
  .refine(({ delta_x, delta_y }) => delta_x !== 0 || delta_y !== 0, {
    message: "at least one of delta_x and delta_y must not be 0",
    path: ["delta_y"],
  })
  .openapi("Scroll");

export const typeTextSchema = z
  .object({
    text: z
      .string({ error: "is required" })
      .max(LONGEST_TEXT, `must have at most ${LONGEST_TEXT} characters`)
      .openapi({ description: "Text of any script; a new line is Return.", example: "hello" }),
    delay: milliseconds.default(0).openapi({ description: "Milliseconds between characters." }),
  })
  .openapi("TypeText");

export const pressKeySchema = z
  .object({
    keys: keyNames
      .min(1, "must not be empty")
      .max(100, "must have at most 100 items")
      .openapi({
        description: "X11 keysym names as xdotool takes them, single characters, and combinations with +.",
        example: ["Ctrl+a"],
      }),
    duration: milliseconds
      .default(0)
      .openapi({ description: "Milliseconds to hold the keys together; 0 taps one after the other." }),
    hold_keys,
  })
  .openapi("PressKey");

export const setCursorSchema = z
  .object({ hidden: z.boolean().openapi({ description: "Whether live views leave the pointer out." }) })
  .openapi("SetCursor");

const sleepSchema = z.object({ duration_ms: milliseconds });

/** Each wire form of an action and what it means. The names are those of a batch's actions. */
export const toMoveMouse = (body: z.infer<typeof moveMouseSchema>): ComputerAction => ({
  type: "move_mouse",
  to: [body.x, body.y],
  smooth: body.smooth,
  durationMs: body.duration_ms,
  holdKeys: body.hold_keys,
});

export const toClickMouse = (body: z.infer<typeof clickMouseSchema>): ComputerAction => ({
  type: "click_mouse",
  at: [body.x, body.y],
  button: body.button,
  clickType: body.click_type,
  count: body.num_clicks,
  holdKeys: body.hold_keys,
});

export const toDragMouse = (body: z.infer<typeof dragMouseSchema>): ComputerAction => ({
  type: "drag_mouse",
  path: body.path,
  button: body.button,
  delayMs: body.delay,
  smooth: body.smooth,
  durationMs: body.duration_ms,
  stepsPerSegment: body.steps_per_segment,
  stepDelayMs: body.step_delay_ms,
  holdKeys: body.hold_keys,
});

export const toScroll = (body: z.infer<typeof scrollSchema>): ComputerAction => ({
  type: "scroll",
  at: [body.x, body.y],
  notchesX: body.delta_x,
  notchesY: body.delta_y,
  holdKeys: body.hold_keys,
});

export const toTypeText = (body: z.infer<typeof typeTextSchema>): ComputerAction => ({
  type: "type_text",
  text: body.text,
  delayMs: body.delay,
});

export const toPressKey = (body: z.infer<typeof pressKeySchema>): ComputerAction => ({
  type: "press_key",
  keys: body.keys,
  durationMs: body.duration,
  holdKeys: body.hold_keys,
});

export const toSetCursor = (body: z.infer<typeof setCursorSchema>): ComputerAction => ({
  type: "set_cursor",
  hidden: body.hidden,
});

const toSleep = (body: z.infer<typeof sleepSchema>): ComputerAction => ({
  type: "sleep",
  durationMs: body.duration_ms,
});

/** An action of a batch: its type, and a field of the type's name with what the action's own route takes. */
const batchActionSchema = z.discriminatedUnion("type", [
  z
    .object({ type: z.literal("move_mouse"), move_mouse: moveMouseSchema })
    .transform(({ move_mouse }) => toMoveMouse(move_mouse)),
  z
    .object({ type: z.literal("click_mouse"), click_mouse: clickMouseSchema })
    .transform(({ click_mouse }) => toClickMouse(click_mouse)),
  z
    .object({ type: z.literal("drag_mouse"), drag_mouse: dragMouseSchema })
    .transform(({ drag_mouse }) => toDragMouse(drag_mouse)),
  z.object({ type: z.literal("scroll"), scroll: scrollSchema }).transform(({ scroll }) => toScroll(scroll)),
  z
    .object({ type: z.literal("type_text"), type_text: typeTextSchema })
    .transform(({ type_text }) => toTypeText(type_text)),
  z
    .object({ type: z.literal("press_key"), press_key: pressKeySchema })
    .transform(({ press_key }) => toPressKey(press_key)),
  z
    .object({ type: z.literal("set_cursor"), set_cursor: setCursorSchema })
    .transform(({ set_cursor }) => toSetCursor(set_cursor)),
  z.object({ type: z.literal("sleep"), sleep: sleepSchema }).transform(({ sleep }) => toSleep(sleep)),
]);

export const batchSchema = z
  .object({
    actions: z
      .array(batchActionSchema)
      .min(1, "must have at least 1 item")
      .max(1000, "must have at most 1000 items")
      .openapi({ description: "Done in order; the first that fails is the last." }),
  })
  .openapi("ComputerBatch", {
    example: {
      actions: [
        { type: "click_mouse", click_mouse: { x: 200, y: 120 } },
        { type: "type_text", type_text: { text: "hello" } },
        { type: "sleep", sleep: { duration_ms: 100 } },
      ],
    },
  });

export const screenshotSchema = z
  .object({
    region: z
      .object({
        x,
        y,
        width: z.int().min(1).openapi({ example: 640 }),
        height: z.int().min(1).openapi({ example: 480 }),
      })
      .optional()
      .openapi({ description: "Part of the viewport; all of it when absent." }),
  })
  .openapi("Screenshot");

export const mousePositionSchema = z.object({ x: z.int(), y: z.int() }).openapi("MousePosition");

export const clipboardTextSchema = z.object({ text: z.string() }).openapi("ClipboardText");

export const writeClipboardSchema = z
  .object({
    text: z
      .string({ error: "is required" })
      .max(LONGEST_CLIPBOARD, `must have at most ${LONGEST_CLIPBOARD} characters`),
  })
  .openapi("WriteClipboard");

export const doneSchema = z.object({ ok: z.boolean() }).openapi("Done");

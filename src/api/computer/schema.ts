import { z } from "@hono/zod-openapi";
import type { ComputerAction, Point } from "../../features/computer/index.ts";
import { countOf, flagOf, textOf } from "../../lib/http/fields.ts";

const MAX_DELAY_MS = 60_000;
const MAX_TEXT_LENGTH = 100_000;
const MAX_CLIPBOARD_LENGTH = 500_000;

const notNegative = "must not be negative";
const coordinate = z.int().min(0, notNegative);
const milliseconds = z.int().min(0, notNegative).max(MAX_DELAY_MS, `must be at most ${MAX_DELAY_MS}`);
const keyNames = z.array(z.string().min(1, "must not be empty").max(100, "must have at most 100 characters"));

const x = coordinate.openapi({ description: "Pixels from the left edge of the viewport.", example: 200 });
const y = coordinate.openapi({ description: "Pixels from the top edge of the viewport.", example: 120 });

const hold_keys = keyNames
  .max(10, "must have at most 10 items")
  .default([])
  .describe("Modifier keys to hold during the action, such as Shift.");

const durationSchema = (maximum: number) =>
  countOf("Duration of a smooth movement in milliseconds. Default: depends on the length of the path.", 500)
    .min(50)
    .max(maximum, `must be at most ${maximum}`)
    .optional();

export const moveMouseSchema = z
  .object({
    x,
    y,
    smooth: flagOf("Move along a curve, like a hand.").default(false),
    duration_ms: durationSchema(5000),
    hold_keys,
  })
  .describe("A movement of the mouse.");

export const clickMouseSchema = z
  .object({
    x,
    y,
    button: z.enum(["left", "right", "middle", "back", "forward"]).default("left").describe("Mouse button."),
    click_type: z
      .enum(["click", "down", "up"])
      .default("click")
      .describe("`click` presses and releases. `down` keeps the button down until `up`."),
    num_clicks: countOf("Number of clicks; 2 is a double click. Used only by `click`.")
      .min(1)
      .max(100)
      .default(1),
    hold_keys,
  })
  .describe("A click, or a press or release of a button.");

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
        description: "Points of the path, each [x, y] in pixels of the viewport.",
        example: [
          [200, 120],
          [400, 300],
        ],
      }),
    button: z.enum(["left", "middle", "right"]).default("left").describe("Mouse button to hold."),
    delay: milliseconds.default(0).describe("Milliseconds between the press and the first move."),
    smooth: flagOf("Move along curves, like a hand.").default(true),
    duration_ms: durationSchema(10_000),
    steps_per_segment: countOf("Moves between two points of the path. Used only without `smooth`.")
      .min(1)
      .max(1000)
      .default(10),
    step_delay_ms: milliseconds
      .default(50)
      .describe("Milliseconds between moves. Used only without `smooth`."),
    hold_keys,
  })
  .describe("A movement of the mouse with a button held down.");

const notches = z.int().min(-1000).max(1000).default(0);

export const scrollSchema = z
  .object({
    x,
    y,
    delta_x: notches.describe("Notches of the wheel to the right, 120 pixels each. Negative: to the left."),
    delta_y: notches.openapi({
      description: "Notches of the wheel down, 120 pixels each. Negative: up.",
      example: 3,
    }),
    hold_keys,
  })
  .refine(({ delta_x, delta_y }) => delta_x !== 0 || delta_y !== 0, {
    message: "at least one of delta_x and delta_y must not be 0",
    path: ["delta_y"],
  })
  .describe("A turn of the mouse wheel.");

export const typeTextSchema = z
  .object({
    text: z
      .string()
      .max(MAX_TEXT_LENGTH, `must have at most ${MAX_TEXT_LENGTH} characters`)
      .openapi({ description: "Text in any script; a line break presses Return.", example: "hello" }),
    delay: milliseconds.default(0).describe("Milliseconds between characters."),
  })
  .describe("Text to type.");

export const pressKeySchema = z
  .object({
    keys: keyNames
      .min(1, "must not be empty")
      .max(100, "must have at most 100 items")
      .openapi({
        description: "X11 keysym names as in xdotool, single characters, and combinations with +.",
        example: ["Ctrl+a"],
      }),
    duration: milliseconds
      .default(0)
      .describe("Milliseconds to hold the keys together; 0 taps them one after another."),
    hold_keys,
  })
  .describe("Keys to press.");

export const setCursorSchema = z
  .object({
    hidden: flagOf("true hides the pointer, false shows it.", true),
  })
  .openapi("SetCursor", { description: "Whether the pointer is shown." });

const sleepSchema = z
  .object({
    duration_ms: milliseconds.openapi({ description: "Milliseconds to wait, up to 60000.", example: 100 }),
  })
  .describe("A pause before the next action.");

/** The bodies of a batch's actions, by type. */
export const computerActionSchemas = {
  move_mouse: moveMouseSchema,
  click_mouse: clickMouseSchema,
  drag_mouse: dragMouseSchema,
  scroll: scrollSchema,
  type_text: typeTextSchema,
  press_key: pressKeySchema,
  set_cursor: setCursorSchema,
  sleep: sleepSchema,
};

function actionType<T extends string>(type: T) {
  return z.literal(type).describe("Type of the action. The field of the same name holds its parameters.");
}

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

/** Each action has a type, and a field of that name with the body of the action's own route. */
const batchActionSchema = z.discriminatedUnion("type", [
  z
    .object({ type: actionType("move_mouse"), move_mouse: moveMouseSchema })
    .transform(({ move_mouse }) => toMoveMouse(move_mouse)),
  z
    .object({ type: actionType("click_mouse"), click_mouse: clickMouseSchema })
    .transform(({ click_mouse }) => toClickMouse(click_mouse)),
  z
    .object({ type: actionType("drag_mouse"), drag_mouse: dragMouseSchema })
    .transform(({ drag_mouse }) => toDragMouse(drag_mouse)),
  z.object({ type: actionType("scroll"), scroll: scrollSchema }).transform(({ scroll }) => toScroll(scroll)),
  z
    .object({ type: actionType("type_text"), type_text: typeTextSchema })
    .transform(({ type_text }) => toTypeText(type_text)),
  z
    .object({ type: actionType("press_key"), press_key: pressKeySchema })
    .transform(({ press_key }) => toPressKey(press_key)),
  z
    .object({ type: actionType("set_cursor"), set_cursor: setCursorSchema })
    .transform(({ set_cursor }) => toSetCursor(set_cursor)),
  z.object({ type: actionType("sleep"), sleep: sleepSchema }).transform(({ sleep }) => toSleep(sleep)),
]);

export const batchSchema = z
  .object({
    actions: z
      .array(batchActionSchema)
      .min(1, "must have at least 1 item")
      .max(1000, "must have at most 1000 items")
      .describe("1 to 1000 actions, in order. After a failure the rest is skipped."),
  })
  .openapi({
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
        width: countOf("Width in pixels.", 640).min(1),
        height: countOf("Height in pixels.", 480).min(1),
      })
      .optional()
      .describe("Part of the viewport; the whole viewport when absent."),
  })
  .openapi("Screenshot");

export const mousePositionSchema = z
  .object({
    x: countOf("Pixels from the left edge of the viewport.", 200),
    y: countOf("Pixels from the top edge of the viewport.", 120),
  })
  .openapi("MousePosition");

export const clipboardTextSchema = z
  .object({
    text: textOf("Text of the clipboard; empty if there is none.", "hello"),
  })
  .openapi("ClipboardText");

export const writeClipboardSchema = z
  .object({
    text: z
      .string()
      .max(MAX_CLIPBOARD_LENGTH, `must have at most ${MAX_CLIPBOARD_LENGTH} characters`)
      .openapi({ description: "Text to put on the clipboard.", example: "hello" }),
  })
  .openapi("WriteClipboard");

export const doneSchema = z.object({ ok: flagOf("Always true.", true) }).openapi("Done");

import { describe, expect, it } from "vitest";
import { type ViewerMessage, viewerMessageSchema } from "../../../src/features/live-view/protocol.ts";

const mouse = {
  type: "mouse",
  action: "down",
  x: 1.5,
  y: 2,
  button: "left",
  buttons: 1,
  clickCount: 1,
  modifiers: 0,
} as const;
const wheel = { type: "wheel", x: 1, y: 2, deltaX: -1.5, deltaY: 100, modifiers: 15 } as const;
const key = {
  type: "key",
  action: "down",
  key: "a",
  code: "KeyA",
  keyCode: 65,
  location: 0,
  repeat: false,
  modifiers: 0,
} as const;
const touch = { type: "touch", action: "start", points: [{ id: 0, x: 1, y: 2 }] } as const;

const validMessages: ViewerMessage[] = [
  { type: "frame-drawn", frame: 0 },
  { type: "frame-size", width: 1, height: 4000 },
  { type: "ping" },
  mouse,
  { ...mouse, action: "move", button: "none", buttons: 0, clickCount: 0 },
  { ...mouse, button: "forward", buttons: 31 },
  wheel,
  key,
  { ...key, code: "", keyCode: 0, repeat: true, action: "up" },
  { type: "text", text: "日本" },
  { type: "paste", text: "" },
  { type: "paste", text: "x".repeat(1_000_000) },
  { ...touch, points: [...touch.points] },
  { type: "touch", action: "end", points: [] },
  { type: "navigate", url: "example.com" },
  { type: "back" },
  { type: "forward" },
  { type: "reload" },
  { type: "stop" },
  { type: "open-tab" },
  { type: "close-tab", tab: "A" },
  { type: "activate-tab", tab: "A" },
  { type: "complete-handoff", handoff: "A", note: "" },
  { type: "complete-handoff", handoff: "A", note: "x".repeat(2000) },
  { type: "answer-dialog", dialog: 1, accept: true },
  { type: "answer-dialog", dialog: 2, accept: false, text: "x" },
];

const invalidMessages: [string, unknown][] = [
  ["a long note", { type: "complete-handoff", handoff: "A", note: "x".repeat(2001) }],
  ["null", null],
  ["a string", "ping"],
  ["a list", [{ type: "ping" }]],
  ["no type", {}],
  ["an unknown type", { type: "evaluate" }],
  ["a message of the service", { type: "pong" }],
  ["a frame that is not a number", { type: "frame-drawn", frame: "1" }],
  ["a negative frame", { type: "frame-drawn", frame: -1 }],
  ["a fractional frame", { type: "frame-drawn", frame: 1.5 }],
  ["a size of zero", { type: "frame-size", width: 0, height: 1 }],
  ["an infinite size", { type: "frame-size", width: Number.POSITIVE_INFINITY, height: 1 }],
  ["a mouse without coordinates", { ...mouse, x: undefined }],
  ["a mouse left of the page", { ...mouse, x: -1 }],
  ["a mouse far away", { ...mouse, y: 100_001 }],
  ["a mouse at NaN", { ...mouse, x: Number.NaN }],
  ["an unknown button", { ...mouse, button: "fourth" }],
  ["too many buttons", { ...mouse, buttons: 32 }],
  ["too many clicks", { ...mouse, clickCount: 101 }],
  ["unknown modifiers", { ...mouse, modifiers: 16 }],
  ["an unknown mouse action", { ...mouse, action: "click" }],
  ["a wheel out of range", { ...wheel, deltaY: 100_001 }],
  ["a key without a name", { ...key, key: "" }],
  ["a key with a long name", { ...key, key: "x".repeat(51) }],
  ["a key code out of range", { ...key, keyCode: 256 }],
  ["an unknown key location", { ...key, location: 4 }],
  ["an empty text", { type: "text", text: "" }],
  ["a very long text", { type: "text", text: "x".repeat(10_001) }],
  ["a very long paste", { type: "paste", text: "x".repeat(1_000_001) }],
  ["eleven touch points", { ...touch, points: Array.from({ length: 11 }, (_, id) => ({ id, x: 1, y: 1 })) }],
  ["a touch point without coordinates", { ...touch, points: [{ id: 0 }] }],
  ["a very long address", { type: "navigate", url: "x".repeat(10_001) }],
  ["a missing tab", { type: "close-tab" }],
  ["an empty tab", { type: "activate-tab", tab: "" }],
  ["a missing answer", { type: "answer-dialog", dialog: 1 }],
  ["an answer without a dialog", { type: "answer-dialog", accept: true }],
];

describe("viewerMessageSchema", () => {
  it.each(validMessages.map((message) => [message.type, message] as const))("accepts %s", (_, message) => {
    expect(viewerMessageSchema.parse(message)).toEqual(message);
  });

  it("strips unknown fields", () => {
    expect(viewerMessageSchema.parse({ type: "ping", sessionId: "x" })).toEqual({ type: "ping" });
  });

  it.each(invalidMessages)("rejects %s", (_, message) => {
    expect(viewerMessageSchema.safeParse(message).success).toBe(false);
  });
});

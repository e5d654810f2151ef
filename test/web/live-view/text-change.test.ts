import { describe, expect, it } from "vitest";
import { viewerMessageSchema } from "../../../src/features/live-view/protocol.ts";
import { messagesOfChange } from "../../../web/live-view/text-change.ts";

/** The typed text of the messages, with "⌫" for Backspace and "⏎" for Enter. */
function typed(before: string, after: string): string[] {
  return messagesOfChange(before, after).flatMap((message) => {
    viewerMessageSchema.parse(message);
    if (message.type === "text") return [message.text];
    if (message.type !== "key" || message.action !== "down") return [];
    return [message.key === "Enter" ? "⏎" : "⌫"];
  });
}

describe("messagesOfChange", () => {
  it.each([
    ["_", "_", []],
    ["_", "_a", ["a"]],
    ["_a", "_ab", ["b"]],
    ["_", "", ["⌫"]],
    ["_teh", "_the ", ["⌫", "⌫", "he "]],
    ["_a👍🏽", "_a", ["⌫"]],
    ["_👍", "_👍🏽", ["⌫", "👍🏽"]],
    ["_", "_a\nb\r\n", ["a", "⏎", "b", "⏎"]],
  ])("from %j to %j", (before, after, messages) => {
    expect(typed(before, after)).toEqual(messages);
  });

  it("releases each key that it presses", () => {
    const actions = messagesOfChange("_", "").map((message) => message.type === "key" && message.action);
    expect(actions).toEqual(["down", "up"]);
  });

  it("splits long text into messages that the service accepts", () => {
    const text = "👍".repeat(12_000);
    expect(typed("", text).join("")).toBe(text);
    expect(typed("", text)).toHaveLength(3);
  });
});

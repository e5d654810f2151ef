import { describe, expect, it } from "vitest";
import { findError, formatTime } from "../../../web/recording/items.ts";

describe("findError", () => {
  const error = (time: number) => ({ time, category: "x", kind: "x", text: "", url: "", isError: true });
  const items = [error(1), { ...error(2), isError: false }, error(3), error(5)];

  it.each([
    [0, 1, 1],
    [1, 1, 3],
    [3.2, 1, 5],
    [5, 1, undefined],
    [5, -1, 3],
    [3.2, -1, 1],
    [1, -1, undefined],
  ] as const)("finds from %d in direction %d the one at %s", (time, direction, found) => {
    expect(findError(items, time, direction)?.time).toBe(found);
  });
});

describe("formatTime", () => {
  it.each([
    [0, "0:00"],
    [59.9, "0:59"],
    [61, "1:01"],
    [3723.4, "1:02:03"],
  ])("writes %d as %s", (seconds, text) => {
    expect(formatTime(seconds)).toBe(text);
  });
});

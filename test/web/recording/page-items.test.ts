import { describe, expect, it } from "vitest";
import { findError, formatTime, readMoment, skipIdle } from "../../../web/recording/items.ts";

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

describe("skipIdle", () => {
  const items = [2, 3, 20, 22].map((time) => ({
    time,
    category: "x",
    kind: "x",
    text: "",
    url: "",
    isError: false,
  }));

  it.each([
    ["at the start", 0.5, undefined],
    ["between events that follow each other", 2.5, undefined],
    ["right after an event", 3.5, undefined],
    ["in a pause", 4.5, 19],
    ["shortly before an event", 19.2, undefined],
    ["after the last event", 23.5, 39],
    ["at the end", 39.5, undefined],
  ])("%s", (_, time, target) => {
    expect(skipIdle(items, time, 40)).toBe(target);
  });
});

describe("readMoment", () => {
  it.each([
    ["#t=62.5", 62.5],
    ["#t=0", 0],
    ["", undefined],
    ["#t=-1", undefined],
    ["#t=1e9", undefined],
    ["#t=99999999", undefined],
  ])("reads %s as %s", (hash, seconds) => {
    expect(readMoment(hash)).toBe(seconds);
  });
});

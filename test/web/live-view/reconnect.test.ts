import { describe, expect, it } from "vitest";
import { reconnectDelay } from "../../../web/live-view/reconnect.ts";

describe("reconnectDelay", () => {
  it.each([
    [0, 0, 500],
    [0, 1, 500],
    [1, 0, 500],
    [1, 1, 1000],
    [3, 0, 2000],
    [3, 1, 4000],
    [100, 0, 5000],
    [100, 1, 10_000],
  ])("after %i failures with the random number %d is %i ms", (failures, random, delay) => {
    expect(reconnectDelay(failures, random)).toBe(delay);
  });
});

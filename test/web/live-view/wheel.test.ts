import { describe, expect, it } from "vitest";
import { wheelPixels } from "../../../web/live-view/wheel.ts";

describe("wheelPixels", () => {
  it.each([
    ["pixels", 0, { deltaX: 3, deltaY: -120 }, { deltaX: 3, deltaY: -120 }],
    ["lines", 1, { deltaX: 0, deltaY: 3 }, { deltaX: 0, deltaY: 100 }],
    ["pages", 2, { deltaX: 0, deltaY: -1 }, { deltaX: 0, deltaY: -500 }],
    [
      "values beyond the service's limit",
      2,
      { deltaX: -999, deltaY: 999 },
      { deltaX: -100_000, deltaY: 100_000 },
    ],
  ])("converts %s", (_, deltaMode, delta, pixels) => {
    expect(wheelPixels({ ...delta, deltaMode }, 500)).toEqual(pixels);
  });
});

import { describe, expect, it } from "vitest";
import { toPagePoint } from "../../../web/live-view/coordinates.ts";

const PAGE = { width: 1000, height: 500 };

describe("toPagePoint", () => {
  const half = { left: 100, top: 50, width: 500, height: 250 };

  it.each([
    ["the corner", 100, 50, { x: 0, y: 0 }],
    ["the center", 350, 175, { x: 500, y: 250 }],
    ["a point between pixels", 100.27, 50, { x: 0.5, y: 0 }],
    ["the last pixel", 599.9, 299.9, { x: 999, y: 499 }],
    ["a point left of and above the picture", 0, -20, { x: 0, y: 0 }],
    ["a point right of and below the picture", 2000, 900, { x: 999, y: 499 }],
  ])("maps %s", (_, clientX, clientY, point) => {
    expect(toPagePoint(clientX, clientY, half, PAGE)).toEqual(point);
  });

  it("returns the origin before anything is drawn", () => {
    expect(toPagePoint(5, 5, { left: 0, top: 0, width: 0, height: 0 }, PAGE)).toEqual({ x: 0, y: 0 });
  });
});

import { describe, expect, it } from "vitest";
import { toPagePoint } from "../../src/live-view/page/coordinates.ts";

const PAGE = { width: 1000, height: 500 };

describe("toPagePoint", () => {
  const half = { left: 100, top: 50, width: 500, height: 250 };

  it.each([
    ["its corner", 100, 50, { x: 0, y: 0 }],
    ["its middle", 350, 175, { x: 500, y: 250 }],
    ["between pixels", 100.27, 50, { x: 0.5, y: 0 }],
    ["its last pixel", 599.9, 299.9, { x: 999, y: 499 }],
    ["left of and above it", 0, -20, { x: 0, y: 0 }],
    ["right of and below it", 2000, 900, { x: 999, y: 499 }],
  ])("maps %s", (_, clientX, clientY, point) => {
    expect(toPagePoint(clientX, clientY, half, PAGE)).toEqual(point);
  });

  it("has a point also where nothing is drawn", () => {
    expect(toPagePoint(5, 5, { left: 0, top: 0, width: 0, height: 0 }, PAGE)).toEqual({ x: 0, y: 0 });
  });
});

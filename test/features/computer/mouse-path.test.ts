import { describe, expect, it } from "vitest";
import {
  naturalDuration,
  type Point,
  smoothPath,
  smoothSteps,
  straightPath,
} from "../../../src/features/computer/mouse-path.ts";

const points = (...all: Point[]) => all;

describe("naturalDuration", () => {
  it.each<[string, Point[], number]>([
    ["no points", points(), 50],
    ["one point", points([5, 5]), 50],
    ["a distance of zero", points([5, 5], [5, 5]), 50],
    ["a short distance, the minimum", points([0, 0], [30, 40]), 50],
    ["a distance", points([0, 0], [300, 400]), 500 / 1.5],
    ["several segments", points([0, 0], [300, 400], [0, 0]), 1000 / 1.5],
    ["a long distance, the maximum", points([0, 0], [0, 9000]), 2000],
  ])("for %s", (_, path, milliseconds) => {
    expect(naturalDuration(path)).toBeCloseTo(milliseconds, 6);
  });
});

describe("smoothSteps", () => {
  it.each([
    [0, 2],
    [1, 2],
    [50, 3],
    [100, 6],
    [1000, 60],
    [10_000, 600],
  ])("for %i ms is %i", (milliseconds, steps) => {
    expect(smoothSteps(milliseconds)).toBe(steps);
  });
});

describe("smoothPath", () => {
  const lengthOf = (path: readonly Point[]) =>
    path.reduce((sum, [x, y], index) => {
      const [beforeX, beforeY] = path[index - 1] ?? [x, y];
      return sum + Math.hypot(x - beforeX, y - beforeY);
    }, 0);

  it.each<[Point, Point, number]>([
    [[0, 0], [400, 300], 60],
    [[400, 300], [0, 0], 60],
    [[10, 500], [1900, 500], 30],
    [[7, 7], [7, 800], 2],
    [[5, 5], [5, 5], 10],
  ])("goes from %j to %j in %i integer steps and ends at the target", (from, to, steps) => {
    for (const side of [1, -1] as const) {
      const path = smoothPath(from, to, steps, side);
      expect(path).toHaveLength(steps);
      expect(path.at(-1)).toEqual(to);
      for (const point of path.flat()) expect(Number.isInteger(point)).toBe(true);
    }
  });

  it("curves slightly to either side", () => {
    const sides = ([1, -1] as const).map((side) => smoothPath([0, 500], [1000, 500], 50, side));
    const [left, right] = sides.map((path) => path.map(([, y]) => y - 500));
    expect(Math.max(...(left ?? []))).toBeGreaterThan(20);
    expect(Math.min(...(right ?? []))).toBeLessThan(-20);
    for (const path of sides) expect(lengthOf([[0, 500], ...path])).toBeLessThan(1150);
  });

  it("starts and ends slowly", () => {
    const path: Point[] = [[0, 0], ...smoothPath([0, 0], [1000, 0], 60, 1)];
    const stepAt = (index: number) => lengthOf(path.slice(index, index + 2));
    expect(stepAt(0)).toBeLessThan(stepAt(30) / 3);
    expect(stepAt(59)).toBeLessThan(stepAt(30) / 3);
  });
});

describe("straightPath", () => {
  it.each<[Point, Point, number, Point[]]>([
    [[0, 0], [10, 20], 1, points([10, 20])],
    [[0, 0], [10, 20], 2, points([5, 10], [10, 20])],
    [[9, 9], [0, 6], 3, points([6, 8], [3, 7], [0, 6])],
    [[0, 0], [1, 1], 4, points([0, 0], [1, 1], [1, 1], [1, 1])],
    [[4, 4], [4, 4], 2, points([4, 4], [4, 4])],
  ])("goes from %j to %j in %i steps", (from, to, steps, path) => {
    expect(straightPath(from, to, steps)).toEqual(path);
  });
});

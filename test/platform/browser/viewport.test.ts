import { describe, expect, it } from "vitest";
import {
  DEFAULT_VIEWPORT,
  findViewport,
  VIEWPORT_LIST,
} from "../../../src/platform/browser/tabs/viewport.ts";

describe("findViewport", () => {
  it.each([
    [2560, 1440, 10],
    [1920, 1080, 25],
    [1920, 1200, 25],
    [1440, 900, 25],
    [1024, 768, 60],
    [1200, 800, 60],
  ])("finds %dx%d with its refresh rate %d", (width, height, refreshRate) => {
    expect(findViewport(width, height)).toEqual({ width, height, refreshRate });
    expect(findViewport(width, height, refreshRate)).toEqual({ width, height, refreshRate });
    expect(findViewport(width, height, refreshRate + 1)).toBeUndefined();
    expect(findViewport(height, width)).toBeUndefined();
    expect(VIEWPORT_LIST).toContain(`${width}x${height}@${refreshRate}`);
  });

  it.each([
    [1280, 720],
    [0, 0],
    [-1920, -1080],
    [1920, 1081],
  ])("does not find %dx%d", (width, height) => {
    expect(findViewport(width, height)).toBeUndefined();
  });

  it("has a default", () => {
    expect(DEFAULT_VIEWPORT).toEqual({ width: 1920, height: 1080, refreshRate: 25 });
  });
});

import { describe, expect, it } from "vitest";
import { wheelDeltas } from "../../../src/features/computer/mouse.ts";

describe("wheelDeltas", () => {
  it.each([
    [0, []],
    [1, [120]],
    [-1, [-120]],
    [3, [120, 120, 120]],
    [-2, [-120, -120]],
  ])("turns %i notches into %j", (notches, pixels) => {
    expect(wheelDeltas(notches)).toEqual(pixels);
  });

  it.each([25, 26, 100, 1000, -25, -26, -1000])(
    "limits %i notches to 25 events with the same sum",
    (notches) => {
      const turns = wheelDeltas(notches);
      expect(turns).toHaveLength(25);
      expect(turns.reduce((sum, pixels) => sum + pixels, 0)).toBeCloseTo(notches * 120, 6);
    },
  );
});

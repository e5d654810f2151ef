import { describe, expect, it } from "vitest";
import { wheelDeltas } from "../../src/computer/mouse.ts";

describe("wheelDeltas", () => {
  it.each([
    [0, []],
    [1, [120]],
    [-1, [-120]],
    [3, [120, 120, 120]],
    [-2, [-120, -120]],
  ])("sends of %i notches %j", (notches, pixels) => {
    expect(wheelDeltas(notches)).toEqual(pixels);
  });

  it.each([25, 26, 100, 1000, -25, -26, -1000])(
    "comes of %i notches as far as of each by itself, in few events",
    (notches) => {
      const turns = wheelDeltas(notches);
      expect(turns).toHaveLength(25);
      expect(turns.reduce((sum, pixels) => sum + pixels, 0)).toBeCloseTo(notches * 120, 6);
    },
  );
});

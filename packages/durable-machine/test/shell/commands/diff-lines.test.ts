import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compareLines } from "../../../src/shell/commands/diff-lines.ts";

/** Few different lines, so that there are many ways from one side to the other. */
const lines = fc.array(fc.nat({ max: 4 }), { maxLength: 30 });

/** The length of the longest common subsequence. */
function commonLength(left: readonly number[], right: readonly number[]): number {
  let row = new Array<number>(right.length + 1).fill(0);
  for (const line of left) {
    const next = [0];
    for (const [index, other] of right.entries()) {
      next.push(line === other ? (row[index] ?? 0) + 1 : Math.max(row[index + 1] ?? 0, next[index] ?? 0));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

function applied(left: readonly number[], right: readonly number[]) {
  const made: number[] = [];
  let place = 0;
  let edits = 0;
  for (const change of compareLines(left, right)) {
    made.push(...left.slice(place, change.leftStart), ...right.slice(change.rightStart, change.rightEnd));
    place = change.leftEnd;
    edits += change.leftEnd - change.leftStart + change.rightEnd - change.rightStart;
  }
  return { made: [...made, ...left.slice(place)], edits };
}

describe("changes between lines", () => {
  it("make the one side out of the other, and are as few as can be", () => {
    fc.assert(
      fc.property(lines, lines, (left, right) => {
        const { made, edits } = applied(left, right);
        expect(made).toEqual(right);
        expect(edits).toBe(left.length + right.length - 2 * commonLength(left, right));
      }),
      { numRuns: 500 },
    );
  });

  it("are right, though not the fewest, where there are very many", () => {
    const count = 6000;
    const left = Array.from({ length: count }, (_, index) => (index * 7919) % 997);
    const right = Array.from({ length: count }, (_, index) => (index * 104_729 + 5) % 997);
    expect(applied(left, right).made).toEqual(right);
  });
});

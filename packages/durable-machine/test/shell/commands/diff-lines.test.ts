import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compareLines } from "../../../src/shell/commands/diff-lines.ts";

/** Few distinct lines, so that many diffs are possible. */
const lines = fc.array(fc.nat({ max: 4 }), { maxLength: 30 });

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

function applyChanges(left: readonly number[], right: readonly number[]) {
  const result: number[] = [];
  let position = 0;
  let edits = 0;
  for (const change of compareLines(left, right)) {
    result.push(
      ...left.slice(position, change.leftStart),
      ...right.slice(change.rightStart, change.rightEnd),
    );
    position = change.leftEnd;
    edits += change.leftEnd - change.leftStart + change.rightEnd - change.rightStart;
  }
  return { result: [...result, ...left.slice(position)], edits };
}

describe("compareLines", () => {
  it("returns a shortest diff", () => {
    fc.assert(
      fc.property(lines, lines, (left, right) => {
        const { result, edits } = applyChanges(left, right);
        expect(result).toEqual(right);
        expect(edits).toBe(left.length + right.length - 2 * commonLength(left, right));
      }),
      { numRuns: 500 },
    );
  });

  it("returns a correct, longer diff for many changes", () => {
    const count = 6000;
    const left = Array.from({ length: count }, (_, index) => (index * 7919) % 997);
    const right = Array.from({ length: count }, (_, index) => (index * 104_729 + 5) % 997);
    expect(applyChanges(left, right).result).toEqual(right);
  });
});

import { expect, it } from "vitest";
import { Spacer } from "../../../src/lib/common/spacing.ts";

const each = (count: number, at: number) => Array.from({ length: count }, () => at);
const spaced = (count: number, from: number, step: number) =>
  each(count, from).map((at, index) => at + index * step);

it.each<[string, { addedAt: number[]; delays: number[] }]>([
  ["not for 21 at once", { addedAt: each(21, 0), delays: each(21, 0) }],
  ["longer for each of the next", { addedAt: each(24, 0), delays: [...each(21, 0), 50, 100, 150] }],
  [
    "for at most 5 seconds",
    { addedAt: each(300, 0), delays: [...each(21, 0), ...spaced(99, 50, 50), ...each(180, 5000)] },
  ],
  ["not for 20 a second", { addedAt: spaced(100, 0, 50), delays: each(100, 0) }],
  [
    "as long for each of a caller who repeats them at once",
    { addedAt: [...each(21, 0), ...spaced(10, 0, 50)], delays: [...each(21, 0), ...each(10, 50)] },
  ],
  [
    "not 6 seconds after any number of them",
    {
      addedAt: [...each(30, 0), ...each(21, 6000)],
      delays: [...each(21, 0), ...spaced(9, 50, 50), ...each(21, 0)],
    },
  ],
])("those of a key wait %s", (_, { addedAt, delays }) => {
  const spacer = new Spacer({ intervalMs: 50, freeMs: 1000, maxDelayMs: 5000 });
  expect(addedAt.map((at) => spacer.add("a", at))).toEqual(delays);
  expect(spacer.add("b", 0)).toBe(0);
});

it("forgets the key that came longest ago when it knows a thousand", () => {
  const spacer = new Spacer({ intervalMs: 50, freeMs: 1000, maxDelayMs: 5000 });
  for (const key of ["a", "b"]) for (const at of each(21, 0)) spacer.add(key, at);
  for (const other of spaced(999, 0, 1)) spacer.add(String(other), 0);
  expect(["b", "a"].map((key) => spacer.add(key, 0))).toEqual([50, 0]);
});

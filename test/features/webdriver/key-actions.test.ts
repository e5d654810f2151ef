import { expect, it } from "vitest";
import { toKeyActions } from "../../../src/features/webdriver/classic/key-actions.ts";

const SHIFT = "\uE008";
const CONTROL = "\uE009";

it.each<[string, string]>([
  ["ab", "+a -a +b -b"],
  ["👩‍👩‍👧é", "+👩‍👩‍👧 -👩‍👩‍👧 +é -é"],
  [`${SHIFT}a`, `+${SHIFT} +a -a -${SHIFT}`],
  [`${SHIFT}a${SHIFT}b`, `+${SHIFT} +a -a -${SHIFT} +b -b`],
  [`${CONTROL}${SHIFT}a\uE000b`, `+${CONTROL} +${SHIFT} +a -a -${CONTROL} -${SHIFT} +b -b`],
  ["", ""],
])("%j is typed as %s", (text, expected) => {
  const actions = toKeyActions(text).map(({ type, value }) => `${type === "keyDown" ? "+" : "-"}${value}`);
  expect(actions.join(" ")).toBe(expected);
});

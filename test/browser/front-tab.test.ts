import { describe, expect, it } from "vitest";
import { findFrontTab } from "../../src/browser/tabs/front-tab.ts";

interface Row {
  /** Tabs, the one opened or shown last first. */
  tabs: string[];
  lastKnown?: string;
  behind?: string[];
  /** Those whose page says that it is visible; all when absent. */
  visible?: string[];
}

const table: [string, Row, string | undefined][] = [
  ["none where there is none", { tabs: [] }, undefined],
  ["none where there is none, whatever was lastKnown", { tabs: [], lastKnown: "A" }, undefined],
  ["the only one", { tabs: ["A"] }, "A"],
  ["the one shown last", { tabs: ["B", "A"] }, "B"],
  ["the one shown last, which another was before", { tabs: ["B", "A"], lastKnown: "A" }, "B"],
  ["the same as before", { tabs: ["A", "B"], lastKnown: "A" }, "A"],
  ["the same as before, though its page says no", { tabs: ["A", "B"], lastKnown: "A", visible: ["B"] }, "A"],
  [
    "the one before, where the last was opened behind",
    { tabs: ["B", "A"], lastKnown: "A", behind: ["B"] },
    "A",
  ],
  [
    "the one before, where both say yes because a client emulates focus",
    { tabs: ["B", "A"], lastKnown: "A", behind: ["B"], visible: ["A", "B"] },
    "A",
  ],
  [
    "one opened behind that was shown since: the one before is hidden now",
    { tabs: ["B", "A"], lastKnown: "A", behind: ["B"], visible: ["B"] },
    "B",
  ],
  [
    "the one before, where no page says yes",
    { tabs: ["B", "A"], lastKnown: "A", behind: ["B"], visible: [] },
    "A",
  ],
  [
    "the one before, which says so, although another is listed before it",
    { tabs: ["C", "B", "A"], lastKnown: "A", behind: ["C"], visible: ["A"] },
    "A",
  ],
  [
    "not the one before, which says no, but the one that was shown since and opened another behind",
    { tabs: ["C", "B", "A"], lastKnown: "A", behind: ["C"], visible: ["B"] },
    "B",
  ],
  [
    "the last that was not opened behind, where the one before is gone",
    { tabs: ["C", "B", "A"], behind: ["C"] },
    "B",
  ],
  [
    "the visible one, where all were opened behind",
    { tabs: ["C", "B"], behind: ["B", "C"], visible: ["B"] },
    "B",
  ],
  [
    "the last, where all were opened behind and none says yes",
    { tabs: ["C", "B"], behind: ["B", "C"], visible: [] },
    "C",
  ],
];

describe("the tab that a person would see", () => {
  it.each(table)("is %s", (_, { tabs, lastKnown, behind = [], visible = tabs }, front) => {
    const order = { byRecency: tabs, lastKnown, behind: new Set(behind) };
    expect(findFrontTab({ ...order, reportsVisible: (id) => visible.includes(id) })).toBe(front);
  });
});

import { describe, expect, it } from "vitest";
import { findFrontTab } from "../../../src/platform/browser/tabs/front-tab.ts";

interface Row {
  /** The tab opened or shown last comes first. */
  tabs: string[];
  lastKnown?: string;
  behind?: string[];
  /** Tabs whose page reports that it is visible; all by default. */
  visible?: string[];
}

const cases: [string, Row, string | undefined][] = [
  ["none without tabs", { tabs: [] }, undefined],
  ["none without tabs, whatever was last known", { tabs: [], lastKnown: "A" }, undefined],
  ["the only tab", { tabs: ["A"] }, "A"],
  ["the latest tab", { tabs: ["B", "A"] }, "B"],
  ["the latest tab, not the last known one", { tabs: ["B", "A"], lastKnown: "A" }, "B"],
  ["the last known tab when it is the latest", { tabs: ["A", "B"], lastKnown: "A" }, "A"],
  [
    "the last known tab when it is the latest, though it reports hidden",
    { tabs: ["A", "B"], lastKnown: "A", visible: ["B"] },
    "A",
  ],
  [
    "the last known tab when the latest was opened behind",
    { tabs: ["B", "A"], lastKnown: "A", behind: ["B"] },
    "A",
  ],
  [
    "the last known tab when both report visible because a client emulates focus",
    { tabs: ["B", "A"], lastKnown: "A", behind: ["B"], visible: ["A", "B"] },
    "A",
  ],
  [
    "a tab opened behind and shown since, when the last known one is hidden",
    { tabs: ["B", "A"], lastKnown: "A", behind: ["B"], visible: ["B"] },
    "B",
  ],
  [
    "the last known tab when none reports visible",
    { tabs: ["B", "A"], lastKnown: "A", behind: ["B"], visible: [] },
    "A",
  ],
  [
    "the last known tab when it reports visible, although another is listed before it",
    { tabs: ["C", "B", "A"], lastKnown: "A", behind: ["C"], visible: ["A"] },
    "A",
  ],
  [
    "the tab shown since that opened another behind, when the last known one is hidden",
    { tabs: ["C", "B", "A"], lastKnown: "A", behind: ["C"], visible: ["B"] },
    "B",
  ],
  [
    "the latest tab not opened behind when none was last known",
    { tabs: ["C", "B", "A"], behind: ["C"] },
    "B",
  ],
  [
    "the visible tab when all were opened behind",
    { tabs: ["C", "B"], behind: ["B", "C"], visible: ["B"] },
    "B",
  ],
  [
    "the latest tab when all were opened behind and none reports visible",
    { tabs: ["C", "B"], behind: ["B", "C"], visible: [] },
    "C",
  ],
];

describe("findFrontTab", () => {
  it.each(cases)("returns %s", (_, { tabs, lastKnown, behind = [], visible = tabs }, front) => {
    const order = { byRecency: tabs, lastKnown, behind: new Set(behind) };
    expect(findFrontTab({ ...order, reportsVisible: (id) => visible.includes(id) })).toBe(front);
  });
});

import { describe, expect, it } from "vitest";
import { driverOf, timeLeft } from "../../../web/live-view/handoff-words.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

describe("timeLeft", () => {
  it.each([
    [-HOUR, "less than a minute left"],
    [0, "less than a minute left"],
    [MINUTE, "less than a minute left"],
    [MINUTE + SECOND, "2 min left"],
    [59 * MINUTE, "59 min left"],
    [60 * MINUTE, "1 h 0 min left"],
    [25 * HOUR + 90 * SECOND, "25 h 2 min left"],
  ])("describes %i ms as %j", (left, text) => {
    expect(timeLeft(1_000_000 + left, 1_000_000)).toBe(text);
  });
});

describe("driverOf", () => {
  it.each([
    [true, true, "You are driving. The agent is waiting."],
    [false, true, "You and the agent are driving."],
    [true, false, "A person is driving. The agent is waiting."],
    [false, false, "A person and the agent are driving."],
  ])("with a paused agent %j and control %j", (pausesAgent, canControl, text) => {
    expect(driverOf(pausesAgent, canControl)).toBe(text);
  });
});

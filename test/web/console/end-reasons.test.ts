import { describe, expect, it } from "vitest";
import { END_REASONS } from "../../../src/lib/database/schema/browser-sessions.ts";
import { explainEnd, summarizeEnd } from "../../../web/console/views/sessions/end-reasons.ts";

describe("summarizeEnd", () => {
  it("has a different word for every reason", () => {
    const words = END_REASONS.map((reason) => summarizeEnd(reason).word);
    expect(new Set(words).size).toBe(END_REASONS.length);
    for (const word of words) expect(word).toMatch(/^[A-Z][a-z ]+$/);
    expect(summarizeEnd(undefined)).toEqual({ word: "Ended", tone: "neutral" });
  });

  it.each([
    ["browser_lost", "bad"],
    ["organization_ended", "bad"],
    ["lifetime", "warn"],
    ["deleted", "neutral"],
    ["inactivity", "neutral"],
  ] as const)("gives %s the tone %s", (reason, tone) => {
    expect(summarizeEnd(reason).tone).toBe(tone);
  });
});

describe("explainEnd", () => {
  it.each([
    [
      { end_reason: "deleted", end_details: 'Deleted by API key "a. b".' },
      { text: 'Deleted by API key "a. b".', more: "" },
    ],
    [
      { end_reason: "inactivity", end_details: "Nobody used it for 60 seconds. The profile was not saved." },
      {
        text: "Nobody used the session for 60 seconds, its idle timeout.",
        more: "The profile was not saved.",
      },
    ],
    [
      { end_reason: "lifetime", end_details: "It reached its maximum lifetime." },
      { text: "The session reached its maximum lifetime.", more: "" },
    ],
    [{}, { text: "The session has ended.", more: "" }],
  ] as const)("explains %o", (session, expected) => {
    expect(explainEnd({ timeout_seconds: 60, ...session })).toEqual(expected);
  });

  it("keeps the platform's reason for a lost browser", () => {
    const end_details = "Its browser crashed. The platform gives the reason BrowserIdle. It did not answer.";
    const { more } = explainEnd({ timeout_seconds: 60, end_reason: "browser_lost", end_details });
    expect(more).toBe("The platform gives the reason BrowserIdle. It did not answer.");
  });
});

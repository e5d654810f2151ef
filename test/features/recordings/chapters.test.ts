import { describe, expect, it } from "vitest";
import { addChapter, publicURL, toWebVTT } from "../../../src/features/recordings/chapters.ts";
import type { Chapter } from "../../../src/lib/database/schema/replays.ts";

describe("publicURL", () => {
  it.each([
    ["https://example.com/a?page=2", "https://example.com/a?page=2"],
    ["https://user:password@example.com/", "https://example.com/"],
    ["https://example.com/#access_token=abc", "https://example.com/"],
    ["https://example.com/?api_key=k&q=chairs", "https://example.com/?api_key=hidden&q=chairs"],
    ["https://example.com/?code=1&STATE=2", "https://example.com/?code=hidden&STATE=hidden"],
    ["https://example.com/?x=eyJhbGciOiJIUzI1NiJ9abc", "https://example.com/?x=hidden"],
    ["https://example.com/?q=a+sentence+of+words", "https://example.com/?q=a+sentence+of+words"],
    ["data:text/html,secret", "data:…"],
    ["blob:https://example.com/1", "blob:…"],
    ["about:blank", "about:blank"],
    ["not an address", ""],
    [`https://example.com/${"a".repeat(1000)}`, `https://example.com/${"a".repeat(279)}…`],
  ])("shows %j as %j", (url, shown) => {
    expect(publicURL(url)).toBe(shown);
  });
});

describe("addChapter", () => {
  it("adds each page in front once, with its last title", () => {
    const chapters: Chapter[] = [];
    addChapter(chapters, { time: 0, url: "about:blank", title: "" });
    addChapter(chapters, { time: 10, url: "https://a.example/#1", title: "Loading" });
    addChapter(chapters, { time: 15, url: "", title: "Loading" });
    addChapter(chapters, { time: 20, url: "https://a.example/#2", title: " Shop\n--> now " });
    expect(chapters).toEqual([
      { time: 0, url: "about:blank", title: "" },
      { time: 10, url: "https://a.example/", title: "Shop --> now" },
    ]);
  });

  it("limits what a hostile page can add", () => {
    const chapters: Chapter[] = [];
    for (let time = 0; time < 5000; time += 1) {
      addChapter(chapters, { time, url: `https://a.example/${time}`, title: "x".repeat(100_000) });
    }
    expect(JSON.stringify(chapters).length).toBeLessThan(200_000);
  });
});

describe("toWebVTT", () => {
  it("writes one cue per chapter, as text", () => {
    const chapters = [
      { time: 0, url: "https://a.example/", title: "<b>A</b> & -->" },
      { time: 3_723_004, url: "about:blank", title: "" },
    ];
    expect(toWebVTT(chapters, 3_800_000)).toBe(
      "WEBVTT\n\n" +
        "00:00:00.000 --> 01:02:03.004\n&lt;b&gt;A&lt;/b&gt; &amp; --&gt; (https://a.example/)\n\n" +
        "01:02:03.004 --> 01:03:20.000\nabout:blank\n",
    );
  });
});

import { describe, expect, it } from "vitest";
import { findBrowsers, installedCandidates } from "../../scripts/local/browser-search.ts";

describe("findBrowsers", () => {
  const existing = new Set([
    "/cache/chrome",
    "/usr/bin/chromium",
    "/opt/google/chrome/chrome",
    "/mine/chrome",
  ]);
  const installed = installedCandidates("linux", "/usr/local/bin:/usr/bin", "/root");
  const search = { chromePath: undefined, downloaded: ["/cache/chrome"], installed };
  const isExecutable = (path: string) => existing.has(path);

  it.each([
    [
      "the download, then installed browsers",
      search,
      ["/cache/chrome", "/usr/bin/chromium", "/opt/google/chrome/chrome"],
    ],
    [
      "installed browsers without a download",
      { ...search, downloaded: [] },
      ["/usr/bin/chromium", "/opt/google/chrome/chrome"],
    ],
    ["only CHROME_PATH", { ...search, chromePath: "/mine/chrome" }, ["/mine/chrome"]],
    ["nothing for a CHROME_PATH that is not executable", { ...search, chromePath: "/missing" }, []],
    [
      "all others for an empty CHROME_PATH",
      { ...search, chromePath: "", downloaded: [], installed: ["/usr/bin/chromium"] },
      ["/usr/bin/chromium"],
    ],
  ])("returns %s", (_, options, expected) => {
    expect(findBrowsers({ ...options, isExecutable })).toEqual(expected);
  });

  it("searches the applications of a Mac", () => {
    const candidates = installedCandidates("darwin", "/opt/homebrew/bin", "/Users/me");
    expect(candidates[0]).toBe("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome");
    expect(candidates).toContain("/Users/me/Applications/Chromium.app/Contents/MacOS/Chromium");
    expect(candidates).toContain("/opt/homebrew/bin/chromium");
  });
});

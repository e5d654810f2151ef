import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { wrapperScript } from "../../scripts/local/browser.ts";
import { findBrowsers, installedCandidates } from "../../scripts/local/browser-search.ts";
import { expectedBrowser, expectedVersion } from "../../scripts/local/chrome-for-testing.ts";

describe("findBrowsers", () => {
  const existing = new Set([
    "/cache/chrome",
    "/usr/bin/chromium",
    "/opt/google/chrome/chrome",
    "/mine/chrome",
  ]);
  const installed = installedCandidates("linux", "/usr/local/bin:/usr/bin", "/root");
  const search = { chromePath: undefined, downloaded: "/cache/chrome", installed };
  const isExecutable = (path: string) => existing.has(path);

  it.each([
    [
      "the download, then installed browsers",
      search,
      ["/cache/chrome", "/usr/bin/chromium", "/opt/google/chrome/chrome"],
    ],
    [
      "installed browsers without a download",
      { ...search, downloaded: undefined },
      ["/usr/bin/chromium", "/opt/google/chrome/chrome"],
    ],
    ["only CHROME_PATH", { ...search, chromePath: "/mine/chrome" }, ["/mine/chrome"]],
    ["nothing for a CHROME_PATH that is not executable", { ...search, chromePath: "/missing" }, []],
    [
      "all others for an empty CHROME_PATH",
      { ...search, chromePath: "", downloaded: undefined, installed: ["/usr/bin/chromium"] },
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

describe("expectedBrowser", () => {
  it("reads the version from the installed wrangler", () => {
    expect(expectedVersion()).toMatch(/^\d+(\.\d+){3}$/);
  });

  it("throws when wrangler names no version", () => {
    expect(() => expectedVersion("nothing")).toThrow("was not found in");
  });

  it.each([
    ["linux-x64", ".wrangler/chrome/linux-1.2/chrome-linux64/chrome", true],
    ["linux-arm64", ".wrangler/chrome/linux_arm-1.2/chrome-linux64/chrome", false],
    [
      "darwin-arm64",
      ".wrangler/chrome/mac_arm-1.2/chrome-mac-arm64/Google Chrome for Testing.app/Contents/MacOS/Google Chrome for Testing",
      true,
    ],
  ])("on %s returns %s", (machine, executable, downloadable) => {
    const expected = expectedBrowser(machine, "1.2");
    expect(expected.executable).toBe(executable);
    expect(expected.downloadURL !== undefined).toBe(downloadable);
  });

  it("throws on other platforms", () => {
    expect(() => expectedBrowser("win32-x64", "1.2")).toThrow("Linux and macOS");
  });
});

describe("wrapperScript", () => {
  it("executes the browser and quotes its path", () => {
    const script = wrapperScript("/bin/echo", false).replace("/bin/echo", "/bin/../bin/echo");
    expect(execFileSync("/bin/sh", ["-c", script, "chrome", "--a b"], { encoding: "utf8" })).toMatch(
      / --a b\n$/,
    );
    expect(wrapperScript("/it's/chrome", false)).toContain("exec '/it'\\''s/chrome' ");
  });

  it.each([
    [true, true],
    [false, false],
  ])("disables the sandbox for root only: %s", (isRoot, expected) => {
    expect(wrapperScript("/chrome", isRoot).includes("--no-sandbox")).toBe(expected);
  });
});

import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { wrapperScript } from "../../scripts/local/browser.ts";
import { findBrowsers, installedCandidates } from "../../scripts/local/browser-search.ts";
import { expectedBrowser, expectedVersion } from "../../scripts/local/chrome-for-testing.ts";

describe("the browsers to try", () => {
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
      "the download, then the installed ones",
      search,
      ["/cache/chrome", "/usr/bin/chromium", "/opt/google/chrome/chrome"],
    ],
    [
      "the installed ones without a download",
      { ...search, downloaded: undefined },
      ["/usr/bin/chromium", "/opt/google/chrome/chrome"],
    ],
    ["CHROME_PATH alone", { ...search, chromePath: "/mine/chrome" }, ["/mine/chrome"]],
    ["none for a CHROME_PATH that is no executable", { ...search, chromePath: "/missing" }, []],
    [
      "the rest for an empty CHROME_PATH",
      { ...search, chromePath: "", downloaded: undefined, installed: ["/usr/bin/chromium"] },
      ["/usr/bin/chromium"],
    ],
  ])("are %s", (_, given, expected) => {
    expect(findBrowsers({ ...given, isExecutable })).toEqual(expected);
  });

  it("are looked for in the applications of a Mac", () => {
    const candidates = installedCandidates("darwin", "/opt/homebrew/bin", "/Users/me");
    expect(candidates[0]).toBe("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome");
    expect(candidates).toContain("/Users/me/Applications/Chromium.app/Contents/MacOS/Chromium");
    expect(candidates).toContain("/opt/homebrew/bin/chromium");
  });
});

describe("the browser that wrangler expects", () => {
  it("has its version in the installed wrangler", () => {
    expect(expectedVersion()).toMatch(/^\d+(\.\d+){3}$/);
  });

  it("is an error when wrangler no longer tells it", () => {
    expect(() => expectedVersion("nothing")).toThrow("browser version was not found");
  });

  it.each([
    ["linux-x64", ".wrangler/chrome/linux-1.2/chrome-linux64/chrome", true],
    ["linux-arm64", ".wrangler/chrome/linux_arm-1.2/chrome-linux64/chrome", false],
    [
      "darwin-arm64",
      ".wrangler/chrome/mac_arm-1.2/chrome-mac-arm64/Google Chrome for Testing.app/Contents/MacOS/Google Chrome for Testing",
      true,
    ],
  ])("on %s is %s", (machine, executable, downloadable) => {
    const expected = expectedBrowser(machine, "1.2");
    expect(expected.executable).toBe(executable);
    expect(expected.downloadURL !== undefined).toBe(downloadable);
  });

  it("does not exist on other platforms", () => {
    expect(() => expectedBrowser("win32-x64", "1.2")).toThrow("Linux and macOS");
  });
});

describe("the wrapper", () => {
  it("becomes the browser, whatever its path", () => {
    const script = wrapperScript("/bin/echo", false).replace("/bin/echo", "/bin/../bin/echo");
    expect(execFileSync("/bin/sh", ["-c", script, "chrome", "--a b"], { encoding: "utf8" })).toMatch(
      / --a b\n$/,
    );
    expect(wrapperScript("/it's/chrome", false)).toContain("exec '/it'\\''s/chrome' ");
  });

  it.each([
    [true, true],
    [false, false],
  ])("turns the sandbox off for root only: %s", (isRoot, expected) => {
    expect(wrapperScript("/chrome", isRoot).includes("--no-sandbox")).toBe(expected);
  });
});

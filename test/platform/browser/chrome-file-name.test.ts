import { describe, expect, it } from "vitest";
import { keepsFileName, toSavedName } from "../../../src/platform/browser/files/chrome-file-name.ts";

describe("keepsFileName", () => {
  it.each([
    "a",
    "x.pdf",
    "Makefile",
    "a b (1).tar.gz",
    "_x",
    "-dash",
    "a..b",
    "100%.txt",
    "a&b;c.txt",
    "x".repeat(200),
  ])("accepts %j, which Chrome does not change", (name) => {
    expect(keepsFileName(name)).toBe(true);
    expect(toSavedName(name)).toBe(name);
  });

  it.each([
    [".env", "file.env"],
    ["ünï.txt", "file.txt"],
    ["日本.PDF", "file.PDF"],
    ["a:b", "file"],
    ['a"b.tar.gz', "file.gz"],
    ["a\\b.c", "file.c"],
    ["trailing.", "file"],
    ["trailing ", "file"],
    ["~t.txt", "file.txt"],
    [" a", "file"],
    ["x".repeat(201), "file"],
    ["a\nb.txt", "file.txt"],
    ["", "file"],
    [`a.${"x".repeat(17)}é`, "file"],
  ])("rejects %j, which is saved as %j", (name, saved) => {
    expect(keepsFileName(name)).toBe(false);
    expect(toSavedName(name)).toBe(saved);
    expect(keepsFileName(saved)).toBe(true);
  });
});

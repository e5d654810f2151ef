import { describe, expect, it } from "vitest";
import { readTypedPaths } from "../../../src/platform/browser/files/typed-paths.ts";

describe("readTypedPaths", () => {
  it.each<[string, string[]]>([
    ["/home/kernel/x.pdf", ["/home/kernel/x.pdf"]],
    ["  /tmp/a b.txt ", ["/tmp/a b.txt"]],
    ["x.pdf", ["/home/kernel/x.pdf"]],
    ["Downloads/x.pdf", ["/home/kernel/Downloads/x.pdf"]],
    ["~/x.pdf", ["/home/kernel/x.pdf"]],
    ["~", ["/home/kernel"]],
    ['"/tmp/a" "b c"', ["/tmp/a", "/home/kernel/b c"]],
    ['"/tmp/a"', ["/tmp/a"]],
    ['"" "/tmp/a"', ["/tmp/a"]],
    ["", []],
    ["  ", []],
    ['""', []],
  ])("reads %j as %j", (typed, paths) => {
    expect(readTypedPaths(typed)).toEqual(paths);
  });
});

import { describe, expect, it } from "vitest";
import { parseOptions, UsageError } from "../../../src/shell/commands/options.ts";
import { quoteForShell, quoteName } from "../../../src/shell/commands/quoting.ts";
import { humanSize, parseSize } from "../../../src/shell/commands/sizes.ts";

const PATTERNS = ["a,all", "n,lines=", "c,color=?", ",long", "l,label="];

describe("parseOptions", () => {
  it.each([
    [["-a", "x"], [["a", undefined]], ["x"]],
    [["x", "-a"], [["a", undefined]], ["x"]],
    [
      ["-an5"],
      [
        ["a", undefined],
        ["n", "5"],
      ],
      [],
    ],
    [["-n", "5"], [["n", "5"]], []],
    [
      ["-n5", "-n", "-6"],
      [
        ["n", "5"],
        ["n", "-6"],
      ],
      [],
    ],
    [
      ["--lines=5", "--lines", "6"],
      [
        ["n", "5"],
        ["n", "6"],
      ],
      [],
    ],
    [["--lines="], [["n", ""]], []],
    [["--color", "red"], [["c", undefined]], ["red"]],
    [
      ["--color=red", "-cblue", "-c"],
      [
        ["c", "red"],
        ["c", "blue"],
        ["c", undefined],
      ],
      [],
    ],
    [["--al"], [["a", undefined]], []],
    [["--long"], [["long", undefined]], []],
    [["--", "-a"], [], ["-a"]],
    [["-", "-a"], [["a", undefined]], ["-"]],
  ] as const)("parses %j into %j and %j", (args, given, operands) => {
    const parsed = parseOptions(args, PATTERNS);
    expect(parsed.given.map(({ key, value }) => [key, value])).toEqual(given);
    expect(parsed.operands).toEqual(operands);
  });

  it.each([
    [["-z"], "invalid option -- 'z'"],
    [["-az"], "invalid option -- 'z'"],
    [["--zz"], "unrecognized option '--zz'"],
    [["--zz=1"], "unrecognized option '--zz'"],
    [["-n"], "option requires an argument -- 'n'"],
    [["--lines"], "option '--lines' requires an argument"],
    [["--all=1"], "option '--all' doesn't allow an argument"],
    [["--l"], "option '--l' is ambiguous"],
  ])("rejects %j: %s", (args, message) => {
    expect(() => parseOptions(args, PATTERNS)).toThrow(new UsageError(message));
  });

  it("accepts patterns in one string", () => {
    const parsed = parseOptions(["-a", "--lines=5", "x"], "a,all n,lines=\n  c,color=?");
    expect(parsed.given.map(({ key, value }) => [key, value])).toEqual([
      ["a", undefined],
      ["n", "5"],
    ]);
    expect(parsed.operands).toEqual(["x"]);
  });

  it("stops at the first operand with operandsEndOptions", () => {
    const parsed = parseOptions(["-a", "run", "-n", "--"], PATTERNS, { operandsEndOptions: true });
    expect(parsed.operands).toEqual(["run", "-n", "--"]);
  });

  it("keeps the order of options and operands with keepsOrder", () => {
    const { given } = parseOptions(["x", "-n1", "y", "--", "-z"], PATTERNS, { keepsOrder: true });
    expect(given.map(({ key, value }) => key + value)).toEqual(["x", "n1", "y", "-z"]);
  });

  it("returns the last of several options", () => {
    const parsed = parseOptions(["-a", "-n1", "--long", "-n2"], PATTERNS);
    expect(parsed.last("a", "long")).toBe("long");
    expect(parsed.value("n")).toBe("2");
    expect(parsed.values("n")).toEqual(["1", "2"]);
    expect(parsed.last("l")).toBeUndefined();
  });
});

describe("quoting", () => {
  it.each([
    ["a b", "'a b'"],
    ["", "''"],
    ["it's", '"it\'s"'],
    ["it's $x", "'it'\\''s $x'"],
    ["a\nb", "'a'$'\\n''b'"],
    ["\nb", "''$'\\n''b'"],
    ["a\x01\x7f", "'a'$'\\001\\177'"],
    ["ä\u{1f600}", "'ä\u{1f600}'"],
  ])("quoteName turns %j into %s", (name, quoted) => {
    expect(quoteName(name)).toBe(quoted);
  });

  it.each([
    ["plain-name_1.txt", "plain-name_1.txt"],
    ["a b", "'a b'"],
    ["$x", "'$x'"],
    ["", "''"],
  ])("quoteForShell turns %j into %s", (word, quoted) => {
    expect(quoteForShell(word)).toBe(quoted);
  });
});

describe("sizes", () => {
  it.each([
    ["0", 0],
    ["10", 10],
    ["1K", 1024],
    ["1k", 1024],
    ["1kB", 1000],
    ["1KiB", 1024],
    ["2M", 2 * 2 ** 20],
    ["1MB", 1_000_000],
    ["1G", 2 ** 30],
    ["3b", 1536],
    ["3c", 3],
    ["2w", 4],
    ["5B", 5],
    ["", undefined],
    ["x", undefined],
    ["1Q", undefined],
    ["-1", undefined],
    ["1.5K", undefined],
    ["9999999P", undefined],
  ])("parses %j as %s bytes", (text, bytes) => {
    expect(parseSize(text)).toBe(bytes);
  });

  it.each([
    [0, "0"],
    [1023, "1023"],
    [1024, "1.0K"],
    [1025, "1.1K"],
    [10_000, "9.8K"],
    [10_240, "10K"],
    [10_241, "11K"],
    [1_048_575, "1.0M"],
    [1_048_576, "1.0M"],
    [123_456_789, "118M"],
  ])("formats %d bytes as %s", (bytes, text) => {
    expect(humanSize(bytes)).toBe(text);
  });
});

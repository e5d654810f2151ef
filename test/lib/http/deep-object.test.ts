import { describe, expect, it } from "vitest";
import { readDeepObject } from "../../../src/lib/http/deep-object.ts";

describe("readDeepObject", () => {
  it.each([
    [{}, {}],
    [{ "tags[team]": ["a"] }, { team: "a" }],
    [
      { "tags[team]": ["a"], "tags[stage]": [""] },
      { team: "a", stage: "" },
    ],
    [{ "tags[a]b]": ["x"] }, { "a]b": "x" }],
    [{ limit: ["1"], tag: ["x"], "nottags[a]": ["y"] }, {}],
  ])("reads %j as %j", (query, map) => {
    expect({ ...readDeepObject(query, "tags") }).toEqual(map);
  });

  it("treats built-in property names as ordinary keys", () => {
    const map = readDeepObject({ "tags[__proto__]": ["x"], "tags[constructor]": ["y"] }, "tags");
    expect(Object.entries(map)).toEqual([
      ["__proto__", "x"],
      ["constructor", "y"],
    ]);
  });

  it.each([
    ["an empty key", { "tags[]": ["x"] }, "tags[]"],
    ["an unclosed key", { "tags[team": ["x"] }, "tags[team"],
    ["a key given twice", { "tags[team]": ["x", "y"] }, "tags[team]"],
  ])("rejects %s", (_, query, field) => {
    expect(() => readDeepObject(query, "tags")).toThrow(
      expect.objectContaining({ code: "bad_request", problems: [expect.objectContaining({ field })] }),
    );
  });
});

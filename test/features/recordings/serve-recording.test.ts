import { describe, expect, it } from "vitest";
import { parseRange, selectParts } from "../../../src/features/recordings/serve-recording.ts";

describe("parseRange", () => {
  it.each([
    [undefined, undefined],
    ["bytes=0-", { start: 0, end: 100 }],
    ["bytes=10-19", { start: 10, end: 20 }],
    ["bytes=90-1000", { start: 90, end: 100 }],
    ["bytes=-10", { start: 90, end: 100 }],
    ["bytes=-1000", { start: 0, end: 100 }],
    ["bytes=99-99", { start: 99, end: 100 }],
    ["bytes=100-", "unsatisfiable"],
    ["bytes=-0", "unsatisfiable"],
    ["bytes=20-10", undefined],
    ["bytes=0-1,5-6", undefined],
    ["bytes=-", undefined],
    ["lines=0-1", undefined],
  ])("reads %j of 100 bytes as %j", (header, range) => {
    expect(parseRange(header, 100)).toEqual(range);
  });
});

describe("selectParts", () => {
  const sizes = [10, 0, 20, 5];

  it.each([
    [0, 35, ["0:0+10", "2:0+20", "3:0+5"]],
    [0, 10, ["0:0+10"]],
    [9, 11, ["0:9+1", "2:0+1"]],
    [15, 20, ["2:5+5"]],
    [34, 35, ["3:4+1"]],
  ])("reads the bytes %d to %d", (start, end, parts) => {
    const selected = selectParts(sizes, { start, end });
    expect(selected.map(({ index, offset, length }) => `${index}:${offset}+${length}`)).toEqual(parts);
  });
});

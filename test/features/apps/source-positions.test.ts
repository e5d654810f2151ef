import { expect, it } from "vitest";
import { toSourcePositions } from "../../../src/features/apps/source-positions.ts";

/** Maps line 2 of the bundle, from column 5 on, to line 10, column 3 of lib/a.ts. */
const SOURCE_MAP = JSON.stringify({
  version: 3,
  sources: ["lib/a.ts"],
  names: [],
  mappings: ";IASE",
});

it.each([
  ["a position", "at app.js:2:5", "at lib/a.ts:10:3"],
  ["a later column of instrumented code", "at app.js:2:50", "at lib/a.ts:10:3"],
  ["a position in brackets", "    at run (app.js:2:7)", "    at run (lib/a.ts:10:3)"],
  ["several positions", "app.js:2:5 app.js:2:5", "lib/a.ts:10:3 lib/a.ts:10:3"],
  ["an unmapped position", "at app.js:1:1", "at app.js:1:1"],
  ["a file of a similar name", "at my-app.js.txt:2:5", "at my-app.js.txt:2:5"],
  ["an error message", "Error: boom\n    at app.js:2:5", "Error: boom\n    at lib/a.ts:10:3"],
  [
    "frames of the runner and the describer",
    "Error: boom\n    at app.js:2:5\n    at async run (app-runner.js:1:300)\n    at app-describer.js:1:300",
    "Error: boom\n    at lib/a.ts:10:3",
  ],
  ["a frame of a file named like the runner", "    at berth-mine:1:2", "    at berth-mine:1:2"],
  [
    "frames of the loop guard",
    "    at berth-loop-guard:1:2\n  at berth-loop-guard:1:2 in look\nrest",
    "rest",
  ],
])("translates a text with %s", (_, text, expected) => {
  expect(toSourcePositions(text, SOURCE_MAP, (_, column) => column)).toBe(expected);
});

it("maps instrumented columns back to the bundle first", () => {
  const sourceMap = JSON.stringify({ version: 3, sources: ["a.ts"], names: [], mappings: "AAAA,IACA" });
  const toBundleColumn = (line: number, column: number) => column - 100 * line;
  expect(toSourcePositions("app.js:1:104 app.js:1:105", sourceMap, toBundleColumn)).toBe("a.ts:1:1 a.ts:2:1");
});

it("skips lines too long for a stack frame", () => {
  const text = `    at ${"berth-".repeat(500_000)} (app.js:2:5)\n`;
  expect(toSourcePositions(text, SOURCE_MAP, (_, column) => column)).toBe(text);
});

it("maps only the first hundred positions", () => {
  let lookups = 0;
  const frames = toSourcePositions("app.js:2:5\n".repeat(1000), SOURCE_MAP, (_, column) => {
    lookups += 1;
    return column;
  }).split("\n");
  expect(lookups).toBe(100);
  expect([frames[99], frames[100]]).toEqual(["lib/a.ts:10:3", "app.js:2:5"]);
});

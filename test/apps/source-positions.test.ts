import { expect, it } from "vitest";
import { toSourcePositions } from "../../src/apps/source-positions.ts";

/** Line 2 of the bundle is line 10 of lib/a.ts: its column 5 is column 3 there, and so is what follows. */
const SOURCE_MAP = JSON.stringify({
  version: 3,
  sources: ["lib/a.ts"],
  names: [],
  mappings: ";IASE",
});

it.each([
  ["a position", "at app.js:2:5", "at lib/a.ts:10:3"],
  ["one later in its line, as instrumented code has it", "at app.js:2:50", "at lib/a.ts:10:3"],
  ["one in brackets", "    at run (app.js:2:7)", "    at run (lib/a.ts:10:3)"],
  ["several", "app.js:2:5 app.js:2:5", "lib/a.ts:10:3 lib/a.ts:10:3"],
  ["one that is not in the map", "at app.js:1:1", "at app.js:1:1"],
  ["another file of the like name", "at my-app.js.txt:2:5", "at my-app.js.txt:2:5"],
  ["a message", "Error: boom\n    at app.js:2:5", "Error: boom\n    at lib/a.ts:10:3"],
  [
    "frames of what runs or describes it",
    "Error: boom\n    at app.js:2:5\n    at async run (app-runner.js:1:300)\n    at app-describer.js:1:300",
    "Error: boom\n    at lib/a.ts:10:3",
  ],
  ["a frame of a file that is named like the runner's", "    at berth-mine:1:2", "    at berth-mine:1:2"],
  [
    "frames of what it is instrumented with",
    "    at berth-loop-guard:1:2\n  at berth-loop-guard:1:2 in look\nrest",
    "rest",
  ],
])("tells %s in terms of the app's files", (_, text, expected) => {
  expect(toSourcePositions(text, SOURCE_MAP, (_, column) => column)).toBe(expected);
});

it("looks up columns of the bundle, not of what was made of it", () => {
  const sourceMap = JSON.stringify({ version: 3, sources: ["a.ts"], names: [], mappings: "AAAA,IACA" });
  const toBundleColumn = (line: number, column: number) => column - 100 * line;
  expect(toSourcePositions("app.js:1:104 app.js:1:105", sourceMap, toBundleColumn)).toBe("a.ts:1:1 a.ts:2:1");
});

it("leaves lines alone that are longer than any frame", () => {
  const text = `    at ${"berth-".repeat(500_000)} (app.js:2:5)\n`;
  expect(toSourcePositions(text, SOURCE_MAP, (_, column) => column)).toBe(text);
});

it("looks up the first hundred positions", () => {
  let lookups = 0;
  const frames = toSourcePositions("app.js:2:5\n".repeat(1000), SOURCE_MAP, (_, column) => {
    lookups += 1;
    return column;
  }).split("\n");
  expect(lookups).toBe(100);
  expect([frames[99], frames[100]]).toEqual(["lib/a.ts:10:3", "app.js:2:5"]);
});

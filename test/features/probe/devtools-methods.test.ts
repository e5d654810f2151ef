import { expect, it } from "vitest";
import { BROWSER_METHODS, PAGE_METHODS } from "../../../src/features/probe/checks/devtools.ts";

const sources = import.meta.glob<string>("../../../src/**/*.ts", {
  query: "?raw",
  import: "default",
  eager: true,
});

/** The functions that send commands, and their first argument. */
const SENT = /\b(?:send|ask|cdp|sendCommand|call)\(\s*(?:[a-z]\w*,\s*)?"([A-Z]\w+\.[a-z]\w+)"/g;

const probed = `${BROWSER_METHODS} ${PAGE_METHODS}`.split(/\s+/);

it("the probe tries every DevTools method that the source sends", () => {
  const sent = Object.entries(sources)
    .filter(([file]) => !file.includes("/src/features/probe/"))
    .flatMap(([, text]) => [...text.matchAll(SENT)].map(([, method = ""]) => method));
  expect(new Set(sent).size).toBeGreaterThan(70);
  const untried = [...new Set(sent)].filter((method) => !probed.includes(method));
  expect(untried).toEqual([]);
  expect(probed.filter((method) => !sent.includes(method))).toEqual([]);
  expect(new Set(probed).size).toBe(probed.length);
});

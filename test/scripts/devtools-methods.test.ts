import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ROOT } from "../../scripts/local/paths.ts";

const sources = globSync("src/**/*.ts", { cwd: ROOT })
  .filter((path) => !path.startsWith("src/features/probe/"))
  .map((path) => readFileSync(join(ROOT, path), "utf8"));

/** The functions that send commands, and their first argument. */
const SENT = /\b(?:send|ask|cdp|sendCommand|call)\(\s*(?:[a-z]\w*,\s*)?"([A-Z]\w+\.[a-z]\w+)"/g;

const probe = readFileSync(join(ROOT, "src/features/probe/checks/devtools.ts"), "utf8");
const probed = [...probe.matchAll(/^const (?:BROWSER|PAGE)_METHODS = `([^`]+)`/gm)].flatMap(
  ([, methods = ""]) => methods.split(/\s+/),
);

it("the probe tries every DevTools method that the source sends", () => {
  const sent = sources.flatMap((text) => [...text.matchAll(SENT)].map(([, method = ""]) => method));
  expect(new Set(sent).size).toBeGreaterThan(70);
  const untried = [...new Set(sent)].filter((method) => !probed.includes(method));
  expect(untried).toEqual([]);
  expect(probed.filter((method) => !sent.includes(method))).toEqual([]);
  expect(new Set(probed).size).toBe(probed.length);
});

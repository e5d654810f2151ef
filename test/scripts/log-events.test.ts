import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ROOT } from "../../scripts/local/paths.ts";

const sources = globSync("{src,packages/*/src}/**/*.ts", { cwd: ROOT }).map((path) =>
  readFileSync(join(ROOT, path), "utf8"),
);
const page = readFileSync(join(ROOT, "docs/log-events.md"), "utf8");

/** Calls that name a log event, including those in the packages. */
const CALL =
  /(?:\b(?:logEvent|logError|inBackground|onError|onEvent|forEachLogged)|(?<!\.)\blog)\(\s*"([a-z_]+)"/g;

/** First cells of the tables of events. */
const ROW = /^\| (`[a-z_]+`(?:, `[a-z_]+`)*) \|/gm;

const explained = [...page.matchAll(ROW)].flatMap(([, cell = ""]) => cell.replaceAll("`", "").split(", "));
const logged = new Set(
  sources.flatMap((source) => [...source.matchAll(CALL)].map(([, event = ""]) => event)),
);

it("docs/log-events.md explains each log event", () => {
  expect(logged.size).toBeGreaterThan(100);
  expect([...logged].filter((event) => !explained.includes(event))).toEqual([]);
});

it("docs/log-events.md explains only events that exist, each once", () => {
  expect(explained.filter((event) => !logged.has(event))).toEqual([]);
  expect(explained).toEqual([...new Set(explained)]);
});

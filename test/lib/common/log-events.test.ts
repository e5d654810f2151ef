import { expect, it } from "vitest";

const sources = import.meta.glob<string>("../../../{src,packages/*/src}/**/*.ts", {
  query: "?raw",
  import: "default",
  eager: true,
});
const pages = import.meta.glob<string>("../../../docs/log-events.md", {
  query: "?raw",
  import: "default",
  eager: true,
});

/** Calls that name a log event, including those in durable-machine. */
const CALL = /\b(?:logEvent|logError|inBackground|onError)\(\s*"([a-z_]+)"/g;

/** First cells of the tables of events. */
const ROW = /^\| (`[a-z_]+`(?:, `[a-z_]+`)*) \|/gm;

const page = pages["../../../docs/log-events.md"] ?? "";
const explained = [...page.matchAll(ROW)].flatMap(([, cell = ""]) => cell.replaceAll("`", "").split(", "));
const logged = new Set(
  Object.values(sources).flatMap((source) => [...source.matchAll(CALL)].map(([, event = ""]) => event)),
);

it("docs/log-events.md explains each log event", () => {
  expect(logged.size).toBeGreaterThan(100);
  expect([...logged].filter((event) => !explained.includes(event))).toEqual([]);
});

it("docs/log-events.md explains only events that exist, each once", () => {
  expect(explained.filter((event) => !logged.has(event))).toEqual([]);
  expect(explained).toEqual([...new Set(explained)]);
});

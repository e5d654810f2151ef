import { expect, it } from "vitest";

const sources = import.meta.glob<string>("../../{src,packages/*/src}/**/*.ts", {
  query: "?raw",
  import: "default",
  eager: true,
});
const pages = import.meta.glob<string>("../../docs/operate.md", {
  query: "?raw",
  import: "default",
  eager: true,
});

/** Calls that name a log event, also those of durable-machine. */
const CALL = /\b(?:logEvent|logError|inBackground|onError)\(\s*"([a-z_]+)"/g;

it("docs/operate.md explains each log event", () => {
  const page = pages["../../docs/operate.md"] ?? "";
  const events = new Set(
    Object.values(sources).flatMap((source) => [...source.matchAll(CALL)].map(([, event]) => event)),
  );
  expect(events.size).toBeGreaterThan(100);
  expect([...events].filter((event) => !page.includes(`\`${event}\``))).toEqual([]);
});

import { describe, expect, it } from "vitest";
import { app } from "../src/app.ts";
import { NOT_IMPLEMENTED_ROUTES } from "../src/not-implemented-routes.ts";

const sources = import.meta.glob<string>("../node_modules/@onkernel/sdk/resources/**/*.mjs", {
  query: "?raw",
  import: "default",
  eager: true,
});

/** Matches `this._client.post(path`/browsers/${id}/curl`, …)`; the path may be a plain string. */
const CALL = /_client\.(getAPIList|get|post|put|patch|delete)\(\s*(?:path\s*)?[`'"]([^`'"]+)[`'"]/g;

/** "METHOD /path" with every parameter as `{}`. */
function normalize(method: string, path: string): string {
  const verb = method === "getAPIList" ? "GET" : method.toUpperCase();
  return `${verb} ${path.replaceAll(/\$\{[^}]+\}|:[A-Za-z_]+|\{[^}]+\}/g, "{}")}`;
}

const operations = new Set(
  Object.values(sources).flatMap((source) =>
    [...source.matchAll(CALL)].map(([, method = "", path = ""]) => normalize(method, path)),
  ),
);
const calls = Object.values(sources).flatMap((source) => [
  ...source.matchAll(/_client\.(getAPIList|get|post|put|patch|delete)\(/g),
]).length;
const notImplemented = NOT_IMPLEMENTED_ROUTES.map((route) => {
  const [method = "", path = ""] = route.split(" ");
  return normalize(method, path);
});
const implemented = new Set(
  app.routes
    .map(({ method, path }) => normalize(method, path))
    .filter((route) => !notImplemented.includes(route)),
);

describe("operations of the Kernel SDK", () => {
  it("are all found in its sources", () => {
    const matched = Object.values(sources).flatMap((source) => [...source.matchAll(CALL)]).length;
    expect(matched).toBeGreaterThan(100);
    expect(matched).toBe(calls);
    expect(operations).toContain("POST /browsers");
    expect(operations).toContain("GET /browsers/{}");
  });

  it("are all routes of the service or listed as not implemented", () => {
    const unknown = [...operations].filter(
      (operation) => !implemented.has(operation) && !notImplemented.includes(operation),
    );
    expect(unknown).toEqual([]);
  });

  it("are not both", () => {
    const routes = app.routes
      .filter(({ method }) => method !== "ALL")
      .map(({ method, path }) => normalize(method, path));
    const both = notImplemented.filter((route) => routes.filter((other) => other === route).length > 1);
    expect(both).toEqual([]);
  });

  it("contain every route listed as not implemented, each once", () => {
    expect(notImplemented.filter((route) => !operations.has(route))).toEqual([]);
    expect(new Set(notImplemented).size).toBe(notImplemented.length);
  });
});

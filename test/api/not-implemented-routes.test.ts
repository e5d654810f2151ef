import { describe, expect, it } from "vitest";
import { NOT_IMPLEMENTED_ROUTES } from "../../src/api/not-implemented-routes.ts";
import { app } from "../../src/app.ts";
import { calledRoutes, countCalls, normalizeRoute, sdkSources } from "../sdk-routes.ts";

const sources = Object.values(sdkSources);
const operations = new Set(sources.flatMap(calledRoutes));
const notImplemented = NOT_IMPLEMENTED_ROUTES.map((route) => {
  const [method = "", path = ""] = route.split(" ");
  return normalizeRoute(method, path);
});
const implemented = new Set(
  app.routes
    .map(({ method, path }) => normalizeRoute(method, path))
    .filter((route) => !notImplemented.includes(route)),
);

describe("operations of the Kernel SDK", () => {
  it("are all found in its sources", () => {
    const matched = sources.flatMap(calledRoutes).length;
    expect(matched).toBeGreaterThan(100);
    expect(matched).toBe(sources.reduce((sum, source) => sum + countCalls(source), 0));
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
      .map(({ method, path }) => normalizeRoute(method, path));
    const both = notImplemented.filter((route) => routes.filter((other) => other === route).length > 1);
    expect(both).toEqual([]);
  });

  it("contain every route listed as not implemented, each once", () => {
    expect(notImplemented.filter((route) => !operations.has(route))).toEqual([]);
    expect(new Set(notImplemented).size).toBe(notImplemented.length);
  });
});

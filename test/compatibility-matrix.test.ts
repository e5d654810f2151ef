import { describe, expect, it } from "vitest";
import { NOT_IMPLEMENTED_ROUTES } from "../src/api/not-implemented-routes.ts";
import { calledRoutes, countCalls, normalizeRoute, sdkSources } from "./sdk-routes.ts";

const pages = import.meta.glob<string>("../docs/compatibility.md", {
  query: "?raw",
  import: "default",
  eager: true,
});
/** Matches a method of a class with its body. */
const METHOD = /^ {4}(?:async )?(\w+)\([^\n]*\) \{$(.*?)^ {4}\}$/gms;
const ROW = /^\| `([\w.]+)` \| `([A-Z]+ \/[^`]*)` \| (works|differs|501) \|(?: (.+))? \|$/;

function normalize(route: string): string {
  const [method = "", path = ""] = route.split(" ");
  return normalizeRoute(method, path);
}

/** The name by which a client has the resource of a source file, such as `browsers.fs.watch`. */
function resourceName(file: string): string {
  const [, path = ""] = file.split("/resources/");
  const names = path
    .replace(/\.mjs$/, "")
    .split("/")
    .map((name) => name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase()));
  return names.filter((name, index) => name !== names[index - 1]).join(".");
}

/** The routes of the SDK's methods by name; helpers have none. */
const routes = new Map<string, string | undefined>(
  Object.entries(sdkSources).flatMap(([file, source]) =>
    [...source.matchAll(METHOD)]
      .filter(([, name]) => name !== "constructor")
      .map(([, name = "", body = ""]): [string, string | undefined] => [
        `${resourceName(file)}.${name}`,
        calledRoutes(body)[0],
      ]),
  ),
);
const operations = [...routes.keys()].filter((name) => routes.get(name) !== undefined);
const helpers = [...routes.keys()].filter((name) => routes.get(name) === undefined);

const page = pages["../docs/compatibility.md"] ?? "";
const matrix = /^## Support matrix$(.*?)^## /ms.exec(page)?.[1] ?? "";
const lines = matrix
  .split("\n")
  .filter((line) => line.startsWith("|") && !line.startsWith("|-") && !line.startsWith("| SDK operation |"));
const rows = lines.flatMap((line) => {
  const [match, name = "", route = "", support = "", remark = ""] = ROW.exec(line) ?? [];
  return match === undefined ? [] : [{ name, route, support, remark }];
});

const notImplemented = new Set(NOT_IMPLEMENTED_ROUTES.map(normalize));

describe("operations of the Kernel SDK", () => {
  it("are all found in its sources", () => {
    const calls = Object.values(sdkSources).reduce((sum, source) => sum + countCalls(source), 0);
    expect(operations.length).toBeGreaterThan(100);
    expect(operations.length).toBe(calls);
    expect(routes.get("browsers.fs.watch.start")).toBe("POST /browsers/{}/fs/watch");
    expect(routes.get("organization.limits.retrieve")).toBe("GET /org/limits");
  });
});

describe("the support matrix", () => {
  it("has only rows of its form, and says what differs", () => {
    expect(lines.filter((line) => !ROW.test(line))).toEqual([]);
    expect(rows.filter(({ support, remark }) => support === "differs" && remark === "")).toEqual([]);
  });

  it("has every operation once, and no others", () => {
    expect(rows.map(({ name }) => name).toSorted()).toEqual(operations.toSorted());
  });

  it("has the route of every operation", () => {
    const wrong = rows
      .filter(({ name, route }) => operations.includes(name) && normalize(route) !== routes.get(name))
      .map(({ name, route }) => ({ name, route, actual: routes.get(name) }));
    expect(wrong).toEqual([]);
  });

  it("says 501 for exactly the routes that are not implemented", () => {
    const wrong = rows
      .filter(({ route, support }) => (support === "501") !== notImplemented.has(normalize(route)))
      .map(({ name, support }) => ({ name, support }));
    expect(wrong).toEqual([]);
  });

  it("is followed by the helpers of the SDK, which have no route", () => {
    expect(helpers.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  });
});

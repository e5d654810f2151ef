import { describe, expect, it } from "vitest";
import { MAX_ORIGINS, VisitedOrigins } from "../../../src/platform/browser/state/visited-origins.ts";

function newVisited(initial: string[] = []) {
  const reported: string[] = [];
  return { visited: new VisitedOrigins(initial, (origin) => reported.push(origin)), reported };
}

describe("VisitedOrigins", () => {
  it.each<[string, string[]]>([
    ["https://example.com/path?query#hash", ["https://example.com"]],
    ["https://EXAMPLE.com:443/", ["https://example.com"]],
    ["http://localhost:8080/", ["http://localhost:8080"]],
    ["http://[::1]:3000/", ["http://[::1]:3000"]],
    ["https://user:secret@example.com/", ["https://example.com"]],
    ["blob:https://example.com/5ab1", ["https://example.com"]],
    ["about:blank", []],
    ["about:srcdoc", []],
    ["data:text/html,hi", []],
    ["chrome-extension://abcdefgh/page.html", []],
    ["chrome://version/", []],
    ["file:///etc/hosts", []],
    ["", []],
    ["no address", []],
  ])("adds %s as %j", (url, origins) => {
    const { visited, reported } = newVisited();
    visited.add(url);
    expect(visited.all()).toEqual(origins);
    expect(reported).toEqual(origins);
  });

  it("reports each origin once, except the initial ones", () => {
    const { visited, reported } = newVisited(["https://a.test"]);
    for (const url of ["https://a.test/1", "https://b.test/", "https://b.test/2"]) visited.add(url);
    expect(reported).toEqual(["https://b.test"]);
    expect(visited.all()).toEqual(["https://a.test", "https://b.test"]);
  });

  it("limits the number of origins", () => {
    const { visited, reported } = newVisited();
    for (let index = 0; index < MAX_ORIGINS + 5; index += 1) visited.add(`https://site-${index}.test/`);
    expect(visited.all()).toHaveLength(MAX_ORIGINS);
    expect(reported).toHaveLength(MAX_ORIGINS);
  });
});

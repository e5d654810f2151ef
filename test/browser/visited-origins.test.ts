import { describe, expect, it } from "vitest";
import { MAX_ORIGINS, VisitedOrigins } from "../../src/browser/state/visited-origins.ts";

function newVisited(initial: string[] = []) {
  const told: string[] = [];
  return { visited: new VisitedOrigins(initial, (origin) => told.push(origin)), told };
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
  ])("learns of %s: %j", (url, origins) => {
    const { visited, told } = newVisited();
    visited.add(url);
    expect(visited.all()).toEqual(origins);
    expect(told).toEqual(origins);
  });

  it("tells each once, and none that it was given", () => {
    const { visited, told } = newVisited(["https://a.test"]);
    for (const url of ["https://a.test/1", "https://b.test/", "https://b.test/2"]) visited.add(url);
    expect(told).toEqual(["https://b.test"]);
    expect(visited.all()).toEqual(["https://a.test", "https://b.test"]);
  });

  it("takes no more than there may be", () => {
    const { visited, told } = newVisited();
    for (let index = 0; index < MAX_ORIGINS + 5; index += 1) visited.add(`https://site-${index}.test/`);
    expect(visited.all()).toHaveLength(MAX_ORIGINS);
    expect(told).toHaveLength(MAX_ORIGINS);
  });
});

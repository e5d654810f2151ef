import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT } from "../../scripts/local/paths.ts";

const MAX_LINES = 120;

const DESIGN = readdirSync(join(ROOT, "design")).map((name) => `design/${name}`);

/** Diagrams and examples contain no links. */
const FENCE = /^```[\s\S]*?^```$/gm;

/** The text may be broken into lines. */
const LINK = /\[([^[\]]*)\]\(([^()\s]+)\)/g;

const read = (page: string) => readFileSync(join(ROOT, page), "utf8");

/** The relative links of a page, with their targets' paths. */
function linksOf(page: string): { text: string; path: string }[] {
  return [...read(page).replace(FENCE, "").matchAll(LINK)]
    .map(([, text = "", target = ""]) => ({
      text: text.replace(/\s+/g, " "),
      target: target.split("#", 1)[0] ?? "",
    }))
    .filter(({ target }) => target !== "" && !/^[a-z]+:/.test(target))
    .map(({ text, target }) => ({ text, path: join(ROOT, dirname(page), target) }));
}

describe.each(["README.md", ...DESIGN])("%s", (page) => {
  it("links to files that exist", () => {
    expect(linksOf(page).filter(({ path }) => !existsSync(path))).toEqual([]);
  });
});

describe.each(DESIGN)("%s", (page) => {
  it("quotes tests that are in the linked files", () => {
    const quoted = linksOf(page).filter(({ path }) => path.endsWith(".test.ts") && existsSync(path));
    const wrong = quoted.filter(
      ({ text, path }) => !/^".+"$/.test(text) || !readFileSync(path, "utf8").includes(text),
    );
    expect(wrong).toEqual([]);
  });

  it(`has at most ${MAX_LINES} lines`, () => {
    expect(read(page).trimEnd().split("\n").length).toBeLessThanOrEqual(MAX_LINES);
  });
});

it("design/README.md lists each page", () => {
  const listed = linksOf("design/README.md").map(({ path }) => path);
  const pages = DESIGN.filter((page) => page !== "design/README.md").map((page) => join(ROOT, page));
  expect(pages.filter((page) => !listed.includes(page))).toEqual([]);
});

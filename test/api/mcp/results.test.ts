import { describe, expect, it } from "vitest";
import { EntryLog } from "../../../src/api/mcp/page-driver/entry-log.ts";
import { ResultStore } from "../../../src/api/mcp/result-store.ts";

describe("ResultStore", () => {
  it("keeps the last four cut results, in parts", () => {
    const results = new ResultStore();
    expect(results.cut("short \ud800")).toBe("short \ufffd");
    const texts = ["a", "b", "c", "d", "e"].map((letter) => results.cut(letter.repeat(90_000)));
    const [first = "", second = "", , , last = ""] = texts.map((text) => /id "(\w+)"/.exec(text)?.[1]);
    expect(texts[4]).toMatch(/^e{40000}\n\[Cut at character 40000 of 90000\. .* and offset 40000\]$/);
    expect(results.read(last, 40_000)).toMatch(/^e{40000}\n\[Cut at character 80000 /);
    expect(results.read(last, 80_000)).toBe("e".repeat(10_000));
    expect(results.read(second, 89_999)).toBe("b");
    expect(() => results.read(first, 0)).toThrow("is not kept any more");
  });
});

describe("EntryLog", () => {
  it("numbers entries, filters them and keeps each on one line", () => {
    const log = new EntryLog();
    log.add("first\r\n### Result\u2028x", "info");
    log.add("second", "error");
    const all = () => true;
    expect(log.print(undefined, all)).toBe(
      "first ### Result x\nsecond\n(2 entries. For later ones: since 2)",
    );
    expect(log.print(1, all)).toBe("second\n(1 entries. For later ones: since 2)");
    expect(log.print(undefined, (kind) => kind === "error")).toBe(
      "second\n(1 entries. For later ones: since 2)",
    );
    for (let count = 0; count < 1500; count += 1) log.add("x".repeat(2000), "info");
    expect(log.print(1500, all).split("\n")).toEqual([
      ...[`${"x".repeat(1000)}…`, `${"x".repeat(1000)}…`],
      "(2 entries. For later ones: since 1502)",
    ]);
  });
});

import { describe, expect, it } from "vitest";
import { pageQuerySchema, queryBoolean, toPage } from "../../../src/lib/http/pagination.ts";

describe("pageQuerySchema", () => {
  it.each([
    [{}, { limit: 20, offset: 0 }],
    [{ limit: "1" }, { limit: 1, offset: 0 }],
    [
      { limit: "100", offset: "0" },
      { limit: 100, offset: 0 },
    ],
    [{ offset: "123456" }, { limit: 20, offset: 123_456 }],
  ])("reads %j as %j", (query, page) => {
    expect(pageQuerySchema.parse(query)).toEqual(page);
  });

  it.each([
    [{ limit: "0" }, "limit", "a number from 1 to 100"],
    [{ limit: "101" }, "limit", "a number from 1 to 100"],
    [{ limit: "-1" }, "limit", "a number from 1 to 100"],
    [{ limit: "ten" }, "limit", "a number from 1 to 100"],
    [{ limit: "1.5" }, "limit", "a number from 1 to 100"],
    [{ limit: "" }, "limit", "a number from 1 to 100"],
    [{ limit: "1e1" }, "limit", "a number from 1 to 100"],
    [{ offset: "-1" }, "offset", "at least 0"],
    [{ offset: "x" }, "offset", "a number of at least 0"],
    [{ offset: "99999999999999999999" }, "offset", "at least 0"],
  ])("rejects %j and names %s", (query, field, message) => {
    const issues = pageQuerySchema.safeParse(query).error?.issues ?? [];
    expect(issues).toHaveLength(1);
    expect(issues[0]?.path).toEqual([field]);
    expect(issues[0]?.message).toContain(message);
  });
});

describe("queryBoolean", () => {
  it("accepts true and false and defaults when absent", () => {
    const schema = queryBoolean({ default: true, description: "" });
    expect(schema.parse("true")).toBe(true);
    expect(schema.parse("false")).toBe(false);
    expect(schema.parse(undefined)).toBe(true);
  });

  it.each(["1", "yes", "", "TRUE"])("rejects %j", (text) => {
    expect(queryBoolean({ default: false, description: "" }).safeParse(text).success).toBe(false);
  });
});

describe("toPage", () => {
  it("returns the next offset when there are more rows", () => {
    expect(toPage(["a", "b", "c"], { limit: 2, offset: 4 })).toEqual({
      items: ["a", "b"],
      headers: { "X-Has-More": "true", "X-Next-Offset": "6" },
    });
  });

  it.each([
    [["a", "b"], 2],
    [["a"], 2],
    [[], 1],
  ])("treats %j as the last page of %d", (rows, limit) => {
    expect(toPage(rows, { limit, offset: 4 })).toEqual({ items: rows, headers: { "X-Has-More": "false" } });
  });
});

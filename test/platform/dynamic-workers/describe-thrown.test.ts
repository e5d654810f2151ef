import { describe, expect, it } from "vitest";
import { describeThrown } from "../../../src/platform/dynamic-workers/runtime/describe-thrown.ts";

const hostile = new Proxy(
  {},
  {
    get: () => {
      throw new Error("looked at");
    },
    has: () => {
      throw new Error("looked at");
    },
    getPrototypeOf: () => {
      throw new Error("looked at");
    },
  },
);

class OwnError extends Error {
  override readonly name = "OwnError";
}

const INDESCRIBABLE = "Something was thrown that cannot be described";

describe("describeThrown", () => {
  it("returns the name, message and stack of an error", () => {
    const error = new OwnError("reason");
    expect(describeThrown(error)).toEqual({ name: "OwnError", message: "reason", stack: error.stack });
  });

  it.each<[string, unknown, string]>([
    ["null", null, "null"],
    ["undefined", undefined, "undefined"],
    ["a string", "text", "text"],
    ["an empty string", "", ""],
    ["a number", 0, "0"],
    ["a large integer", 1n, "1n"],
    ["a symbol", Symbol("s"), "Symbol(s)"],
    ["an object", { a: 1 }, "{ a: 1 }"],
    ["an object with a message", { message: "reason" }, "reason"],
    ["an object whose message is not a string", { message: 1 }, "{ message: 1 }"],
    [
      "an object without a prototype",
      Object.assign(Object.create(null), { a: 1 }),
      "[Object: null prototype] { a: 1 }",
    ],
    ["a function", () => 1, "[Function (anonymous)]"],
    ["a proxy that throws", hostile, INDESCRIBABLE],
  ])("describes %s", (_, thrown, message) => {
    expect(describeThrown(thrown)).toEqual({ name: "Error", message });
  });

  it.each(["name", "message", "stack"])("describes an error whose %s throws", (property) => {
    const error = new Error("reason");
    Object.defineProperty(error, property, {
      get: () => {
        throw null;
      },
    });
    expect(describeThrown(error)).toEqual({ name: "Error", message: INDESCRIBABLE });
  });

  it("describes an error without string properties", () => {
    const error = Object.assign(new Error("reason"), { name: 1, message: { a: 1 }, stack: null });
    expect(describeThrown(error)).toEqual({ name: "1", message: "[object Object]", stack: "null" });
  });

  it("truncates long texts", () => {
    const { message, stack } = describeThrown(new Error("x".repeat(1_000_000)));
    expect(message).toHaveLength(10_001);
    expect(stack?.length).toBeLessThan(60_000);
    expect(describeThrown("y".repeat(1_000_000)).message).toHaveLength(10_001);
  });
});

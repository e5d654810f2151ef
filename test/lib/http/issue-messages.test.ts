import { z } from "@hono/zod-openapi";
import { expect, it } from "vitest";
import { toProblem } from "../../../src/lib/http/issue-messages.ts";

const schema = z.object({
  size: z.int().min(1).max(100).optional(),
  name: z.string().max(3),
  tags: z.array(z.string()).max(1).optional(),
  kind: z.enum(["a", "b"]).optional(),
  on: z.boolean().optional(),
  env: z.record(z.string(), z.string()).optional(),
  own: z.string().regex(/x/, "must hold an x").optional(),
  either: z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]).optional(),
  label: z.union([z.literal(""), z.string().max(3)]).optional(),
  level: z.union([z.literal("low"), z.int()]).optional(),
  action: z
    .discriminatedUnion("type", [z.object({ type: z.literal("a") }), z.object({ type: z.literal("b") })])
    .optional(),
});

it.each([
  [{}, "name", "is required"],
  [{ name: null }, "name", "must be a string"],
  [{ name: "long" }, "name", "must have at most 3 characters"],
  [{ name: "n", size: 0 }, "size", "must be at least 1"],
  [{ name: "n", size: 101 }, "size", "must be at most 100"],
  [{ name: "n", size: 1.5 }, "size", "must be a whole number"],
  [{ name: "n", size: "1" }, "size", "must be a number"],
  [{ name: "n", tags: ["a", "b"] }, "tags", "must have at most 1 entries"],
  [{ name: "n", tags: [1] }, "tags.0", "must be a string"],
  [{ name: "n", kind: "c" }, "kind", 'must be one of "a", "b"'],
  [{ name: "n", on: 1 }, "on", "must be true or false"],
  [{ name: "n", env: [] }, "env", "must be an object"],
  [{ name: "n", own: "y" }, "own", "must hold an x"],
  [{ name: "n", either: 1 }, "either", "must be an object"],
  [{ name: "n", either: {} }, "either", "is not valid"],
  [{ name: "n", label: null }, "label", "must be a string"],
  [{ name: "n", label: "long" }, "label", "must have at most 3 characters"],
  [{ name: "n", level: "high" }, "level", 'must be "low" or a number'],
  [{ name: "n", action: {} }, "action.type", "is required"],
  [{ name: "n", action: { type: "c" } }, "action.type", 'must be one of "a", "b"'],
  [{ name: "n", action: 1 }, "action", "must be an object"],
  [[], "", "the body must be a JSON object"],
  [null, "", "the body must be a JSON object"],
])("%j: %s %s", (input, field, message) => {
  const issues = schema.safeParse(input).error?.issues ?? [];
  expect(issues.map(toProblem)).toEqual([{ field, message }]);
});

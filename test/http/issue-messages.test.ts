import { z } from "@hono/zod-openapi";
import { expect, it } from "vitest";
import { toProblem } from "../../src/http/issue-messages.ts";

const schema = z.object({
  size: z.int().min(1).max(100).optional(),
  name: z.string().max(3),
  tags: z.array(z.string()).max(1).optional(),
  kind: z.enum(["a", "b"]).optional(),
  on: z.boolean().optional(),
  env: z.record(z.string(), z.string()).optional(),
  own: z.string().regex(/x/, "must hold an x").optional(),
  either: z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]).optional(),
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
  [[], "", "the body must be a JSON object"],
  [null, "", "the body must be a JSON object"],
])("%j: %s %s", (input, field, message) => {
  const issues = schema.safeParse(input).error?.issues ?? [];
  expect(issues.map(toProblem)).toEqual([{ field, message }]);
});

import { z } from "@hono/zod-openapi";
import type { Problem } from "../common/errors.ts";

const TYPES: Record<string, string> = {
  array: "a list",
  boolean: "true or false",
  int: "a whole number",
  number: "a number",
  object: "an object",
  record: "an object",
  string: "a string",
};

const UNITS: Record<string, string> = { string: "characters", array: "entries" };

/** The message follows the field's name: "is required", "must be at least 1". */
function messageOf(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case "invalid_type":
      if (issue.input === undefined) return "is required";
      return `must be ${TYPES[issue.expected] ?? issue.expected}`;
    case "invalid_value": {
      if (issue.input === undefined) return "is required";
      const values = issue.values.map((value) => JSON.stringify(value));
      return values.length === 1 ? `must be ${values[0]}` : `must be one of ${values.join(", ")}`;
    }
    case "too_small":
      return sizeMessage(issue.origin, "at least", issue.minimum);
    case "too_big":
      return sizeMessage(issue.origin, "at most", issue.maximum);
    case "unrecognized_keys":
      return `must not have ${issue.keys.join(", ")}`;
    case "invalid_union":
      return issue.input === undefined ? "is required" : "is not valid";
    case "invalid_key":
      return `has a key that ${issue.issues[0]?.message ?? "is not valid"}`;
    default:
      return undefined;
  }
}

function sizeMessage(origin: string, bound: "at least" | "at most", size: number | bigint): string {
  const unit = UNITS[origin];
  return unit === undefined ? `must be ${bound} ${size}` : `must have ${bound} ${size} ${unit}`;
}

z.config({ customError: messageOf });

export function toProblem(issue: z.core.$ZodIssue): Problem {
  if (issue.path.length === 0 && issue.code === "invalid_type" && issue.expected === "object") {
    return { field: "", message: "the body must be a JSON object" };
  }
  return { field: issue.path.map(String).join("."), message: issue.message };
}

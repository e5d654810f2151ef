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
      return valueMessage(issue.values);
    }
    case "too_small":
      return sizeMessage(issue.origin, "at least", issue.minimum);
    case "too_big":
      return sizeMessage(issue.origin, "at most", issue.maximum);
    case "unrecognized_keys":
      return `must not have ${issue.keys.join(", ")}`;
    case "invalid_union":
      return issue.input === undefined ? "is required" : unionMessage(issue);
    case "invalid_key":
      return `has a key that ${issue.issues[0]?.message ?? "is not valid"}`;
    default:
      return undefined;
  }
}

function valueMessage(values: readonly unknown[]): string {
  const texts = values.map((value) => JSON.stringify(value));
  return texts.length === 1 ? `must be ${texts[0]}` : `must be one of ${texts.join(", ")}`;
}

/** @param issue of a union whose options differ in the value of one field, or of any other. */
function unionMessage(issue: z.core.$ZodRawIssue<z.core.$ZodIssueInvalidUnion>): string {
  if (issue.discriminator !== undefined && Array.isArray(issue.options)) {
    const isMissing = Object(issue.input)[issue.discriminator] === undefined;
    return isMissing ? "is required" : valueMessage(issue.options);
  }
  const wanted = new Set(issue.errors.map(wantedBy));
  if (wanted.has(undefined) || wanted.size === 0) return "is not valid";
  const isText = wanted.has(TYPES.string);
  return `must be ${[...wanted].filter((each) => !isText || !each?.startsWith('"')).join(" or ")}`;
}

/** What an option of a union expects, such as "a string"; undefined if that takes more words. */
function wantedBy([problem, ...others]: readonly z.core.$ZodIssue[]): string | undefined {
  if (problem === undefined || problem.path.length > 0 || others.length > 0) return undefined;
  return /^must be (?!one of )(.+)$/s.exec(problem.message)?.[1];
}

function sizeMessage(origin: string, bound: "at least" | "at most", size: number | bigint): string {
  const unit = UNITS[origin];
  return unit === undefined ? `must be ${bound} ${size}` : `must have ${bound} ${size} ${unit}`;
}

z.config({ customError: messageOf });

/** @param queries the values of each parameter. */
export function toQueryProblem(issue: z.core.$ZodIssue, queries: Record<string, string[]>): Problem {
  const problem = toProblem(issue);
  const count = queries[problem.field]?.length ?? 0;
  return count > 1 ? { ...problem, message: `must be given once, not ${count} times` } : problem;
}

export function toProblem(issue: z.core.$ZodIssue): Problem {
  if (issue.path.length === 0 && issue.code === "invalid_type" && issue.expected === "object") {
    return { field: "", message: "the body must be a JSON object" };
  }
  return { field: issue.path.map(String).join("."), message: issue.message };
}

export const NESTED_TOO_DEEPLY = "The code is nested too deeply to compile";

/** Parsers and bundlers recurse for each level of nesting. Acorn reports an overflow in its own words. */
export function isStackOverflow(error: unknown): boolean {
  return error instanceof Error && /^(Maximum call stack|Not enough stack space)/.test(error.message);
}

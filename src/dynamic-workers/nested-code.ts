export const NESTED_TOO_DEEPLY = "The code is nested too deeply to compile";

/** Parsers and bundlers call themselves for each level of the code. Acorn reports it with words of its own. */
export function isStackOverflow(error: unknown): boolean {
  return error instanceof Error && /^(Maximum call stack|Not enough stack space)/.test(error.message);
}

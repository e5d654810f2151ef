import type { Thrown } from "../dynamic-workers/index.ts";

/** A frame of the script, the runner's and Playwright's being none of its author's business. */
const FRAME = /^ +at .*\bscript\.js:\d+/;

/** A recursion has no end of them. */
const MAX_FRAMES = 10;

/**
 * The stack of an error as the script's author wants it: the frames that are of the script, by its lines. Columns are
 * left out: those of TypeScript are not the author's any more. Empty where there is none.
 */
export function toScriptStack({ name, message, stack }: Thrown): string {
  if (stack === undefined) return "";
  const frames = stack
    .split("\n")
    .filter((line) => FRAME.test(line))
    .slice(0, MAX_FRAMES);
  return [`${name}: ${message}`, ...frames.map((line) => line.replace(/(:\d+):\d+(\)?)$/, "$1$2"))].join(
    "\n",
  );
}

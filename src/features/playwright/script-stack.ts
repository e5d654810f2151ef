import type { Thrown } from "../../platform/dynamic-workers/index.ts";

const FRAME = /^ +at .*\bscript\.js:\d+/;

const MAX_FRAMES = 10;

/** Keeps the script's own frames. Columns are dropped, because compiling has changed them. */
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

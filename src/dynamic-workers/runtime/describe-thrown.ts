import { inspect } from "node:util";
import { cut, LONGEST_MESSAGE, LONGEST_STACK } from "../run-limits.ts";
import type { Thrown } from "../run-messages.ts";

const NO_WORDS: Thrown = { name: "Error", message: "Something was thrown that cannot be described" };

// Taken before other people's code runs, which may put something else in their place.
const NativeError = Error;
const toText = inspect;

/** Whatever was thrown in words. It may be anything, a proxy that throws when it is looked at included. */
export function describeThrown(thrown: unknown): Thrown {
  try {
    if (!(thrown instanceof NativeError))
      return { name: "Error", message: cut(inWords(thrown), LONGEST_MESSAGE) };
    const { name, message, stack } = thrown;
    const described = { name: cut(`${name}`, LONGEST_MESSAGE), message: cut(`${message}`, LONGEST_MESSAGE) };
    return stack === undefined ? described : { ...described, stack: cut(`${stack}`, LONGEST_STACK) };
  } catch {
    return NO_WORDS;
  }
}

function inWords(thrown: unknown): string {
  if (typeof thrown === "string") return thrown;
  const hasMessage = typeof thrown === "object" && thrown !== null && "message" in thrown;
  return hasMessage && typeof thrown.message === "string" ? thrown.message : toText(thrown);
}

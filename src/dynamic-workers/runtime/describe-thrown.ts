import { inspect } from "node:util";
import { cut, MAX_MESSAGE_LENGTH, MAX_STACK_LENGTH } from "../run-limits.ts";
import type { Thrown } from "../run-messages.ts";

const NO_WORDS: Thrown = { name: "Error", message: "Something was thrown that cannot be described" };

// Taken before other people's code runs, which may put something else in their place.
const NativeError = Error;
const toText = inspect;

/** Whatever was thrown in words. It may be anything, a proxy that throws when it is looked at included. */
export function describeThrown(thrown: unknown): Thrown {
  try {
    if (!(thrown instanceof NativeError))
      return { name: "Error", message: cut(inWords(thrown), MAX_MESSAGE_LENGTH) };
    const { name, message, stack } = thrown;
    const described = {
      name: cut(`${name}`, MAX_MESSAGE_LENGTH),
      message: cut(`${message}`, MAX_MESSAGE_LENGTH),
    };
    return stack === undefined ? described : { ...described, stack: cut(`${stack}`, MAX_STACK_LENGTH) };
  } catch {
    return NO_WORDS;
  }
}

function inWords(thrown: unknown): string {
  if (typeof thrown === "string") return thrown;
  const hasMessage = typeof thrown === "object" && thrown !== null && "message" in thrown;
  return hasMessage && typeof thrown.message === "string" ? thrown.message : toText(thrown);
}

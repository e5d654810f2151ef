import { inspect } from "node:util";
import { MAX_MESSAGE_LENGTH, MAX_STACK_LENGTH, truncate } from "../run-limits.ts";
import type { Thrown } from "../run-messages.ts";

const UNDESCRIBABLE: Thrown = { name: "Error", message: "Something was thrown that cannot be described" };

// Saved before user code can replace them.
const NativeError = Error;
const toText = inspect;

export function describeThrown(thrown: unknown): Thrown {
  try {
    if (!(thrown instanceof NativeError))
      return { name: "Error", message: truncate(messageOf(thrown), MAX_MESSAGE_LENGTH) };
    const { name, message, stack } = thrown;
    const described = {
      name: truncate(`${name}`, MAX_MESSAGE_LENGTH),
      message: truncate(`${message}`, MAX_MESSAGE_LENGTH),
    };
    return stack === undefined ? described : { ...described, stack: truncate(`${stack}`, MAX_STACK_LENGTH) };
  } catch {
    return UNDESCRIBABLE;
  }
}

function messageOf(thrown: unknown): string {
  if (typeof thrown === "string") return thrown;
  const hasMessage = typeof thrown === "object" && thrown !== null && "message" in thrown;
  return hasMessage && typeof thrown.message === "string" ? thrown.message : toText(thrown);
}

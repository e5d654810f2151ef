import type { Thrown } from "../run-messages.ts";

/** Whatever was thrown in words. It may be anything, a proxy that throws when it is looked at included. */
export function describeThrown(thrown: unknown): Thrown {
  try {
    if (thrown instanceof Error) {
      const { name, message, stack } = thrown;
      return {
        name: String(name),
        message: String(message),
        stack: stack === undefined ? stack : String(stack),
      };
    }
    return { name: "Error", message: inWords(thrown) };
  } catch {
    return { name: "Error", message: "Something was thrown that cannot be described" };
  }
}

function inWords(thrown: unknown): string {
  if (typeof thrown !== "object" || thrown === null) return String(thrown);
  if ("message" in thrown && typeof thrown.message === "string") return thrown.message;
  return JSON.stringify(thrown) ?? String(thrown);
}

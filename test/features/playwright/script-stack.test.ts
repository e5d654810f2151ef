import { describe, expect, it } from "vitest";
import { toScriptStack } from "../../../src/features/playwright/script-stack.ts";

const ofError = (stack: string | undefined) => toScriptStack({ name: "Error", message: "no", stack });

describe("toScriptStack", () => {
  it("keeps the script's frames without columns", () => {
    const stack = [
      "Error: no",
      "    at fail (script.js:3:9)",
      "    at new Thing (script.js:4:1)",
      "    at script.js:5:20",
      "    at Array.forEach (<anonymous>)",
      "    at async script (script.js:7:3)",
      "    at async run (script-runner.js:2:918)",
      "    at Page.click (@cloudflare/playwright:12287:40152)",
      "    at check (berth-loop-guard:1:136)",
    ].join("\n");
    expect(ofError(stack)).toBe(
      [
        "Error: no",
        "    at fail (script.js:3)",
        "    at new Thing (script.js:4)",
        "    at script.js:5",
        "    at async script (script.js:7)",
      ].join("\n"),
    );
  });

  it("keeps only the first frames of a recursion", () => {
    const stack = `Error: no\n${"    at f (script.js:1:1)\n".repeat(50)}`;
    expect(ofError(stack).split("\n")).toHaveLength(11);
  });

  it("keeps the message when no frame is the script's", () => {
    expect(ofError("Error: no\n    at run (script-runner.js:1:1)")).toBe("Error: no");
    expect(ofError("something else")).toBe("Error: no");
  });

  it("is empty without a stack", () => {
    expect(ofError(undefined)).toBe("");
  });
});

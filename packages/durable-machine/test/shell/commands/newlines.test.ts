import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { countNewlines, endOfLines, startOfLastLines } from "../../../src/shell/commands/newlines.ts";

const text = fc.string({ unit: fc.constantFrom("a", "b", "\n"), maxLength: 40 });
const count = fc.nat({ max: 8 });

function bytesOf(content: string): Uint8Array {
  return new TextEncoder().encode(content);
}

/** Lines with newlines; the last one may have none. */
function linesOf(content: string): string[] {
  return content.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

describe("newlines", () => {
  it("are counted", () => {
    fc.assert(
      fc.property(text, (content) => {
        expect(countNewlines(bytesOf(content))).toBe(content.split("\n").length - 1);
      }),
    );
  });

  it("end the first lines", () => {
    fc.assert(
      fc.property(text, count, (content, lines) => {
        const first = content.split("\n").slice(0, lines).join("\n");
        const ends = content.split("\n").length - 1 >= lines;
        const expected = lines === 0 ? 0 : first.length + 1;
        expect(endOfLines(bytesOf(content), lines)).toBe(ends ? expected : undefined);
      }),
    );
  });

  it("precede the last lines", () => {
    fc.assert(
      fc.property(text, count, (content, lines) => {
        const last = lines === 0 ? "" : linesOf(content).slice(-lines).join("");
        expect(content.slice(startOfLastLines(bytesOf(content), lines))).toBe(last);
      }),
    );
  });
});

import { describe, expect, it } from "vitest";
import { appendLine, emptyChain, followChain } from "../../../src/features/audit/chain.ts";
import { sha256 } from "../../../src/lib/common/hash.ts";
import { newEntry } from "./entries.ts";

const start = emptyChain("organization");
const lines: string[] = [];
let end = start;
for (let number = 1; number <= 4; number += 1) {
  const appended = appendLine(end, newEntry({ path: `/${number}`, user_agent: 'x","hash":"y"} \u2028 ü' }));
  lines.push(appended.line);
  end = appended.end;
}

/** The line of a changed entry, with a hash that matches the previous line. */
async function forge(previous: string, line: string, change: object): Promise<string> {
  const { hash: _, ...entry } = JSON.parse(line);
  const body = JSON.stringify({ ...entry, ...change });
  const hash = await sha256(`${JSON.parse(previous).hash}\n${body}`);
  return `${body.slice(0, -1)},"hash":"${hash}"}`;
}

const [first = "", second = "", third = "", fourth = ""] = lines;

describe("the chain of hashes", () => {
  it("is what the documentation says", async () => {
    const { hash, ...entry } = JSON.parse(first);
    expect(entry.sequence).toBe(1);
    expect(hash).toBe(await sha256(`${await sha256("organization")}\n${JSON.stringify(entry)}`));
  });

  it("leads from its start to its end, and from any entry", () => {
    expect(followChain(start, lines)).toEqual(end);
    expect(followChain(start, [])).toEqual(start);
    const { sequence, hash } = JSON.parse(second);
    expect(followChain({ sequence, hash }, [third, fourth])).toEqual(end);
  });

  it.each<[string, () => (string | Promise<string>)[], number]>([
    ["an edited entry", () => [first, second.replace('"GET"', '"PUT"'), third, fourth], 1],
    ["an edited hash", () => [first, second.replace(/"hash":"./, '"hash":"g'), third, fourth], 1],
    [
      "an edited entry with a new hash",
      () => [first, forge(first, second, { status: 500 }), third, fourth],
      2,
    ],
    ["a wrong number", () => [first, forge(first, second, { sequence: 3 }), third, fourth], 1],
    ["a removed first entry", () => [second, third, fourth], 0],
    ["a removed entry", () => [first, third, fourth], 1],
    ["a reordered entry", () => [first, third, second, fourth], 1],
    ["a repeated entry", () => [first, first, second], 1],
    ["an added entry", () => [first, second, third, fourth, fourth], 4],
    ["a chain of another organization", () => [appendLine(emptyChain("other"), newEntry()).line], 0],
    ["something else", () => ["", "{}", "x"], 0],
  ])("shows %s", async (_, tamper, valid) => {
    const tampered = await Promise.all(tamper());
    expect(followChain(start, tampered).sequence).toBe(valid);
  });
});

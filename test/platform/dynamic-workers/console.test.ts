import { describe, expect, it } from "vitest";
import { evaluate } from "./evaluate.ts";

async function linesOf(statement: string) {
  const { lines, error } = await evaluate(`export default async () => { ${statement} };`);
  expect(error).toBeUndefined();
  return lines;
}

describe("the console", () => {
  it.each([
    ['console.log("a", 1, { b: [2] })', "stdout", "a 1 { b: [ 2 ] }"],
    ['console.log("%s is %d", "x", 2)', "stdout", "x is 2"],
    ['console.info("a")', "stdout", "a"],
    ['console.debug("a")', "stdout", "a"],
    ["console.dir({ a: 1 }, { depth: 0 })", "stdout", "{ a: 1 }"],
    ["console.table([{ a: 1 }])", "stdout", "[ { a: 1 } ]"],
    ['console.group("title")', "stdout", "title"],
    ['console.warn("a")', "stderr", "a"],
    ['console.error("two\\nlines")', "stderr", "two\nlines"],
    ['console.trace("here")', "stderr", "Trace: here"],
    ['console.assert(false, "why")', "stderr", "Assertion failed why"],
    ['process.stdout.write("a\\n")', "stdout", "a"],
    ['process.stderr.write("a")', "stderr", "a"],
    ['process.stdout.write(new TextEncoder().encode("\u00e9\\n"))', "stdout", "\u00e9"],
    ["process.stderr.write(new DataView(new Uint8Array([97]).buffer))", "stderr", "a"],
    ['(await import("node:console")).default.log("a")', "stdout", "a"],
    ['globalThis.console.log("a")', "stdout", "a"],
  ])("captures %s", async (statement, stream, text) => {
    expect(await linesOf(statement)).toEqual([[stream, text]]);
  });

  it.each(['""', '"", "utf8"', "new Uint8Array()"])("calls the callback of write(%s)", async (args) => {
    const wait = `
      const seen = [];
      const wrote = new Promise((resolve) => {
        seen.push(process.stdout.write(${args}, (error) => resolve(seen.push(error ?? "called"))));
      });
      seen.push("returned");
      await wrote;
      return seen;`;
    const { value } = await evaluate(`export default async () => {${wait}};`);
    expect(value).toEqual([true, "returned", "called"]);
  });

  it("supports counters and timers", async () => {
    const statements =
      'console.count(); console.count(); console.countReset(); console.count(); console.count("x");';
    expect((await linesOf(statements)).map(([, text]) => text)).toEqual([
      "default: 1",
      "default: 2",
      "default: 1",
      "x: 1",
    ]);
    const times =
      'console.time("t"); console.timeLog("t", "so far"); console.timeEnd("t"); console.timeEnd("t");';
    expect((await linesOf(times)).map(([, text]) => text.replace(/\d+/, "N"))).toEqual([
      "t: Nms so far",
      "t: Nms",
    ]);
  });

  it("writes nothing for methods without output", async () => {
    const statements =
      "console.assert(true, 'no'); console.groupEnd(); console.clear(); console.timeEnd('none');";
    expect(await linesOf(statements)).toEqual([]);
  });

  it("keeps the first thousand lines logged while modules load", async () => {
    const early = await evaluate('console.log("early"); export default () => console.log("late");');
    expect(early.lines).toEqual([
      ["stdout", "early"],
      ["stdout", "late"],
    ]);
    const flood = "for (let n = 0; n < 5000; n++) console.log(n);";
    expect((await evaluate(`${flood} export default () => {};`)).lines).toHaveLength(1000);
  });
});

import { describe, expect, it } from "vitest";
import { guardLoops, newColumnMapper } from "../../../src/platform/dynamic-workers/loop-guard.ts";
import { evaluate } from "./evaluate.ts";

const LIMIT_MS = 200;
/** Far longer than the guard takes, even on a slow machine. */
const TIMEOUT_MS = 20_000;
const OVERRUN = `The code blocked the event loop for ${LIMIT_MS} ms (an endless loop?)`;

const inFunction = (body: string) => `export default async function tested() {\n${body}\n}`;

/** Function bodies whose return value shows that the instrumented syntax still works. */
const PROGRAMS: Record<string, string> = {
  while: "let n = 0; while (n < 5) n++; while (n < 9) { n++ } return n;",
  "do while": "let n = 0; do n++; while (n < 5) do { n++ } while (n < 9); return n;",
  for: "let n = 0; for (let i = 0; i < 5; i++) n += i; for (;;) { if (n++ > 20) break; } return n;",
  "an empty body": "let n = 0; for (; n < 5; n++); while (n++ < 8); return n;",
  "for in": "const keys = []; for (const key in { a: 1, b: 2 }) keys.push(key); return keys;",
  "for of": "const seen = []; for (const [a, b] of [[1, 2], [3, 4]]) seen.push(a + b); return seen;",
  "for await": "const seen = []; for await (const x of [Promise.resolve(1), 2]) seen.push(x); return seen;",
  nested: "let n = 0; for (let i = 0; i < 3; i++) for (let j = 0; j < 3; j++) while (n % 2) n++; return n;",
  labels: `
    const seen = [];
    outer: for (const a of [1, 2, 3]) for (const b of [1, 2, 3]) {
      if (b === 2) continue outer;
      if (a === 3) break outer;
      seen.push([a, b]);
    }
    let n = 0;
    again: while (n < 3) { n++; continue again; }
    return { seen, n };`,
  "if and else around loops": "let n = 0; if (n) while (n) n--; else for (; n < 3;) n++; return n;",
  "no semicolons":
    "let n = 0\nwhile (n < 3) n++\nfor (const x of [1]) n += x\ndo n++\nwhile (n < 7)\nreturn n",
  "a loop in a switch":
    "switch (1) { case 1: for (const x of [1, 2]) if (x === 2) return x; default: return 0 }",
  arrows:
    "const f = (x) => x + 1, g = x => ({ x }), h = () => [], k = async () => await 3; return [f(1), g(2), h(), await k()];",
  "arrows in arrows":
    "const f = (a) => (b) => (c) => a + b + c, g = a => b => (a, b); return [f(1)(2)(3), g(1)(2)];",
  "an arrow as the body of a loop": "let f; for (const x of [1, 2]) f = () => x; return f();",
  "arrows in defaults": "const f = (g = (x) => x * 2, h = () => g(3)) => h(); return f();",
  recursion: "const f = (n) => (n < 2 ? n : f(n - 1) + f(n - 2)); return f(10);",
  generators: `
    function* numbers() { let n = 0; while (n < 3) { const step = yield n; n += step ?? 1; } return "end"; }
    function* all() { return yield* numbers(); }
    async function* later() { for (const n of numbers()) yield n; }
    const seen = []; for await (const n of later()) seen.push(n);
    return [[...all()], seen];`,
  classes: `
    class Base { static #count = 0; static { for (let i = 0; i < 2; i++) Base.#count++; }
      constructor(x) { this.x = x } get double() { return this.x * 2 } set y(v) { this.x = v }
      static count() { return Base.#count } #own() { return this.x } own = () => this.#own(); ["computed" + 1]() { return 1 } }
    class Derived extends Base { constructor() { super(4); } *[Symbol.iterator]() { yield this.double } async later() { return super.double } }
    const d = new Derived(); d.y = 5;
    return [d.double, [...d], await d.later(), d.own(), d.computed1(), Base.count(), new (class extends Base {})(7).x];`,
  "getters and setters":
    "const o = { v: 1, get a() { return this.v }, set a(x) { this.v = x } }; o.a = 3; return o.a;",
  "this and arguments":
    "function f() { return [this.x, arguments.length, (() => arguments[0])()] } return f.call({ x: 1 }, 2);",
  "names of functions":
    "const f = () => 1, g = function () {}; class C { m() {} } return [f.name, g.name, C.name, C.prototype.m.name];",
  "lengths of functions": "return [((a, b) => a).length, function (a, b = 1) {}.length];",
  closures: "const fs = []; for (let i = 0; i < 3; i++) fs.push(() => i); return fs.map((f) => f());",
  "try and finally":
    "const seen = []; for (const x of [1, 2]) { try { if (x) continue; } finally { seen.push(x) } } return seen;",
  "await in loops":
    "let n = 0; while (await Promise.resolve(n < 3)) n = await Promise.resolve(n + 1); return n;",
  "tagged templates": `const tag = (s, ...v) => s.raw.join() + v; return tag\`a\\n\${(() => 2)()}\`;`,
  "a line break before the body": "let n = 0; for (;\n;)\n{\nif (n++ > 3)\nreturn n\n}",
};

/** Matches line breaks as V8 counts them. */
const LINE_BREAK = /\r\n|[\n\r\u2028\u2029]/;

describe("guardLoops", () => {
  it.each(Object.entries(PROGRAMS))("preserves behaviour: %s", async (_, body) => {
    const source = inFunction(body);
    const [before, after] = await Promise.all([evaluate(source), evaluate(guardLoops(source, 10_000))]);
    expect(before.error).toBeUndefined();
    expect(before.value).toBeDefined();
    expect(after).toEqual(before);
  });

  it("preserves line numbers", async () => {
    for (const source of Object.values(PROGRAMS).map(inFunction)) {
      expect(guardLoops(source, LIMIT_MS).split("\n")).toHaveLength(source.split("\n").length);
    }
    const source = `
      const fail = () => {
        throw new Error();
      };
      for (const x of [1]) while (x)
        [2].forEach((y) =>
          fail());
      export default () => 1;`;
    const stack = await evaluate(guardLoops(source, LIMIT_MS)).catch(String);
    const lines = [...String(stack).matchAll(/tested\.js:(\d+)/g)].map(([, line]) => Number(line));
    expect(lines).toEqual([3, 7, 6]);
  });

  it("has columns that map to the source", () => {
    for (const source of [...Object.values(PROGRAMS), "let a; /*\u2028*/ while (a) a;\r\nfor (;a;) a;\ra"]
      .map(inFunction)
      .flatMap((source) => [source, `#!/usr/bin/env node\n${source}`])) {
      const toColumn = newColumnMapper(source, LIMIT_MS);
      const lines = source.split(LINE_BREAK);
      const guarded = guardLoops(source, LIMIT_MS).split(LINE_BREAK);
      for (const [index, text] of guarded.entries()) {
        const columns = Array.from(text, (_, column) => toColumn(index + 1, column));
        // Several columns can map to one of the source; the last of them has its character.
        const mapped = columns.map((column, at) => (column === columns[at + 1] ? "" : text[at])).join("");
        const line = lines[index] ?? "";
        // Text inserted at the end of a line maps to that end.
        expect(mapped.slice(0, line.length)).toBe(line);
        expect(Math.max(0, ...columns)).toBeLessThanOrEqual(line.length);
      }
    }
  });

  it.each(["\n", "\r\n"])("accepts a hashbang before %j", async (lineBreak) => {
    const body = ["throw new Error();", "export default () => 1;"].join(lineBreak);
    const source = `#!/usr/bin/env node${lineBreak}export const a = 1; ${body}`;
    const stack = await evaluate(guardLoops(source, LIMIT_MS)).catch(String);
    const [, line, column] = /tested\.js:(\d+):(\d+)/.exec(String(stack)) ?? [];
    expect(line).toBe("2");
    expect(newColumnMapper(source, LIMIT_MS)(2, Number(column) - 1)).toBe(
      "export const a = 1; throw ".length,
    );
  });

  it("keeps functions usable as text in pages without a guard", async () => {
    const source = inFunction(
      "const f = (n) => { let sum = 0; for (let i = 0; i < n; i++) sum += i; return sum }; return String(f);",
    );
    const { value } = await evaluate(guardLoops(source, LIMIT_MS));
    const elsewhere = await evaluate(`export default () => (${value})(4);`);
    expect(elsewhere.value).toBe(6);
  });

  it("gives the check a random name that code cannot replace", () => {
    const [first, second] = [guardLoops("", 1), guardLoops("", 1)].map(
      (text) => /const (\w+)/.exec(text)?.[1],
    );
    expect(first).not.toBe(second);
  });

  it("reports the position of a syntax error", () => {
    expect(() => guardLoops("let a;\nlet b = ;", 1)).toThrow("(2:8)");
  });
});

const ENDLESS: Record<string, string> = {
  while: "while (true);",
  "do while": "do {} while (true);",
  for: "for (;;);",
  "for in": "for (const k in new Proxy({}, { ownKeys: () => { for (;;); } }));",
  "for of": "for (const x of { [Symbol.iterator]: () => ({ next: () => ({ value: 1 }) }) });",
  "for await": "for await (const x of (async function* () { for (;;) yield; })());",
  "a loop that catches": "for (;;) { try { for (;;); } catch {} }",
  "a loop that continues in finally": "for (;;) { try { for (;;); } finally { continue; } }",
  "a generator": "const g = (function* () { for (;;) yield; })(); while (!g.next().done);",
  "a getter": "const o = { get x() { for (;;); } }; return o.x;",
  "a static block": "class A { static { for (;;); } }",
  "a field": "class A { x = (() => { for (;;); })(); } new A();",
  "a default value": "const f = (x = (() => { for (;;); })()) => x; f();",
  "an arrow that calls itself through a promise": "const f = () => Promise.resolve().then(f, f); return f();",
  "an endless await": "for (;;) await null;",
  "a recursion that catches and retries": "const f = () => { try { f() } finally { f() } }; f();",
  "a callback of the runtime": "[1].forEach(() => { for (;;); });",
  "a replaced clock": "Date.now = () => 1; globalThis.setTimeout = () => 1; for (;;);",
  "replaced globals":
    "Math.min = () => Infinity; globalThis.Error = function () { for (;;); }; for (;;) JSON.stringify(1);",
  "a watch of its own": `
    const guard = await import("berth-loop-" + "guard");
    const attempt = (call) => { try { call(); } catch {} };
    const until = Date.now() + 5000;
    while (Date.now() < until) {
      attempt(() => guard.watchRun(() => {}));
      attempt(() => guard.claimWatchRun()(() => {}));
    }`,
  "a check of its own": `
    const guard = await import("berth-loop-" + "guard");
    const attempt = (call) => { try { call(); } catch {} };
    const until = Date.now() + 5000;
    while (Date.now() < until) {
      attempt(() => { for (let n = 0; n < 2000; n += 1) guard.watchLoops(Infinity)(); });
      attempt(() => { for (let n = 0; n < 2000; n += 1) guard.claimWatchLoops()(Infinity)(); });
    }`,
  "a redefined check": "for (;;) { const watchLoops = () => () => {}; }",
  "slow work in each iteration": "for (;;) JSON.stringify(new Array(100_000).fill(1));",
  "code that resumes after the guard throws":
    "for (;;) { try { for (;;); } catch { await new Promise((resolve) => setTimeout(resolve)); break; } }",
};

describe("endless code", () => {
  it.each(Object.entries(ENDLESS))("is stopped: %s", async (_, body) => {
    const startedAt = Date.now();
    const { overruns } = await evaluate(guardLoops(inFunction(body), LIMIT_MS));
    expect(overruns).toEqual([OVERRUN]);
    expect(Date.now() - startedAt).toBeLessThan(TIMEOUT_MS);
  });

  it.each([
    ["a loop", "while (1);"],
    ["a recursion through promises", "const f = () => Promise.resolve().then(f, f); await f();"],
    ["a loop that catches", "for (;;) { try { for (;;); } catch {} }"],
    ["a loop with slow iterations", "for (;;) JSON.stringify([1, 2, 3]);"],
  ])("is stopped while the module loads, where time stands still: %s", async (_, top) => {
    const startedAt = Date.now();
    const loading = evaluate(guardLoops(`${top}\nexport default () => 1;`, LIMIT_MS));
    await expect(loading).rejects.toThrow("The code looped too long while it was loaded (an endless loop?)");
    expect(Date.now() - startedAt).toBeLessThan(TIMEOUT_MS);
  });

  it("is not confused with slow code that yields", async () => {
    const body = `
      const until = Date.now() + ${LIMIT_MS * 3};
      while (Date.now() < until) await new Promise((resolve) => setTimeout(resolve, 1));
      return "done";`;
    expect(await evaluate(guardLoops(inFunction(body), LIMIT_MS))).toMatchObject({
      value: "done",
      overruns: [],
    });
  });

  it("is not confused with a module that takes long to load", async () => {
    const top = "const table = []; for (let i = 0; i < 1_000_000; i++) table[i % 10] = i;";
    const { value } = await evaluate(guardLoops(`${top}\nexport default () => table.length;`, LIMIT_MS));
    expect(value).toBe(10);
  });

  it.each([
    ["an interval", "setInterval(() => { globalThis.steps += 1; }, 1);"],
    ["a loop that yields", "(async () => { for (;;) { await wait(); globalThis.steps += 1; } })();"],
    ["chained calls", "const next = () => { globalThis.steps += 1; wait().then(next, next); }; next();"],
  ])("stops at its next step after the run ends: %s", async (_, body) => {
    const wait = "const wait = () => new Promise((resolve) => setTimeout(resolve, 1));";
    const source = inFunction(
      `globalThis.steps = 0; ${wait} ${body} await wait(); await wait(); return steps;`,
    );
    const { value, stepsAfterEnd } = await evaluate(guardLoops(source, LIMIT_MS));
    expect(value).toBeGreaterThan(0);
    expect(stepsAfterEnd).toBeLessThanOrEqual(1);
    expect((await evaluate(source)).stepsAfterEnd).toBeGreaterThan(1);
  });
});

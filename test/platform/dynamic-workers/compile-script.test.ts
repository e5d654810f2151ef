import { describe, expect, it } from "vitest";
import { compileScript } from "../../../src/platform/dynamic-workers/runtime/compile-script.ts";

function compile(code: string, loopGuardMs = 0): string {
  const script = compileScript(code, loopGuardMs);
  if (!script.ok) throw new Error(`${script.message}, line ${script.line}`);
  return script.module;
}

describe("compileScript", () => {
  it("makes the script the body of one function and keeps its line numbers", () => {
    const module = compile("const a = 1;\nreturn a;");
    expect(module).toBe(
      "export default async function script(page, context, browser) {const a = 1;\nreturn a;\n}",
    );
    expect(compile("const a = 1;\nfor (;;)\n  break;", 1000).split("\n")).toHaveLength(4);
  });

  it.each([
    ["interface A {\n  b: string;\n}\nconst a: A = { b: 'x' };\nreturn a as unknown;", 4, "const a"],
    ["type A =\n  | 1\n  | 2;\nreturn 1 satisfies A;", 4, "return 1"],
    ["enum E {\n  X = 1,\n}\nreturn E.X;", 4, "return E.X"],
    ["function f<T>(a: T,\n  b?: number): T { return a! }\nreturn f<number>(1);", 3, "return f(1)"],
    ["class A {\n  constructor(private readonly a: number) {}\n}\nreturn new A(1);", 4, "return new A(1)"],
    ["const { a }: { a: number } = await page.evaluate<{ a: number }>(() => ({ a: 1 }));", 1, "({ a: 1 })"],
  ])("strips types and keeps line numbers: %j", (code, line, text) => {
    expect(compile(code).split("\n")[line - 1]).toContain(text);
    expect(compile(code).split("\n")).toHaveLength(code.split("\n").length + 1);
  });

  it.each([
    "return 1 // the end",
    "/* nothing */",
    `return \`}\n\${1}\``,
    "const s = '}'; return /}/.test(s)",
    "await page.title();",
    "for await (const x of []) {}",
    'const { a } = await import("node:util"); return a',
    "'use strict'; return 1",
    "return { page, context, browser }",
    "const console = 1; return console",
    "\u2028return 1",
    "",
  ])("accepts %j", (code) => {
    expect(compile(code)).toContain(code);
  });

  it.each<[string, number, string]>([
    ["const x = ;", 1, "Unexpected token"],
    ["const a = 1;\nconst b = 2\nreturn a b;", 3, "Unexpected token"],
    ["const x: = 1;", 1, "Unexpected token"],
    ["interface {\n}", 1, "Unexpected token"],
    ["let a;\nlet a;", 2, "Identifier 'a' has already been declared"],
    ["\nlet page;", 2, "Identifier 'page' has already been declared"],
    ["return `abc\n\n", 1, "Unterminated template"],
    ["return 'abc", 1, "Unterminated string constant"],
    ["\n/* abc", 2, "Unterminated comment"],
    ["if (x) {\n", 2, "Unexpected token"],
    ["return /(/;", 1, "Invalid regular expression: /(/: Unterminated group"],
    ['\n\nimport x from "y";', 3, "'import' and 'export' may only appear at the top level"],
    ["export default 1;", 1, "'import' and 'export' may only appear at the top level"],
    ["with (page) title()", 1, "Unexpected token"],
    ["return 010", 1, "Invalid number"],
    ["return <div/>", 1, "Unexpected token"],
    ["return await", 1, "Unexpected token"],
  ])("reports the syntax error and its line: %j", (code, line, message) => {
    expect(compileScript(code, 0)).toEqual({ ok: false, line, message: expect.stringContaining(message) });
  });

  it.each([
    ["const x = class extends x = class extends a {} {}", "Invalid scope depth"],
    ["class A { constructor(private { a }) {} }", "Expected identifier after access modifiers"],
  ])("reports a syntax error without a line: %j", (code, message) => {
    expect(compileScript(code, 0)).toEqual({ ok: false, message: expect.stringContaining(message) });
  });

  it.each<[string, number]>([
    ["}; while (1); async () => {", 1],
    ["}\nwhile (1);\n{", 2],
    ["}\nexport const leaked = 1;\nasync function f() {", 2],
    ["} // }\n{", 2],
    ["return 1\n}\n;{", 3],
    ["} function f() {", 1],
    ["}, async function () {", 1],
    ["} + function () {", 1],
    ["}) (", 1],
    ["} /*", 1],
    ["} `", 1],
  ])("rejects code that closes the function around it: %j", (code, line) => {
    expect(compileScript(code, 0)).toMatchObject({ ok: false, line });
  });

  it("rejects code that is nested too deeply", () => {
    expect(compileScript("(".repeat(200_000), 1000)).toMatchObject({
      ok: false,
      message: "The code is nested too deeply to compile",
    });
    const chain = `return ${"(".repeat(20_000)}1${")".repeat(20_000)}`;
    expect(compileScript(chain, 1000).ok).toBe(false);
  });
});

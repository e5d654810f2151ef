import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { compileScript as compile } from "../../src/playwright/compile-script.ts";
import { sizeOfLane } from "../lane.ts";

const TOO_SLOW = { ok: false, message: "The code takes more than 2000 ms to compile" };

const nest = (head: string, tail: string, depth = 40) => `${head.repeat(depth)}0${tail.repeat(depth)}`;

/** Short code that makes parsers backtrack, and long code with many names to look up. */
const SLOW: Record<string, string> = {
  "arrow functions in default values": nest("(a=", ")=>0"),
  "arrow functions in default values, with types": nest("(a:number=", ")=>0"),
  "arrow functions in types": nest("(a:{[", "]:1})=>0"),
  "possible type arguments": nest("a<{[", "]:1}>0"),
  "classes in fields": nest("x=class{a=", "}"),
  "many fields": `class A {${"a=0;".repeat(100_000)}}`,
  "many names": `let ${Array.from({ length: 120_000 }, (_, n) => `a${n}`)}`,
};

/** Nested callbacks that are deep but quick to parse. */
const CALLBACKS = `
  interface Row { id: number; name?: string }
  const rows = new Map<string, Row[]>();
  ${"await visit(async (page: Page, { depth = 0, tags = [] }: Options = {}): Promise<void> => {\n".repeat(25)}
  rows.set("a", (await page.evaluate<Row[]>(() => [])).filter((row): row is Row => row.id < 3 && row.id > 1));
  ${"});\n".repeat(25)}
  return rows;`;

const compileScript = (env: Env, code: string) => compile(env, { code, organizationId: "organization" });

/** Each slow script takes the whole time limit. */
const SLOW_SCRIPTS = sizeOfLane(1, Number.POSITIVE_INFINITY);

describe("compileScript", () => {
  it("compiles valid code and reports syntax errors", async () => {
    expect(await compileScript(env, "return 1 as number")).toMatchObject({
      ok: true,
      module: expect.stringContaining("return 1"),
    });
    expect(await compileScript(env, "\nreturn a b")).toEqual({
      ok: false,
      message: expect.stringContaining("Unexpected token"),
      line: 2,
    });
    expect(await compileScript(env, CALLBACKS)).toMatchObject({ ok: true });
  });

  it.each(Object.entries(SLOW).slice(0, SLOW_SCRIPTS))("times out on %s", async (_, code) => {
    expect(await compileScript(env, code)).toEqual(TOO_SLOW);
    expect(await compileScript(env, "return 1")).toMatchObject({ ok: true });
  });

  it("does not delay concurrent scripts", async () => {
    const codes = [SLOW["classes in fields"] ?? "", "return 1", "return 2", "return 3"];
    const [slow, ...others] = await Promise.all(codes.map((code) => compileScript(env, code)));
    expect(slow).toEqual(TOO_SLOW);
    for (const other of others) expect(other).toMatchObject({ ok: true });
  });
});

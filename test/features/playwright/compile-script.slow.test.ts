import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { compileScript as compile } from "../../../src/features/playwright/compile-script.ts";
import { ServiceError } from "../../../src/lib/common/errors.ts";
import { sizeOfLane } from "../../lane.ts";

const TOO_SLOW = { ok: false, message: "The code takes more than 1000 ms to compile" };

const nest = (head: string, tail: string, depth = 40) => `${head.repeat(depth)}0${tail.repeat(depth)}`;

const DEPTH = 100_000;

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

const compileScript = (env: Env, code: string, organizationId = "organization") =>
  compile(env, { code, organizationId });

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

  it.each(Object.entries(SLOW).slice(0, SLOW_SCRIPTS))("times out on %s", async (name, code) => {
    expect(await compileScript(env, code, name)).toEqual(TOO_SLOW);
    expect(await compileScript(env, "return 1")).toMatchObject({ ok: true });
  });

  it("does not delay concurrent scripts of other organizations", async () => {
    const codes = [SLOW["classes in fields"] ?? "", "return 1", "return 2", "return 3"];
    const [slow, ...others] = await Promise.all(
      codes.map((code, n) => compileScript(env, code, `concurrent ${n}`)),
    );
    expect(slow).toEqual(TOO_SLOW);
    for (const other of others) expect(other).toMatchObject({ ok: true });
  });

  it.each([
    ...["(", "[", "{", "<T>(", "`${"].map((head) => head.repeat(DEPTH)),
    nest("(", ")", DEPTH),
    nest("[", "]", DEPTH),
    `return a${"+a".repeat(DEPTH)}`,
    `return a${"()".repeat(DEPTH)}`,
  ])("reports at once that code is nested too deeply: %.12s", async (code) => {
    const startedAt = Date.now();
    const nested = { ok: false, message: "The code is nested too deeply to compile" };
    expect(await compileScript(env, code, `nested ${code.slice(0, 12)}`)).toEqual(nested);
    expect(Date.now() - startedAt).toBeLessThan(5000);
  });

  it("refuses deeply nested type arguments at once", async () => {
    const startedAt = Date.now();
    expect(await compileScript(env, "a<".repeat(DEPTH), "nested types")).toMatchObject({ ok: false });
    expect(Date.now() - startedAt).toBeLessThan(5000);
  });

  it("leaves time to other organizations while an organization compiles slow code, and refuses what waits long", async () => {
    await Promise.all(
      ["hostile", "other"].map((organization) => compileScript(env, "return 1", organization)),
    );
    const slow = "<T>(".repeat(22);
    let ended = 0;
    const startedAt = Date.now();
    const hostile = Array.from({ length: 20 }, (_, n) =>
      compileScript(env, `${slow}${n}`, "hostile")
        .catch((error: unknown) => error)
        .finally(() => {
          ended += 1;
        }),
    );
    const answered: number[] = [];
    while (ended < 20) {
      expect(await compileScript(env, "return 2", "other")).toMatchObject({ ok: true });
      answered.push(Date.now());
      await scheduler.wait(10);
    }
    // Others wait for the slow code at most a fifth of the time.
    const outcomes = await Promise.all(hostile);
    const compiled = outcomes.filter((outcome) => !(outcome instanceof ServiceError));
    const refused = outcomes.filter((outcome) => outcome instanceof ServiceError);
    expect(compiled.length).toBeLessThan(8);
    for (const outcome of compiled) expect(outcome).toEqual(TOO_SLOW);
    for (const { code } of refused) expect(code).toBe("too_many_requests");
    expect(answered.length).toBeGreaterThan((Date.now() - startedAt) / 1000);
  });
});

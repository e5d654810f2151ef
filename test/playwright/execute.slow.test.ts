import { env } from "cloudflare:workers";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { sha256 } from "../../src/common/hash.ts";
import { sessionSchema } from "../../src/sessions/api/schema.ts";
import { type Client, newClient } from "../api.ts";
import { createFullPool, endPoolsAfterAll } from "../browser-pools/pools.ts";
import { passTime, restart, runAlarm } from "../objects.ts";
import { Scripts } from "./scripts.ts";

endPoolsAfterAll();

let client: Client;
let sessionId: string;
let scripts: Scripts;
beforeAll(async () => {
  client = await newClient();
  sessionId = (await client.createSession({ name: "scripted", timeout_seconds: 3600 })).session_id;
  scripts = new Scripts(client, sessionId);
});
afterAll(async () => {
  await client.delete(`/browsers/${sessionId}`);
});

/** Longer than a script takes to start, and shorter than a test may take. */
const LIMIT_SECONDS = 5;

/** Resolves when a script has opened a page with that title. */
function untilTitle(scripts: Scripts, title: string): Promise<unknown> {
  return expect
    .poll(() => scripts.result("return await Promise.all(context.pages().map((page) => page.title()))"))
    .toContain(title);
}

/** Begins a script that opens a page with a title of its own, and then does something. */
const inPage = (title: string, code: string) =>
  `const own = await context.newPage(); await own.goto("data:text/html,<title>${title}</title>"); ${code}`;

describe("a script", () => {
  it("answers with what it returns and what it writes", async () => {
    const code = `
      await page.goto("data:text/html,<title>Here</title><p>text</p>");
      console.log("one", { two: 2 });
      console.error("three");
      return { title: await page.title(), text: await page.textContent("p"), none: undefined, when: new Date(0) };`;
    expect(await scripts.run(code)).toEqual({
      success: true,
      result: { title: "Here", text: "text", when: "1970-01-01T00:00:00.000Z" },
      stdout: "one { two: 2 }\n",
      stderr: "three\n",
    });
  });

  it("has page, context and browser of the session, of its size", async () => {
    const code = `
      const added = await context.newPage();
      const sizes = await Promise.all([page, added].map((each) => each.evaluate(() => [innerWidth, innerHeight])));
      await added.close();
      return [page.context() === context, browser.contexts()[0] === context, page.viewportSize(), sizes];`;
    const size = [1920, 1080];
    expect(await scripts.result(code)).toEqual([true, true, null, [size, size]]);
  });

  it("finds the page as the last one left it, and sends functions to it", async () => {
    await scripts.result('await page.goto("data:text/html,<title>Left</title>")');
    const code = `
      const count = await page.evaluate((most) => { let n = 0; while (n < most) n += 1; return n; }, 5);
      await page.waitForFunction(() => document.title === "Left");
      return [page.url(), count];`;
    expect(await scripts.result(code)).toEqual(["data:text/html,<title>Left</title>", 5]);
  });

  it.each(["await page.title();", "return", "return undefined", "return () => 1", "return null"])(
    "has null for a result with %j",
    async (code) => {
      expect(await scripts.run(code)).toEqual({ success: true, result: null, stdout: "", stderr: "" });
    },
  );

  it("may be TypeScript, and tells the lines of its faults", async () => {
    const code = `interface Thing {
  name: string;
}
enum Color { Red = 1 }
function fail(thing: Thing): never {
  throw new TypeError(\`\${thing.name} \${Color.Red as number}\`);
}
console.error("before");
[1].forEach((n): void =>
  fail({ name: "thing" }));`;
    expect(await scripts.run(code)).toEqual({
      success: false,
      error: "thing 1",
      stdout: "",
      stderr:
        "before\nTypeError: thing 1\n    at fail (script.js:6)\n    at script.js:10\n    at script (script.js:9)\n",
    });
  });

  it("fails with the reason that Playwright gives, and the line", async () => {
    const code = 'await page.setContent("");\n\nawait page.click("#none", { timeout: 200 });';
    const { success, error, stderr } = await scripts.run(code);
    expect(success).toBe(false);
    expect(error).toMatch(/^page\.click: Timeout 200ms exceeded\.\nCall log:\n/);
    expect(stderr).toMatch(/^TimeoutError: page\.click: .*\n {4}at script \(script\.js:3\)\n$/s);
  });

  it("that is no code fails with the line of its fault", async () => {
    expect(await scripts.run("const a = 1;\nconst b: = 2;")).toEqual({
      success: false,
      error: "Unexpected token (script.js:2)",
      stdout: "",
      stderr: "SyntaxError: Unexpected token (script.js:2)\n    at script.js:2\n",
    });
    expect(await scripts.error("}; while (1); async () => {")).toBe("Unexpected token (script.js:1)");
  });

  it("fails when its time is up, with what it wrote", async () => {
    const code = 'console.log("begun"); await page.waitForTimeout(60_000);';
    expect(await scripts.run(code, { seconds: LIMIT_SECONDS })).toMatchObject({
      success: false,
      error: `Execution timed out after ${LIMIT_SECONDS * 1000}ms`,
      stdout: "begun\n",
    });
  });

  it.each(["page", "context", "browser"])("may close the %s, which the next one has again", async (what) => {
    expect(await scripts.result(`await ${what}.close(); return "closed"`)).toBe("closed");
    const next = 'await page.goto("data:text/html,<title>Next</title>"); return await page.title()';
    expect(await scripts.result(next)).toBe("Next");
  });
});

describe("the same script in sessions of one caller", () => {
  it("runs in one Worker after the other, and drives the browser of its own session", async () => {
    const { LOADER } = env;
    const code = "globalThis.seen = (globalThis.seen ?? 0) + 1; return [globalThis.seen, page.url()]";
    const hash = await sha256(code);
    const names = new Set<string>();
    const get: WorkerLoader["get"] = (name, load) => {
      if (name?.includes(hash)) names.add(name);
      return LOADER.get(name, load);
    };
    Object.assign(env, { LOADER: { get } });
    try {
      const session = await client.createSession({ timeout_seconds: 3600 });
      const other = new Scripts(client, session.session_id);
      await other.result('await page.goto("data:text/html,other")');
      expect(await scripts.result(code)).toEqual([1, expect.not.stringContaining("other")]);
      expect(await other.result(code)).toEqual([1, "data:text/html,other"]);
      expect(names.size).toBe(1);
    } finally {
      Object.assign(env, { LOADER });
    }
  });
});

describe("scripts of one session", () => {
  it.each<[string, string, unknown]>([
    ["a global", "globalThis.seen = (globalThis.seen ?? 0) + 1; return seen", 1],
    ["a built-in", "const was = [].extra; Array.prototype.extra = 1; return was ?? null", null],
    ["what a global inherits", "const was = 'x' in globalThis; Object.prototype.x = 1; return was", false],
    [
      "an override",
      "const was = JSON.stringify({ a: 1 }) + Math.abs(-1); JSON.stringify = () => '0'; Math.abs = () => 2; return was",
      '{"a":1}1',
    ],
    [
      "a deletion",
      "const was = typeof Promise + typeof URL; delete globalThis.Promise; delete globalThis.URL; return was",
      "functionfunction",
    ],
    [
      "a prototype",
      "const was = Object.getPrototypeOf(Map.prototype) === Object.prototype; Object.setPrototypeOf(Map.prototype, null); return was",
      true,
    ],
    [
      "what cannot be undone",
      "const was = 'fixed' in globalThis; Object.defineProperty(globalThis, 'fixed', { value: 1 }); return was",
      false,
    ],
    [
      "frozen globals",
      "const was = Object.isFrozen(Array.prototype); Object.freeze(Array.prototype); return was",
      false,
    ],
    ["console counts", "console.count(); return 1", 1],
  ])("see nothing that the same one has left of %s", async (_, code, result) => {
    for (let run = 0; run < 2; run += 1) expect(await scripts.result(code)).toEqual(result);
  });

  it("see nothing that the same one has left that failed", async () => {
    const code = "const was = globalThis.left; globalThis.left = 1; throw new Error(String(was))";
    for (let run = 0; run < 2; run += 1) expect(await scripts.error(code)).toBe("undefined");
  });

  it("run side by side, the same one too, each with globals of its own", async () => {
    const code = `
      globalThis.mine = Math.random();
      const before = globalThis.mine;
      await page.evaluate(() => { window.arrived = (window.arrived ?? 0) + 1; });
      await page.waitForFunction(() => window.arrived >= 3);
      return before === globalThis.mine;`;
    await scripts.result('await page.goto("data:text/html,<title>Meeting</title>")');
    expect(await Promise.all([code, code, `${code} // another`].map((each) => scripts.result(each)))).toEqual(
      [true, true, true],
    );
  });

  it("do not wait for one that hangs", async () => {
    const leaving = new AbortController();
    const hanging = scripts.run(inPage("Hanging", "await new Promise(() => {})"), {
      seconds: 60,
      signal: leaving.signal,
    });
    await untilTitle(scripts, "Hanging");
    const first = await Promise.race([hanging.then(() => "hanging"), scripts.result('return "quick"')]);
    expect(first).toBe("quick");
    leaving.abort();
    await hanging;
  });
});

describe("what runs a script", () => {
  it("is out of the script's reach", async () => {
    const code = `
      const runner = await import("script-" + "runner.js");
      const guard = await import("berth-loop-" + "guard");
      const console = await import("berth-" + "console");
      const nothing = () => undefined;
      const attempts = {
        "take the run": () => { runner.Script.prototype.fetch = nothing; },
        "add to the run": () => { runner.Script.prototype.other = nothing; },
        "make the run another's": () => { Object.setPrototypeOf(runner.Script, class {}); },
        "take the end": () => { (runner.Shutdown.prototype ?? runner.Shutdown).fetch = nothing; },
        "take the watch": () => (guard.watchRun ?? guard.claimWatchRun())(nothing),
        "take the check": () => (guard.watchLoops ?? guard.claimWatchLoops())(1),
        "take the lines": () => (console.followConsole ?? console.claimFollowConsole())(nothing),
      };
      return Object.keys(attempts).filter((name) => {
        try { attempts[name](); return true; } catch { return false; }
      });`;
    expect(await scripts.result(code)).toEqual([]);
  });
});

describe("a session", () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it("is found by its name", async () => {
    expect(await new Scripts(client, "scripted").result("return 1")).toBe(1);
  });

  it("is used while a script runs, also one that has left the browser, and not after", async () => {
    const { session_id } = await client.createSession({ timeout_seconds: 60 });
    const own = new Scripts(client, session_id);
    const leaving = new AbortController();
    const running = own.run(inPage("Left alone", "await browser.close(); await new Promise(() => {})"), {
      seconds: 60,
      signal: leaving.signal,
    });
    await untilTitle(own, "Left alone");
    passTime(300_000);
    await runAlarm(session_id);
    expect((await client.get(`/browsers/${session_id}`)).status).toBe(200);
    leaving.abort();
    expect((await running).error).toBe("The operation was aborted");
    // The clock starts at the end of the run.
    passTime(59_000);
    await runAlarm(session_id);
    expect((await client.get(`/browsers/${session_id}`)).status).toBe(200);
    passTime(2000);
    await runAlarm(session_id);
    expect((await client.get(`/browsers/${session_id}`)).status).toBe(404);
  });

  it("that ends ends its scripts, whatever they wait for", async () => {
    const { session_id } = await client.createSession();
    const own = new Scripts(client, session_id);
    const running = own.run(inPage("Waiting", 'console.log("begun"); await new Promise(() => {})'), {
      seconds: 60,
    });
    await untilTitle(own, "Waiting");
    await client.delete(`/browsers/${session_id}`);
    expect(await running).toEqual({
      success: false,
      error: "The browser is gone: the session ended: deleted by a call",
      stdout: "begun\n",
      stderr: "Error: The browser is gone: the session ended: deleted by a call\n",
    });
    expect(
      (await client.post(`/browsers/${session_id}/playwright/execute`, { code: "return 1" })).status,
    ).toBe(404);
  });

  it("whose object crashes loses its scripts, and runs others", async () => {
    const { session_id } = await client.createSession();
    const own = new Scripts(client, session_id);
    const running = own.run(inPage("Crashing", "await new Promise(() => {})"), { seconds: 60 });
    await untilTitle(own, "Crashing");
    await restart(session_id);
    expect((await running).error).toMatch(/^The browser is gone: /);
    expect(await own.result("return 1")).toBe(1);
    await client.delete(`/browsers/${session_id}`);
  });

  it("runs ten scripts at once, and no more", async () => {
    const { session_id } = await client.createSession();
    const body = { code: "await new Promise(() => {})", timeout_sec: 60 };
    const path = `/browsers/${session_id}/playwright/execute`;
    const leaving = new AbortController();
    const early: number[] = [];
    const running = Array.from({ length: 12 }, async () => {
      const answer = await client.call("POST", path, { body, signal: leaving.signal });
      early.push(answer.status);
      return answer;
    });
    await expect.poll(() => early).toEqual([429, 429]);
    leaving.abort();
    const answers = await Promise.all(running);
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(10).fill(200), 429, 429]);
    const refused = answers.find(({ status }) => status === 429);
    expect(refused?.error.message).toBe("This session already runs 10 pieces of code at once");
    expect(refused?.headers.get("retry-after")).toBe("1");
    expect(await new Scripts(client, session_id).result("return 1")).toBe(1);
    await client.delete(`/browsers/${session_id}`);
  });

  it("of a pool has its scripts for the lease", async () => {
    const pool = await createFullPool(client, { size: 1 });
    const acquire = async () =>
      (await client.post(`/browser_pools/${pool.id}/acquire`, {})).read(sessionSchema).session_id;
    const leased = await acquire();
    const own = new Scripts(client, leased);
    const running = own.run(inPage("Leased", "await new Promise(() => {})"), { seconds: 60 });
    await untilTitle(own, "Leased");
    await client.post(`/browser_pools/${pool.id}/release`, { session_id: leased });
    expect((await running).error).toBe("The browser is gone: the browser was returned to its pool");
    expect(await new Scripts(client, await acquire()).result("return 1")).toBe(1);
  });
});

describe("a caller", () => {
  it.each<[object, string[]]>([
    [{}, ["code"]],
    [{ code: "" }, ["code"]],
    [{ code: " \n\t" }, ["code"]],
    [{ code: null }, ["code"]],
    [{ code: ["return 1"] }, ["code"]],
    [{ code: "return 1", timeout_sec: 0 }, ["timeout_sec"]],
    [{ code: "return 1", timeout_sec: 301 }, ["timeout_sec"]],
    [{ code: "return 1", timeout_sec: 1.5 }, ["timeout_sec"]],
    [{ code: "return 1", timeout_sec: "10" }, ["timeout_sec"]],
    [{ timeout_sec: -1 }, ["code", "timeout_sec"]],
  ])("is told what is wrong with %j", async (body, fields) => {
    const answer = await client.post(`/browsers/${sessionId}/playwright/execute`, body);
    expect(answer.fieldsAtFault).toEqual(fields);
  });

  it("is told that a body is too large", async () => {
    const body = { code: `return "${"x".repeat(1024 * 1024)}"` };
    expect((await client.post(`/browsers/${sessionId}/playwright/execute`, body)).status).toBe(413);
  });

  it("is told that there is no such session", async () => {
    const answer = await client.post("/browsers/nobody/playwright/execute", { code: "return 1" });
    expect(answer.status).toBe(404);
    expect(answer.error.message).toBe("browser session not found");
  });

  it("is told where the deployment has no Dynamic Workers, and everything else works", async () => {
    const { LOADER } = env;
    Reflect.deleteProperty(env, "LOADER");
    try {
      const answer = await client.post(`/browsers/${sessionId}/playwright/execute`, { code: "return 1" });
      expect(answer.status).toBe(501);
      expect(answer.headers.get("x-should-retry")).toBe("false");
      expect(answer.error).toMatchObject({
        code: "not_implemented",
        message: expect.stringContaining("without Dynamic Workers (the binding LOADER)"),
      });
      expect((await client.get(`/browsers/${sessionId}`)).status).toBe(200);
    } finally {
      env.LOADER = LOADER;
    }
    expect(await scripts.result("return 1")).toBe(1);
  });
});

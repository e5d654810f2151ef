import { env } from "cloudflare:workers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sessionSchema } from "../../../src/features/sessions/session-schema.ts";
import { sha256 } from "../../../src/lib/common/hash.ts";
import { type Client, newClient } from "../../api.ts";
import { advanceTime, restart, runAlarm } from "../../objects.ts";
import { createFullPool, endPoolsAfterAll } from "../browser-pools/pools.ts";
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

/** Longer than a script takes to start, shorter than a test may run. */
const LIMIT_SECONDS = 5;

function waitForTitle(scripts: Scripts, title: string): Promise<unknown> {
  return expect
    .poll(() => scripts.result("return await Promise.all(context.pages().map((page) => page.title()))"))
    .toContain(title);
}

/** A script that opens a page with this title, then runs the code. */
const withPage = (title: string, code: string) =>
  `const own = await context.newPage(); await own.goto("data:text/html,<title>${title}</title>"); ${code}`;

describe("a script", () => {
  it("returns its result and output", async () => {
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

  it("gets page, context and browser in the session's viewport", async () => {
    const code = `
      const added = await context.newPage();
      const sizes = await Promise.all([page, added].map((each) => each.evaluate(() => [innerWidth, innerHeight])));
      await added.close();
      return [page.context() === context, browser.contexts()[0] === context, page.viewportSize(), sizes];`;
    const size = [1920, 1080];
    expect(await scripts.result(code)).toEqual([true, true, null, [size, size]]);
  });

  it("sees the page as the last script left it and evaluates functions in it", async () => {
    await scripts.result('await page.goto("data:text/html,<title>Left</title>")');
    const code = `
      const count = await page.evaluate((most) => { let n = 0; while (n < most) n += 1; return n; }, 5);
      await page.waitForFunction(() => document.title === "Left");
      return [page.url(), count];`;
    expect(await scripts.result(code)).toEqual(["data:text/html,<title>Left</title>", 5]);
  });

  it.each(["await page.title();", "return", "return undefined", "return () => 1", "return null"])(
    "returns null for %j",
    async (code) => {
      expect(await scripts.run(code)).toEqual({ success: true, result: null, stdout: "", stderr: "" });
    },
  );

  it("runs TypeScript and reports error lines", async () => {
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

  it("fails with Playwright's error and the line", async () => {
    const code = 'await page.setContent("");\n\nawait page.click("#none", { timeout: 200 });';
    const { success, error, stderr } = await scripts.run(code);
    expect(success).toBe(false);
    expect(error).toMatch(/^page\.click: Timeout 200ms exceeded\.\nCall log:\n/);
    expect(stderr).toMatch(/^TimeoutError: page\.click: .*\n {4}at script \(script\.js:3\)\n$/s);
  });

  it("reports the line of a syntax error", async () => {
    expect(await scripts.run("const a = 1;\nconst b: = 2;")).toEqual({
      success: false,
      error: "Unexpected token (script.js:2)",
      stdout: "",
      stderr: "SyntaxError: Unexpected token (script.js:2)\n    at script.js:2\n",
    });
    expect(await scripts.error("}; while (1); async () => {")).toBe("Unexpected token (script.js:1)");
  });

  it("fails with its output when it times out", async () => {
    const code = 'console.log("begun"); await page.waitForTimeout(60_000);';
    expect(await scripts.run(code, { seconds: LIMIT_SECONDS })).toMatchObject({
      success: false,
      error: `Execution timed out after ${LIMIT_SECONDS * 1000}ms`,
      stdout: "begun\n",
    });
  });

  it.each(["page", "context", "browser"])(
    "can close the %s without affecting the next script",
    async (what) => {
      expect(await scripts.result(`await ${what}.close(); return "closed"`)).toBe("closed");
      const next = 'await page.goto("data:text/html,<title>Next</title>"); return await page.title()';
      expect(await scripts.result(next)).toBe("Next");
    },
  );
});

describe("a script in two sessions of a client", () => {
  it("reuses the Worker but drives its own session's browser", async () => {
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
    [
      "an inherited global property",
      "const was = 'x' in globalThis; Object.prototype.x = 1; return was",
      false,
    ],
    [
      "an overridden method",
      "const was = JSON.stringify({ a: 1 }) + Math.abs(-1); JSON.stringify = () => '0'; Math.abs = () => 2; return was",
      '{"a":1}1',
    ],
    [
      "a deleted global",
      "const was = typeof Promise + typeof URL; delete globalThis.Promise; delete globalThis.URL; return was",
      "functionfunction",
    ],
    [
      "a changed prototype",
      "const was = Object.getPrototypeOf(Map.prototype) === Object.prototype; Object.setPrototypeOf(Map.prototype, null); return was",
      true,
    ],
    [
      "a non-configurable property",
      "const was = 'fixed' in globalThis; Object.defineProperty(globalThis, 'fixed', { value: 1 }); return was",
      false,
    ],
    [
      "frozen globals",
      "const was = Object.isFrozen(Array.prototype); Object.freeze(Array.prototype); return was",
      false,
    ],
    ["console counts", "console.count(); return 1", 1],
  ])("do not see %s from an earlier run", async (_, code, result) => {
    for (let run = 0; run < 2; run += 1) expect(await scripts.result(code)).toEqual(result);
  });

  it("do not see globals from a failed run", async () => {
    const code = "const was = globalThis.left; globalThis.left = 1; throw new Error(String(was))";
    for (let run = 0; run < 2; run += 1) expect(await scripts.error(code)).toBe("undefined");
  });

  it("run concurrently with separate globals", async () => {
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

  it("do not wait for a hanging one", async () => {
    const controller = new AbortController();
    const hanging = scripts.run(withPage("Hanging", "await new Promise(() => {})"), {
      seconds: 60,
      signal: controller.signal,
    });
    await waitForTitle(scripts, "Hanging");
    const first = await Promise.race([hanging.then(() => "hanging"), scripts.result('return "quick"')]);
    expect(first).toBe("quick");
    controller.abort();
    await hanging;
  });
});

describe("the script runner", () => {
  it("cannot be changed by the script", async () => {
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
  it("is found by name", async () => {
    expect(await new Scripts(client, "scripted").result("return 1")).toBe(1);
  });

  it("stays active while a script runs, even after it closed the browser", async () => {
    const { session_id } = await client.createSession({ timeout_seconds: 60 });
    const own = new Scripts(client, session_id);
    const controller = new AbortController();
    const running = own.run(withPage("Left alone", "await browser.close(); await new Promise(() => {})"), {
      seconds: 60,
      signal: controller.signal,
    });
    await waitForTitle(own, "Left alone");
    advanceTime(300_000);
    await runAlarm(session_id);
    expect((await client.get(`/browsers/${session_id}`)).status).toBe(200);
    controller.abort();
    expect((await running).error).toBe("The operation was aborted");
    // The timeout starts at the end of the run.
    advanceTime(59_000);
    await runAlarm(session_id);
    expect((await client.get(`/browsers/${session_id}`)).status).toBe(200);
    advanceTime(2000);
    await runAlarm(session_id);
    expect((await client.get(`/browsers/${session_id}`)).status).toBe(404);
  });

  it("ends its scripts when it ends", async () => {
    const { session_id } = await client.createSession();
    const own = new Scripts(client, session_id);
    const running = own.run(withPage("Waiting", 'console.log("begun"); await new Promise(() => {})'), {
      seconds: 60,
    });
    await waitForTitle(own, "Waiting");
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

  it("fails running scripts when its object crashes, then runs new ones", async () => {
    const { session_id } = await client.createSession();
    const own = new Scripts(client, session_id);
    const running = own.run(withPage("Crashing", "await new Promise(() => {})"), { seconds: 60 });
    await waitForTitle(own, "Crashing");
    await restart(session_id);
    expect((await running).error).toMatch(/^The browser is gone: /);
    expect(await own.result("return 1")).toBe(1);
    await client.delete(`/browsers/${session_id}`);
  });

  it("runs at most ten scripts concurrently", async () => {
    const { session_id } = await client.createSession();
    const body = { code: "await new Promise(() => {})", timeout_sec: 60 };
    const path = `/browsers/${session_id}/playwright/execute`;
    const controller = new AbortController();
    const statuses: number[] = [];
    const running = Array.from({ length: 12 }, async () => {
      const response = await client.call("POST", path, { body, signal: controller.signal });
      statuses.push(response.status);
      return response;
    });
    await expect.poll(() => statuses).toEqual([429, 429]);
    controller.abort();
    const responses = await Promise.all(running);
    expect(responses.map(({ status }) => status).sort()).toEqual([...Array(10).fill(200), 429, 429]);
    const refused = responses.find(({ status }) => status === 429);
    expect(refused?.error.message).toBe("This session already runs 10 pieces of code at once");
    expect(refused?.headers.get("retry-after")).toBe("1");
    expect(await new Scripts(client, session_id).result("return 1")).toBe(1);
    await client.delete(`/browsers/${session_id}`);
  });

  it("ends its scripts when its pool lease ends", async () => {
    const pool = await createFullPool(client, { size: 1 });
    const acquire = async () =>
      (await client.post(`/browser_pools/${pool.id}/acquire`, {})).read(sessionSchema).session_id;
    const leased = await acquire();
    const own = new Scripts(client, leased);
    const running = own.run(withPage("Leased", "await new Promise(() => {})"), { seconds: 60 });
    await waitForTitle(own, "Leased");
    await client.post(`/browser_pools/${pool.id}/release`, { session_id: leased });
    expect((await running).error).toBe("The browser is gone: the browser was returned to its pool");
    expect(await new Scripts(client, await acquire()).result("return 1")).toBe(1);
  });
});

describe("POST /browsers/{id}/playwright/execute", () => {
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
  ])("reports invalid fields in %j", async (body, fields) => {
    const response = await client.post(`/browsers/${sessionId}/playwright/execute`, body);
    expect(response.invalidFields).toEqual(fields);
  });

  it("rejects a body that is too large", async () => {
    const body = { code: `return "${"x".repeat(1024 * 1024)}"` };
    expect((await client.post(`/browsers/${sessionId}/playwright/execute`, body)).status).toBe(413);
  });

  it("returns 404 for an unknown session", async () => {
    const response = await client.post("/browsers/nobody/playwright/execute", { code: "return 1" });
    expect(response.status).toBe(404);
    expect(response.error.message).toBe("browser session not found");
  });

  it("returns 501 without Dynamic Workers while other routes work", async () => {
    const { LOADER } = env;
    Reflect.deleteProperty(env, "LOADER");
    try {
      const response = await client.post(`/browsers/${sessionId}/playwright/execute`, { code: "return 1" });
      expect(response.status).toBe(501);
      expect(response.headers.get("x-should-retry")).toBe("false");
      expect(response.error).toMatchObject({
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

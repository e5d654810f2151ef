import { describe, expect, it } from "vitest";
import { readAddress } from "../../scripts/local/address.ts";
import { readyBanner } from "../../scripts/local/banner.ts";
import { missingSecrets, SECRET_NAMES } from "../../scripts/local/dev-vars.ts";
import { readableLine, toLogLine, toReadableLine } from "../../scripts/local/service-output.ts";
import { workerBindings } from "../../scripts/local/worker-bindings.ts";

describe("workerBindings", () => {
  const vars = { PUBLIC_URL: "", MAX_CONCURRENT_SESSIONS: "100", LOOP_GUARD_MS: "0" };

  it.each([
    ["are those of wrangler.toml with the loop guard", {}, {}, {}],
    ["contain the secrets of .dev.vars", { TOKEN_SECRET: "a" }, {}, { TOKEN_SECRET: "a" }],
    ["prefer .dev.vars", { PUBLIC_URL: "http://a" }, {}, { PUBLIC_URL: "http://a" }],
    ["prefer the environment", { PUBLIC_URL: "http://a" }, { PUBLIC_URL: "" }, { PUBLIC_URL: "" }],
    ["read the loop guard from the environment", {}, { LOOP_GUARD_MS: "9" }, { LOOP_GUARD_MS: "9" }],
    ["ignore secrets of the environment", {}, { TOKEN_SECRET: "b" }, {}],
  ])("%s", (_, devVars, environment, expected) => {
    expect(workerBindings(vars, devVars, environment)).toEqual({
      ...vars,
      LOOP_GUARD_MS: "200",
      OWNS_ALL_BROWSERS: "true",
      BROWSER_LIST_LAG_SECONDS: "0",
      STANDBY_MINIMUM: "1",
      ...expected,
    });
  });
});

describe("readAddress", () => {
  it.each([
    [{}, "http://127.0.0.1:8787"],
    [{ PORT: "9000" }, "http://127.0.0.1:9000"],
    [{ PORT: "", HOST: "" }, "http://127.0.0.1:8787"],
    [{ HOST: "0.0.0.0" }, "http://127.0.0.1:8787"],
    [{ HOST: "::" }, "http://[::1]:8787"],
    [{ HOST: "::1" }, "http://[::1]:8787"],
    [{ HOST: "192.168.1.5", PORT: "80" }, "http://192.168.1.5:80"],
  ])("for %o is %s", (environment, url) => {
    expect(readAddress(environment).url).toBe(url);
  });

  it.each(["abc", "0", "65536", "80.5", "-1"])("rejects PORT %s", (PORT) => {
    expect(() => readAddress({ PORT })).toThrow(`PORT is ${PORT}`);
  });
});

describe("readableLine", () => {
  it.each([
    ["a log line unchanged", '{"event":"x"}', '{"event":"x"}'],
    [
      "the log line of an error without its prefix",
      '\u001b[31m✘ \u001b[41m[ERROR]\u001b[0m {"event":"x"}',
      '{"event":"x"}',
    ],
    ["a line of a stack with its indent", "      at f (index.ts:1:2)", "      at f (index.ts:1:2)"],
    ["no blank line", "  ", undefined],
    [
      "no report of terminated code",
      "✘ [ERROR] e = workerd/io/io-context.c++:1466: failed: script terminated for unknown reasons",
      undefined,
    ],
    [
      "no report of its failed requests",
      "✘ [ERROR] exception = workerd/io/io-context.c++:1466: failed: worker_do_not_log; Request failed",
      undefined,
    ],
    ["no addresses of the runtime", "  stack: /path/to/workerd@33a76d0 /path/to/workerd@33a836c", undefined],
    [
      "other errors of the runtime",
      "✘ [ERROR] e = workerd/x.c++:1: failed: out of order",
      "e = workerd/x.c++:1: failed: out of order",
    ],
  ])("returns %s", (_, line, expected) => {
    expect(readableLine(line)).toBe(expected);
  });
});

describe("toLogLine", () => {
  it.each([
    ['{"event":"x"}', { event: "x" }],
    ["e = workerd/x.c++:1: failed", { event: "runtime_message", message: "e = workerd/x.c++:1: failed" }],
    ["      at f (a.ts:1:2)", { event: "runtime_message", message: "      at f (a.ts:1:2)" }],
  ])("makes an event of %j", (line, expected) => {
    expect(JSON.parse(toLogLine(line))).toEqual(expected);
  });
});

describe("toReadableLine", () => {
  it.each([
    [
      '{"event":"request","method":"GET","route":"/browsers/:id","status":404,"duration_ms":12,"organization_id":"o","error":"not_found"}',
      "09:08:07  GET /browsers/:id 404, 12 ms  organization_id=o error=not_found",
    ],
    [
      '{"event":"session_started","session_id":"s","warm":true,"pool":null}',
      "09:08:07  session started  session_id=s warm=true",
    ],
    [
      '{"event":"sweep_failed","error":"Error: no","stack":"    at f (a.ts:1:2)"}',
      "09:08:07  sweep failed  error=Error: no\n    at f (a.ts:1:2)",
    ],
    ['{"event":"request","status":"odd"}', "09:08:07  request  status=odd"],
    ['{"event":5}', '09:08:07  {"event":5}'],
    ["e = workerd/x.c++:1: failed", "09:08:07  e = workerd/x.c++:1: failed"],
  ])("of %s", (line, expected) => {
    expect(toReadableLine(line, new Date(2026, 0, 1, 9, 8, 7))).toBe(expected);
  });
});

describe("missingSecrets", () => {
  it.each([
    ["none", "TOKEN_SECRET=a\nENCRYPTION_KEY='b='\nADMIN_TOKEN=\"c\"\nOTHER=d\n", []],
    ["an empty secret", "TOKEN_SECRET=a\nENCRYPTION_KEY=b\nADMIN_TOKEN=\n", ["ADMIN_TOKEN"]],
    ["a secret in a comment", "TOKEN_SECRET=a\n# ENCRYPTION_KEY=b\nADMIN_TOKEN=c\n", ["ENCRYPTION_KEY"]],
    ["all", "", SECRET_NAMES],
  ])("returns %s", (_, text, expected) => {
    expect(missingSecrets(text)).toEqual(expected);
  });
});

describe("readyBanner", () => {
  it("quotes keys for the shell if necessary", () => {
    expect(readyBanner("http://x", "berth_a-b_c", "http://x/console")).toContain(
      "KERNEL_API_KEY=berth_a-b_c\n",
    );
    expect(readyBanner("http://x", "a'b$c", "http://x/console")).toContain("KERNEL_API_KEY='a'\\''b$c'\n");
  });

  it("has three commands with balanced single quotes", () => {
    const lines = readyBanner("http://x", "k", "http://x/console#sign-in=a")
      .split("\n")
      .filter((line) => /^ {2}(export|node) /.test(line));
    expect(lines).toHaveLength(3);
    for (const line of lines) expect(line.split("'").length % 2).toBe(1);
  });
});

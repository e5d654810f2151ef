/** Long enough for a script to be stopped for other reasons first, on a slow machine too. */
export const TIMEOUT_SECONDS = 10;

const BLOCKED = /^The code blocked the event loop for 200 ms \(an endless loop\?\)$/;
const TIMED_OUT = new RegExp(`^Execution timed out after ${TIMEOUT_SECONDS * 1000}ms$`);
const COMPILE_TIMEOUT = /^The code takes more than 2000 ms to compile$/;
const CORRUPTED = /^The code (corrupted the report of its own run|ended without a result)$/;

/** Scripts that would harm the service without limits, and their errors. */
export const HOSTILE_SCRIPTS: Record<string, [code: string, error: RegExp]> = {
  "an endless loop": ["for (;;);", BLOCKED],
  "an endless loop that catches": ["for (;;) { try { for (;;); } catch {} }", BLOCKED],
  "an endless loop after an await": ["await page.title(); while (true) {}", BLOCKED],
  "an endless loop in a handler": [
    'page.on("console", () => { for (;;); }); await page.evaluate(() => console.log("")); await new Promise(() => {});',
    BLOCKED,
  ],
  "an endless loop in a timer": [
    "setTimeout(() => { for (;;); }, 10); await new Promise(() => {});",
    BLOCKED,
  ],
  "an endless loop in toJSON of the result": ["return { toJSON() { for (;;); } };", BLOCKED],
  "an endless loop in the error's message getter": [
    'const e = new Error(); Object.defineProperty(e, "message", { get() { for (;;); } }); throw e;',
    BLOCKED,
  ],
  "an endless loop without a clock": [
    "Date.now = () => 1; globalThis.setTimeout = () => 1; for (;;);",
    BLOCKED,
  ],
  "endless promises": ["for (;;) await null;", BLOCKED],
  "endless recursive promises": ["const f = () => Promise.resolve().then(f, f); await f();", BLOCKED],
  "infinite recursion": ["const f = () => f(); f();", /^Maximum call stack size exceeded$/],
  "infinite recursion that catches": ["const f = () => { try { f() } finally { f() } }; f();", BLOCKED],
  "a promise that never settles": ["await new Promise(() => {});", TIMED_OUT],
  "a promise that never settles, with timers": [
    "setInterval(() => {}, 1); await new Promise(() => {});",
    TIMED_OUT,
  ],
  "a result that never settles": ["return { then() {} };", TIMED_OUT],
  "work that outlives the script": [
    '(await import("cloudflare:workers")).waitUntil(new Promise(() => {})); await new Promise(() => {});',
    TIMED_OUT,
  ],
  "cleared timers": [
    "for (let id = 0; id < 1000; id++) clearTimeout(id); await new Promise(() => {});",
    TIMED_OUT,
  ],
  abortIsolate: ['(await import("cloudflare:workers")).abortIsolate("");', TIMED_OUT],
  "process.exit": ["process.exit(0);", /process\.exit\(0\) API was called/],
  "process.abort": ["process.abort();", /process\.exit\(1\) API was called/],
  "endless lines": ['for (;;) console.log("line");', /^More than 1 MiB were logged$/],
  "endless empty lines": ["for (;;) console.error();", /^More than 1 MiB were logged$/],
  "endless lines with pauses": [
    'for (;;) { console.log("x".repeat(10_000)); await new Promise((resolve) => setTimeout(resolve)); }',
    /^More than 1 MiB were logged$/,
  ],
  "a huge line": ['console.log("x".repeat(2 ** 24));', /^More than 1 MiB were logged$/],
  "a result of 5 MB": ['return "x".repeat(5e6);', /^The result has more than 4\.5 MiB as JSON$/],
  "a result of 400 MB": ['return "x".repeat(4e8);', /^The result has more than 4\.5 MiB as JSON$/],
  "a circular result": [
    "const a = {}; a.a = a; return a;",
    /^The result cannot be serialized as JSON: .*circular/,
  ],
  "a result that is not JSON": ["return 1n;", /^The result cannot be serialized as JSON: .*BigInt/],
  "a result whose toJSON throws": [
    "return { toJSON() { throw null } };",
    /^The result cannot be serialized as JSON: null$/,
  ],
  "throw null": ["throw null;", /^null$/],
  "throw of a string": ['throw "text";', /^text$/],
  "throw undefined": ["throw undefined;", /^undefined$/],
  "throw of a proxy": [
    "const no = () => { throw new Error() }; throw new Proxy({}, { get: no, has: no, getPrototypeOf: no, ownKeys: no });",
    /^Something was thrown that cannot be described$/,
  ],
  "throw of an error with throwing getters": [
    'const e = new Error(); for (const k of ["name", "message", "stack"]) Object.defineProperty(e, k, { get() { throw 1 } }); throw e;',
    /^Something was thrown that cannot be described$/,
  ],
  "throw of an error of 50 MB": ['throw new Error("x".repeat(5e7));', /^x{10000}…$/],
  "a closed report": [
    'const { write } = WritableStreamDefaultWriter.prototype; WritableStreamDefaultWriter.prototype.write = function (bytes) { this.close(); return write.call(this, bytes); }; console.log("x");',
    CORRUPTED,
  ],
  "a forged report": [
    'const { write } = WritableStreamDefaultWriter.prototype; WritableStreamDefaultWriter.prototype.write = function () { return write.call(this, new TextEncoder().encode(\'{"done":{"ok":true,"json":"{"}}\\n\')); }; console.log("x");',
    CORRUPTED,
  ],
  "a huge report": [
    'const { write } = WritableStreamDefaultWriter.prototype; WritableStreamDefaultWriter.prototype.write = function () { return write.call(this, new Uint8Array(6e7)); }; console.log("x");',
    CORRUPTED,
  ],
  "code that closes its function": ["}; for (;;); async () => {", /^Unexpected token \(script\.js:1\)$/],
  "deeply nested code": ["(".repeat(100_000), /^The code is nested too deeply to compile$/],
  "exponential parsing of arrow functions": [`${"(a=".repeat(40)}0${")=>0".repeat(40)}`, COMPILE_TIMEOUT],
  "exponential parsing of typed arrow functions": [
    `${"(a: number = ".repeat(40)}0${") => 0".repeat(40)}`,
    COMPILE_TIMEOUT,
  ],
  "exponential parsing of classes": [`${"x = class { a = ".repeat(40)}0${"}".repeat(40)}`, COMPILE_TIMEOUT],
  "uncaught errors": [
    'setTimeout(() => { throw new Error("nobody\'s") }); Promise.reject(new Error("lost")); await new Promise(() => {});',
    TIMED_OUT,
  ],
};

/** Scripts that change their runtime's globals and still succeed. */
export const GLOBAL_TAMPERING_SCRIPTS: Record<string, string> = {
  "replaced JSON": 'JSON.stringify = () => "{}"; JSON.parse = () => 1; console.log("line");',
  "replaced TextEncoder":
    'TextEncoder.prototype.encode = () => new Uint8Array(); globalThis.TextEncoder = null; console.log("line");',
  "removed console": 'console.log("line"); globalThis.console = null;',
  "replaced Promise":
    'console.log("line"); Promise.prototype.then = () => {}; Promise.race = null; globalThis.Promise = null;',
  "removed array methods":
    'console.log("line"); Array.prototype[Symbol.iterator] = null; Array.prototype.push = null; Array.prototype.map = null;',
  "deleted globals":
    'console.log("line"); for (const key of Reflect.ownKeys(globalThis)) try { delete globalThis[key] } catch {}',
  "frozen globals":
    'console.log("line"); for (const value of [globalThis, Object.prototype, Array.prototype]) Object.freeze(value);',
  "properties on Object.prototype":
    'console.log("line"); for (const key of ["get", "set", "value", "then", "toJSON"]) Object.prototype[key] = undefined;',
  "work that outlives the script":
    'console.log("line"); setInterval(() => {}, 1); (await import("cloudflare:workers")).waitUntil(new Promise(() => {}));',
};

/** What a hostile script is given: enough to start and to be stopped before, on a slow machine too. */
export const TIMEOUT_SECONDS = 10;

const LOOPED = /^The code blocked the event loop for 200 ms \(an endless loop\?\)$/;
const TIMED_OUT = new RegExp(`^Execution timed out after ${TIMEOUT_SECONDS * 1000}ms$`);
const UNREADABLE = /^The code takes more than 2000 ms to compile$/;
const BROKEN = /^The code (corrupted the report of its own run|ended without a result)$/;

/** Scripts that would harm the service or those beside them, were nothing to bound them, and how each ends. */
export const HOSTILE_SCRIPTS: Record<string, [code: string, error: RegExp]> = {
  "an endless loop": ["for (;;);", LOOPED],
  "an endless loop that catches": ["for (;;) { try { for (;;); } catch {} }", LOOPED],
  "an endless loop after an await": ["await page.title(); while (true) {}", LOOPED],
  "an endless loop in a handler": [
    'page.on("console", () => { for (;;); }); await page.evaluate(() => console.log("")); await new Promise(() => {});',
    LOOPED,
  ],
  "an endless loop in a timer": ["setTimeout(() => { for (;;); }, 10); await new Promise(() => {});", LOOPED],
  "an endless loop as the result is read": ["return { toJSON() { for (;;); } };", LOOPED],
  "an endless loop as the error is read": [
    'const e = new Error(); Object.defineProperty(e, "message", { get() { for (;;); } }); throw e;',
    LOOPED,
  ],
  "an endless loop without a clock": [
    "Date.now = () => 1; globalThis.setTimeout = () => 1; for (;;);",
    LOOPED,
  ],
  "promises without end": ["for (;;) await null;", LOOPED],
  "promises without end, by recursion": ["const f = () => Promise.resolve().then(f, f); await f();", LOOPED],
  "a recursion": ["const f = () => f(); f();", /^Maximum call stack size exceeded$/],
  "a recursion that never gives up": ["const f = () => { try { f() } finally { f() } }; f();", LOOPED],
  "a promise that never settles": ["await new Promise(() => {});", TIMED_OUT],
  "a promise that never settles, and timers": [
    "setInterval(() => {}, 1); await new Promise(() => {});",
    TIMED_OUT,
  ],
  "a result that never settles": ["return { then() {} };", TIMED_OUT],
  "work that outlives the script": [
    '(await import("cloudflare:workers")).waitUntil(new Promise(() => {})); await new Promise(() => {});',
    TIMED_OUT,
  ],
  "no time-out any more": [
    "for (let id = 0; id < 1000; id++) clearTimeout(id); await new Promise(() => {});",
    TIMED_OUT,
  ],
  "an end of its own isolate": ['(await import("cloudflare:workers")).abortIsolate("");', TIMED_OUT],
  "an end of its process": ["process.exit(0);", /process\.exit\(0\) API was called/],
  "a crash of its process": ["process.abort();", /process\.exit\(1\) API was called/],
  "lines without end": ['for (;;) console.log("line");', /^More than 1 MiB were logged$/],
  "empty lines without end": ["for (;;) console.error();", /^More than 1 MiB were logged$/],
  "lines without end, bit by bit": [
    'for (;;) { console.log("x".repeat(10_000)); await new Promise((resolve) => setTimeout(resolve)); }',
    /^More than 1 MiB were logged$/,
  ],
  "one line without end": ['console.log("x".repeat(2 ** 24));', /^More than 1 MiB were logged$/],
  "a result of 5 MB": ['return "x".repeat(5e6);', /^The result has more than 4\.5 MiB as JSON$/],
  "a result of 400 MB": ['return "x".repeat(4e8);', /^The result has more than 4\.5 MiB as JSON$/],
  "a result in itself": [
    "const a = {}; a.a = a; return a;",
    /^The result cannot be serialized as JSON: .*circular/,
  ],
  "a result that is no JSON": ["return 1n;", /^The result cannot be serialized as JSON: .*BigInt/],
  "a result that throws": [
    "return { toJSON() { throw null } };",
    /^The result cannot be serialized as JSON: null$/,
  ],
  "null, thrown": ["throw null;", /^null$/],
  "a string, thrown": ['throw "text";', /^text$/],
  "nothing, thrown": ["throw undefined;", /^undefined$/],
  "a proxy, thrown": [
    "const no = () => { throw new Error() }; throw new Proxy({}, { get: no, has: no, getPrototypeOf: no, ownKeys: no });",
    /^Something was thrown that cannot be described$/,
  ],
  "an error with throwing getters, thrown": [
    'const e = new Error(); for (const k of ["name", "message", "stack"]) Object.defineProperty(e, k, { get() { throw 1 } }); throw e;',
    /^Something was thrown that cannot be described$/,
  ],
  "an error of 50 MB, thrown": ['throw new Error("x".repeat(5e7));', /^x{10000}…$/],
  "a report that is ended": [
    'const { write } = WritableStreamDefaultWriter.prototype; WritableStreamDefaultWriter.prototype.write = function (bytes) { this.close(); return write.call(this, bytes); }; console.log("x");',
    BROKEN,
  ],
  "a report that is forged": [
    'const { write } = WritableStreamDefaultWriter.prototype; WritableStreamDefaultWriter.prototype.write = function () { return write.call(this, new TextEncoder().encode(\'{"done":{"ok":true,"json":"{"}}\\n\')); }; console.log("x");',
    BROKEN,
  ],
  "a report without end": [
    'const { write } = WritableStreamDefaultWriter.prototype; WritableStreamDefaultWriter.prototype.write = function () { return write.call(this, new Uint8Array(6e7)); }; console.log("x");',
    BROKEN,
  ],
  "code that leaves its function": ["}; for (;;); async () => {", /^Unexpected token \(script\.js:1\)$/],
  "code that is nested without end": ["(".repeat(100_000), /^The code is nested too deeply$/],
  "code that is read twice at each level": [`${"(a=".repeat(40)}0${")=>0".repeat(40)}`, UNREADABLE],
  "code with types that is read twice at each level": [
    `${"(a: number = ".repeat(40)}0${") => 0".repeat(40)}`,
    UNREADABLE,
  ],
  "classes that are read twice at each level": [
    `${"x = class { a = ".repeat(40)}0${"}".repeat(40)}`,
    UNREADABLE,
  ],
  "uncaught errors": [
    'setTimeout(() => { throw new Error("nobody\'s") }); Promise.reject(new Error("lost")); await new Promise(() => {});',
    TIMED_OUT,
  ],
};

/** Scripts that meddle with what runs them, and still come to their own end. */
export const MEDDLING_SCRIPTS: Record<string, string> = {
  "another JSON": 'JSON.stringify = () => "{}"; JSON.parse = () => 1; console.log("line");',
  "another TextEncoder":
    'TextEncoder.prototype.encode = () => new Uint8Array(); globalThis.TextEncoder = null; console.log("line");',
  "another console": 'console.log("line"); globalThis.console = null;',
  "another Promise":
    'console.log("line"); Promise.prototype.then = () => {}; Promise.race = null; globalThis.Promise = null;',
  "other arrays":
    'console.log("line"); Array.prototype[Symbol.iterator] = null; Array.prototype.push = null; Array.prototype.map = null;',
  "no globals":
    'console.log("line"); for (const key of Reflect.ownKeys(globalThis)) try { delete globalThis[key] } catch {}',
  "frozen globals":
    'console.log("line"); for (const value of [globalThis, Object.prototype, Array.prototype]) Object.freeze(value);',
  "other properties of all objects":
    'console.log("line"); for (const key of ["get", "set", "value", "then", "toJSON"]) Object.prototype[key] = undefined;',
  "work that outlives it":
    'console.log("line"); setInterval(() => {}, 1); (await import("cloudflare:workers")).waitUntil(new Promise(() => {}));',
};

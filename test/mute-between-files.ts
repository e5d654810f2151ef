/**
 * Durable Objects keep working after the test file that used them, and vitest fails a run in which something
 * logs after the last file.
 */
import { afterAll, beforeAll } from "vitest";

const CONSOLE = Symbol.for("console of the tests");

const original: Console = Reflect.get(globalThis, CONSOLE) ?? console;
Reflect.set(globalThis, CONSOLE, original);

const muted = new Proxy(original, { get: () => () => undefined });

beforeAll(() => {
  Reflect.set(globalThis, "console", original);
});
afterAll(() => {
  Reflect.set(globalThis, "console", muted);
});

/** Durable Objects keep working after their test file, and vitest fails if something logs after the last. */
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

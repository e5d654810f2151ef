/**
 * Objects go on after the test file that has begun their work, and vitest fails a run when they write to the console
 * after its last file.
 */
import { afterAll, beforeAll } from "vitest";

const KEPT = Symbol.for("console of the tests");

const kept: Console = Reflect.get(globalThis, KEPT) ?? console;
Reflect.set(globalThis, KEPT, kept);

const muted = new Proxy(kept, { get: () => () => undefined });

beforeAll(() => {
  Reflect.set(globalThis, "console", kept);
});
afterAll(() => {
  Reflect.set(globalThis, "console", muted);
});

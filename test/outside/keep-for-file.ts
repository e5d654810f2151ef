import { afterAll } from "vitest";

/** Disposes of what a test file opens while it is loaded, after its tests. */
export function keepForFile<T extends AsyncDisposable>(resource: T): T {
  afterAll(() => resource[Symbol.asyncDispose]());
  return resource;
}

import { vi } from "vitest";

const TIMEOUT_MS = 30_000;
const INTERVAL_MS = 50;

/** Waits until what is expected here holds. Unlike `expect.poll`, also in tests that run at the same time. */
export function soon(expectation: () => unknown): Promise<void> {
  return vi.waitFor(async () => void (await expectation()), { timeout: TIMEOUT_MS, interval: INTERVAL_MS });
}

import { vi } from "vitest";

const TIMEOUT_MS = 60_000;
const INTERVAL_MS = 50;

/** Retries an expectation until it passes. Unlike `expect.poll`, it works in concurrent tests. */
export function eventually(expectation: () => unknown): Promise<void> {
  return vi.waitFor(async () => void (await expectation()), { timeout: TIMEOUT_MS, interval: INTERVAL_MS });
}

import type Kernel from "@onkernel/sdk";
import { expect } from "vitest";

const TIMEOUT_MS = 60_000;

export async function waitForAvailable(kernel: Kernel, pool: string, count: number): Promise<void> {
  const available = async () => (await kernel.browserPools.retrieve(pool)).available_count;
  await expect.poll(available, { timeout: TIMEOUT_MS, interval: 100 }).toBe(count);
}

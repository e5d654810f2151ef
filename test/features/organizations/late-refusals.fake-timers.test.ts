import { afterEach, expect, it, vi } from "vitest";
import { newClient } from "../../api.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

it("answers the 22nd refused call late, and no call that is not refused", async () => {
  const client = await newClient({ max_concurrent_sessions: 0 });
  vi.useFakeTimers({ toFake: ["Date"] });
  const setTimeout = vi.spyOn(globalThis, "setTimeout");
  const delays = () =>
    setTimeout.mock.calls.map(([, delayMs]) => delayMs).filter((ms) => ms === 50 || ms === 100);
  const statuses = new Set<number>();
  for (let count = 0; count < 21; count += 1) statuses.add((await client.post("/browsers")).status);
  expect(delays()).toEqual([]);
  for (let count = 0; count < 2; count += 1) statuses.add((await client.post("/browsers")).status);
  expect([[...statuses], delays()]).toEqual([[429], [50, 100]]);
  expect((await client.get("/browsers")).status).toBe(200);
  expect(delays()).toHaveLength(2);
});

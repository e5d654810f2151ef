import { beforeEach, expect, it, vi } from "vitest";
import { OverrunTurns } from "../../../src/features/playwright/overrun-turns.ts";

beforeEach(() => void vi.useFakeTimers());

it("lets others run between the code of an organization that blocks the event loop", async () => {
  const turns = new OverrunTurns();
  const begun: number[] = [];
  const startedAt = Date.now();
  const begin = (organization: string) =>
    turns.wait(organization).then(() => begun.push(Date.now() - startedAt));
  await Promise.all([begin("a"), begin("a")]);
  expect(begun.splice(0)).toEqual([0, 0]);
  turns.end("a", true);
  turns.end("a", true);
  const waiting = [begin("a"), begin("a"), begin("b")];
  await expect(begin("a")).rejects.toMatchObject({ code: "too_many_requests", retryAfterSeconds: 12 });
  await vi.advanceTimersByTimeAsync(8000);
  await Promise.all(waiting);
  expect(begun.splice(0)).toEqual([0, 4000, 8000]);
  turns.end("a", false);
  await begin("a");
  expect(begun).toEqual([8000]);
});

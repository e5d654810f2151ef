import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { isRunActive } from "../../../src/apps/invocations/active-runs.ts";
import { runKeys } from "../../../src/apps/invocations/run-key.ts";
import { newIdentifier } from "../../../src/common/identifiers.ts";
import { passTime } from "../../objects.ts";

const newRun = () => ({ organizationId: newIdentifier(), invocationId: newIdentifier() });

beforeEach(() => {
  // The clock stands still.
  passTime(0);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

it("asks each invocation once a second", async () => {
  const ask = vi.spyOn(runKeys, "isActive").mockResolvedValue(true);
  const [run, other] = [newRun(), newRun()];
  for (const asked of [run, run, other, run, other]) expect(await isRunActive(env, asked)).toBe(true);
  expect(ask.mock.calls).toEqual([
    [env, run],
    [env, other],
  ]);
  ask.mockClear().mockResolvedValue(false);
  passTime(999);
  expect(await isRunActive(env, run)).toBe(true);
  expect(ask).not.toHaveBeenCalled();
  passTime(1);
  for (const asked of [run, run]) expect(await isRunActive(env, asked)).toBe(false);
  expect(ask.mock.calls).toEqual([[env, run]]);
});

it("asks again where there was no answer", async () => {
  vi.spyOn(runKeys, "isActive").mockRejectedValueOnce(new Error("no answer")).mockResolvedValue(true);
  const run = newRun();
  await expect(isRunActive(env, run)).rejects.toThrow("no answer");
  expect(await isRunActive(env, run)).toBe(true);
});

it("knows no invocation that there is not", async () => {
  expect(await isRunActive(env, newRun())).toBe(false);
});

import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { isRunActive } from "../../../../src/features/apps/invocations/active-runs.ts";
import { runKeys } from "../../../../src/features/apps/invocations/run-key.ts";
import { newIdentifier } from "../../../../src/lib/common/identifiers.ts";
import { advanceTime } from "../../../objects.ts";

const newRun = () => ({ organizationId: newIdentifier(), projectId: "", invocationId: newIdentifier() });

beforeEach(() => {
  advanceTime(0);
});
afterEach(() => {
  vi.restoreAllMocks();
});

it("checks each invocation at most once a second", async () => {
  const check = vi.spyOn(runKeys, "isActive").mockResolvedValue(true);
  const [run, other] = [newRun(), newRun()];
  for (const checked of [run, run, other, run, other]) expect(await isRunActive(env, checked)).toBe(true);
  expect(check.mock.calls).toEqual([
    [env, run],
    [env, other],
  ]);
  check.mockClear().mockResolvedValue(false);
  advanceTime(999);
  expect(await isRunActive(env, run)).toBe(true);
  expect(check).not.toHaveBeenCalled();
  advanceTime(1);
  for (const checked of [run, run]) expect(await isRunActive(env, checked)).toBe(false);
  expect(check.mock.calls).toEqual([[env, run]]);
});

it("checks again after a failed check", async () => {
  vi.spyOn(runKeys, "isActive").mockRejectedValueOnce(new Error("no answer")).mockResolvedValue(true);
  const run = newRun();
  await expect(isRunActive(env, run)).rejects.toThrow("no answer");
  expect(await isRunActive(env, run)).toBe(true);
});

it("is false for an unknown invocation", async () => {
  expect(await isRunActive(env, newRun())).toBe(false);
});

import { beforeEach, describe, expect, it, vi } from "vitest";
import {
  Activity,
  idleSinceAfterRestart,
  type PersistedActivity,
} from "../../../src/features/sessions/activity.ts";

const TIMEOUT_MS = 60_000;

describe("Activity", () => {
  let persisted: PersistedActivity[];
  let activity: Activity;

  beforeEach(() => {
    vi.useFakeTimers({ now: 1_000_000 });
    persisted = [];
    activity = new Activity(1_000_000, (change) => persisted.push(change));
  });

  it("expires when it has been idle for the timeout", () => {
    expect(activity.expiresAt(TIMEOUT_MS)).toBe(1_060_000);
    expect(persisted).toEqual([]);
  });

  it("does not expire while in use", () => {
    activity.begin();
    vi.advanceTimersByTime(TIMEOUT_MS * 1000);
    expect(activity.expiresAt(TIMEOUT_MS)).toBeUndefined();
    expect(persisted).toEqual([{ idleSince: null }]);
  });

  it("starts the timeout when the last of several uses ends", () => {
    const first = activity.begin();
    const second = activity.begin();
    vi.advanceTimersByTime(5000);
    first[Symbol.dispose]();
    expect(activity.expiresAt(TIMEOUT_MS)).toBeUndefined();
    vi.advanceTimersByTime(5000);
    second[Symbol.dispose]();
    expect(activity.expiresAt(TIMEOUT_MS)).toBe(1_010_000 + TIMEOUT_MS);
    expect(persisted).toEqual([{ idleSince: null }, { idleSince: 1_010_000 }]);
  });

  it("restarts the timeout with each use", () => {
    activity.begin()[Symbol.dispose]();
    vi.advanceTimersByTime(30_000);
    activity.begin()[Symbol.dispose]();
    expect(activity.expiresAt(TIMEOUT_MS)).toBe(1_030_000 + TIMEOUT_MS);
  });

  it("ignores a second end of a use", () => {
    const first = activity.begin();
    activity.begin();
    first[Symbol.dispose]();
    first[Symbol.dispose]();
    expect(activity.expiresAt(TIMEOUT_MS)).toBeUndefined();
  });
});

describe("idleSinceAfterRestart", () => {
  it.each([
    ["keeps the stored time when it was idle", { idleSince: 5 }, 5],
    ["starts now when it was in use", { idleSince: null }, 100],
    ["starts now when nothing was stored", undefined, 100],
  ])("%s", (_, persisted, idleSince) => {
    expect(idleSinceAfterRestart(persisted, 100)).toBe(idleSince);
  });
});

import { describe, expect, it } from "vitest";
import { QUIET_MS, SilenceWatch } from "../../../src/platform/browser/relay/silence-watch.ts";

describe("SilenceWatch", () => {
  it("waits without a limit while no command is pending", () => {
    const watch = new SilenceWatch(0);
    expect(watch.check(QUIET_MS * 100).action).toBe("wait");
  });

  it("waits for the quiet time, then probes, then gives up", () => {
    const watch = new SilenceWatch(0);
    watch.commandSent(5);
    expect(watch.check(5)).toEqual({ action: "wait", ms: QUIET_MS });
    expect(watch.check(5 + QUIET_MS)).toEqual({ action: "probe" });
    expect(watch.check(5 + QUIET_MS + 1)).toEqual({ action: "wait", ms: QUIET_MS - 1 });
    expect(watch.check(5 + 2 * QUIET_MS)).toEqual({ action: "give-up" });
  });

  it("restarts on any frame", () => {
    const watch = new SilenceWatch(0);
    watch.commandSent(0);
    expect(watch.check(QUIET_MS)).toEqual({ action: "probe" });
    watch.frameReceived(QUIET_MS + 1, { isAnswer: false });
    expect(watch.check(QUIET_MS + 1)).toEqual({ action: "wait", ms: QUIET_MS });
    expect(watch.check(2 * QUIET_MS + 1)).toEqual({ action: "probe" });
  });

  it("waits again once every command is answered", () => {
    const watch = new SilenceWatch(0);
    watch.commandSent(0);
    watch.commandSent(1);
    watch.frameReceived(2, { isAnswer: true });
    expect(watch.check(3 + QUIET_MS)).toEqual({ action: "probe" });
    watch.frameReceived(4 + QUIET_MS, { isAnswer: true });
    expect(watch.check(10 * QUIET_MS).action).toBe("wait");
    expect(watch.check(100 * QUIET_MS).action).toBe("wait");
  });
});

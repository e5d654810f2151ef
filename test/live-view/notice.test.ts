import { describe, expect, it } from "vitest";
import { noticeFor } from "../../src/live-view/page/notice.ts";

const activeTab = { id: "1", title: "", url: "about:blank", isLoading: false, hasCrashed: false };
const live = {
  connection: "live" as const,
  endReason: "",
  activeTab: { ...activeTab },
  knowsTabs: true,
  canControl: true,
};
const crashed = { activeTab: { ...activeTab, hasCrashed: true } };
const noTab = { activeTab: undefined };

describe("noticeFor", () => {
  it("is quiet while the page speaks for itself, or its tabs are yet to come", () => {
    expect(noticeFor(live)).toBeUndefined();
    expect(noticeFor({ ...live, ...noTab, knowsTabs: false })).toBeUndefined();
  });

  it.each([
    ["connecting", { connection: "connecting" as const, ...noTab }, { kind: "stage", isBusy: true }],
    ["lost", { connection: "lost" as const, ...crashed }, { kind: "pill", isBusy: true }],
    [
      "ended",
      { connection: "ended" as const, endReason: "Deleted.", ...crashed },
      { kind: "full", text: "Deleted." },
    ],
    ["crashed", crashed, { kind: "stage", action: { does: "reload" } }],
    ["crashed, for a watcher", { ...crashed, canControl: false }, { kind: "stage", action: null }],
    ["without a tab", noTab, { kind: "stage", action: { does: "open-tab" } }],
    ["without a tab, for a watcher", { ...noTab, canControl: false }, { kind: "stage", action: null }],
  ])("says how it is: %s", (_, state, notice) => {
    expect(noticeFor({ ...live, ...state })).toMatchObject(notice);
  });
});

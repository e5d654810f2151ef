import { describe, expect, it } from "vitest";
import { noticeFor } from "../../../web/live-view/notice.ts";

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
  it("returns nothing while the page is shown or the tabs are unknown", () => {
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
    ["crashed, read-only", { ...crashed, canControl: false }, { kind: "stage", action: null }],
    ["without a tab", noTab, { kind: "stage", action: { does: "open-tab" } }],
    ["without a tab, read-only", { ...noTab, canControl: false }, { kind: "stage", action: null }],
  ])("describes the state: %s", (_, state, notice) => {
    expect(noticeFor({ ...live, ...state })).toMatchObject(notice);
  });
});

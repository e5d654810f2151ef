import { describe, expect, it } from "vitest";
import type { ViewEndCause } from "../../../src/features/live-view/index.ts";
import { noticeFor } from "../../../web/live-view/notice.ts";

const activeTab = { id: "1", title: "", url: "about:blank", isLoading: false, hasCrashed: false };
const live = {
  connection: "live" as const,
  ended: { cause: "session" as const, reason: "" },
  activeTab: { ...activeTab },
  knowsTabs: true,
  canControl: true,
};
const crashed = { activeTab: { ...activeTab, hasCrashed: true } };
const noTab = { activeTab: undefined };
const over = (cause: ViewEndCause, reason: string) => ({
  connection: "ended" as const,
  ended: { cause, reason },
});

describe("noticeFor", () => {
  it("returns nothing while the page is shown or the tabs are unknown", () => {
    expect(noticeFor(live)).toBeUndefined();
    expect(noticeFor({ ...live, ...noTab, knowsTabs: false })).toBeUndefined();
  });

  it.each([
    ["connecting", { connection: "connecting" as const, ...noTab }, { kind: "stage", isBusy: true }],
    ["lost", { connection: "lost" as const, ...crashed }, { kind: "pill", isBusy: true }],
    [
      "the session's end",
      { ...over("session", "the session ended: deleted by a call"), ...crashed },
      { kind: "full", title: "The session has ended", text: "Deleted by a call" },
    ],
    [
      "the session's end, as asked for later",
      { ...over("session", "This session has ended: deleted by a call"), ...crashed },
      { kind: "full", title: "The session has ended", text: "Deleted by a call" },
    ],
    [
      "a bad link",
      over("link", "this address was revoked"),
      { title: "This link does not work", text: "This address was revoked" },
    ],
    ["a handoff's end", over("use", "Done."), { title: "Done.", text: "You can close this page." }],
    ["crashed", crashed, { kind: "stage", action: { does: "reload" } }],
    ["crashed, read-only", { ...crashed, canControl: false }, { kind: "stage", action: null }],
    ["without a tab", noTab, { kind: "stage", action: { does: "open-tab" } }],
    ["without a tab, read-only", { ...noTab, canControl: false }, { kind: "stage", action: null }],
  ])("describes the state: %s", (_, state, notice) => {
    expect(noticeFor({ ...live, ...state })).toMatchObject(notice);
  });
});

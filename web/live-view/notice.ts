import type { TabView } from "../../src/features/live-view/protocol.ts";

export type ConnectionState = "connecting" | "live" | "lost" | "ended";

export interface NoticeInput {
  connection: ConnectionState;
  endReason: string;
  activeTab: TabView | undefined;
  knowsTabs: boolean;
  canControl: boolean;
}

export interface Notice {
  kind: "full" | "stage" | "pill";
  title: string;
  text: string;
  isBusy: boolean;
  action: { label: string; does: "reload" | "open-tab" } | null;
}

export function noticeFor(input: NoticeInput): Notice | undefined {
  const { connection, activeTab, canControl } = input;
  const quiet = { text: "", isBusy: false, action: null };
  if (connection === "ended") {
    return { ...quiet, kind: "full", title: "This live view has ended", text: input.endReason };
  }
  if (connection === "connecting") {
    return { ...quiet, kind: "stage", title: "Connecting to the browser…", isBusy: true };
  }
  if (connection === "lost") {
    return { ...quiet, kind: "pill", title: "Connection lost. Reconnecting…", isBusy: true };
  }
  if (activeTab?.hasCrashed) {
    const action = canControl ? { label: "Reload", does: "reload" as const } : null;
    return { ...quiet, kind: "stage", title: "This page crashed", text: "Its tab is still open.", action };
  }
  if (activeTab === undefined && input.knowsTabs) {
    const action = canControl ? { label: "Open a tab", does: "open-tab" as const } : null;
    return { ...quiet, kind: "stage", title: "No tab is open", action };
  }
  return undefined;
}

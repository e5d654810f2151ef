import type { TabView, ViewEndCause } from "../../src/features/live-view/protocol.ts";

export type ConnectionState = "connecting" | "live" | "lost" | "ended";

export interface ViewEnd {
  cause: ViewEndCause;
  reason: string;
}

export interface NoticeInput {
  connection: ConnectionState;
  ended: ViewEnd;
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
    return { ...quiet, kind: "full", ...wordsOfEnd(input.ended) };
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

function wordsOfEnd({ cause, reason }: ViewEnd): Pick<Notice, "title" | "text"> {
  const text = reason.replace(/^(?:the session ended: |this session has ended: )?(.)/i, (_, first: string) =>
    first.toUpperCase(),
  );
  if (cause === "session") return { title: "The session has ended", text };
  if (cause === "link") return { title: "This link does not work", text };
  return { title: text, text: "You can close this page." };
}

import type { Viewport } from "../../../platform/browser/index.ts";
import type { Computer } from "../../computer/index.ts";
import { type FrontScreencast, LiveView } from "../../live-view/index.ts";
import { findSession } from "../queries.ts";
import type { SessionHandoffs } from "./handoffs.ts";
import type { ConnectionScope } from "./scope.ts";

interface Parts {
  screencast: FrontScreencast;
  computer: Computer;
  handoffs: SessionHandoffs;
  viewport: () => Viewport;
  /** Called when a viewer has come or gone. */
  onViewer: () => void;
}

/** The live view of a session's browser. */
export function openLiveView(scope: ConnectionScope, { onViewer, ...parts }: Parts): LiveView {
  const { state } = scope;
  const liveView = new LiveView({
    ...parts,
    kiosk: () => scope.record?.kioskMode ?? false,
    describe: async () => {
      const record = state.requireLiving();
      const row = await findSession(state.database, record, record.id, { includeEnded: false });
      return { name: row?.name ?? null, endsAt: state.deadlines.get("lifetime") ?? null };
    },
    maxWidth: () => state.settings.liveViewFrames.maxWidth,
    beginUse: () => scope.activity.begin(),
    identify: () => state.identity,
    onViewer: (type, data) => {
      state.telemetry.record({ category: "connection", type, data });
      onViewer();
    },
  });
  scope.downloads.onStored = (id, path) => liveView.offerDownload(id, path.slice(path.lastIndexOf("/") + 1));
  return liveView;
}

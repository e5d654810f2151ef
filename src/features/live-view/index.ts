export type { RelayedFrame } from "./frame-relay.ts";
export { FrontScreencast, type ScreencastUser } from "./front-screencast.ts";
export { LiveView } from "./live-view.ts";
export type { ServiceMessage, ViewEndCause, ViewMode } from "./protocol.ts";

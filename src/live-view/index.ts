export { LiveView } from "./live-view.ts";
export type { ServiceMessage, ViewMode } from "./protocol.ts";

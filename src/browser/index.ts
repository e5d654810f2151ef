export {
  acquireBrowser,
  BrowserUnavailableError,
  closeBrowser,
  type DevToolsDocument,
  isBrowserGone,
  listBrowsers,
  openDevToolsSocket,
  readDevToolsDocument,
} from "./binding.ts";
export type { TreeFile } from "./browser-disk.ts";
export type { BrowserProxy } from "./browser-proxy.ts";
export { type BrowserState, browserStateSchema, collectBrowserState } from "./browser-state.ts";
export { ClientContexts } from "./client-contexts.ts";
export { ClientFiles } from "./client-files.ts";
export type {
  BrowserExtension,
  ContentScript,
  ExtensionStorage,
  LoadedExtensions,
} from "./content-scripts.ts";
export { openControlConnection } from "./control-connection.ts";
export { numberedName } from "./download-places.ts";
export { Downloads } from "./downloads.ts";
export { evaluateIsolated, isolatedWorld } from "./isolated-world.ts";
export type { MainContext } from "./main-context.ts";
export { compileMatchPattern, MatchPatternError } from "./match-pattern.ts";
export { piecesOf } from "./pieces.ts";
export { Relay } from "./relay.ts";
export { RemoteBrowser, type TabList } from "./remote-browser.ts";
export { Screencast, type ScreencastFrame } from "./screencast.ts";
export type { FileContent, FilePlace, SessionFiles } from "./session-files.ts";
export type { Dialog, Tab } from "./tab.ts";
export type { Tabs } from "./tabs.ts";
export { DEFAULT_VIEWPORT, findViewport, VIEWPORT_LIST, type Viewport } from "./viewport.ts";
export { MOST_ORIGINS, VisitedOrigins } from "./visited-origins.ts";
export { zoomTab } from "./zoom.ts";

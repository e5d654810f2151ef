export {
  acquireBrowser,
  BrowserUnavailableError,
  closeBrowser,
  type DevToolsDocument,
  isBrowserGone,
  listBrowsers,
  openDevToolsSocket,
  readDevToolsDocument,
} from "./connection/binding.ts";
export { openControlConnection } from "./connection/control-connection.ts";
export { evaluateIsolated, isolatedWorld } from "./connection/isolated-world.ts";
export { type KeyDefinition, type KeyInput, keyDefinitions, ProtocolError } from "./connection/puppeteer.ts";
export type { BrowserProxy } from "./contexts/browser-proxy.ts";
export type { MainContext } from "./contexts/main-context.ts";
export type { TabList } from "./contexts/tab-move.ts";
export type {
  BrowserExtension,
  ContentScript,
  ExtensionStorage,
  LoadedExtensions,
} from "./extensions/browser-extension.ts";
export { compileMatchPattern, MatchPatternError } from "./extensions/match-pattern.ts";
export type { TreeFile } from "./files/browser-disk.ts";
export { readInChunks } from "./files/chunks.ts";
export { ClientFiles } from "./files/client-files.ts";
export { numberedName } from "./files/download-places.ts";
export { Downloads } from "./files/downloads.ts";
export type { FileContent, FilePlace, SessionFiles } from "./files/session-files.ts";
export { ClientContexts } from "./relay/client-contexts.ts";
export { Relay } from "./relay/relay.ts";
export { RemoteBrowser } from "./remote-browser.ts";
export { type BrowserState, browserStateSchema, collectBrowserState } from "./state/browser-state.ts";
export { MAX_ORIGINS, VisitedOrigins } from "./state/visited-origins.ts";
export { Screencast, type ScreencastFrame } from "./tabs/screencast.ts";
export type { Dialog, Tab } from "./tabs/tab.ts";
export type { Tabs } from "./tabs/tabs.ts";
export { DEFAULT_VIEWPORT, findViewport, VIEWPORT_LIST, type Viewport } from "./tabs/viewport.ts";
export { zoomTab } from "./tabs/zoom.ts";

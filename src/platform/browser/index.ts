// The browser of a session.
export { mayOpen } from "./allowed-urls.ts";
export type { BrowserProxy } from "./contexts/browser-proxy.ts";
export type { MainContext } from "./contexts/main-context.ts";
export { authenticate } from "./contexts/proxy-authentication.ts";
export type { TabList } from "./contexts/tab-move.ts";
export { RemoteBrowser } from "./remote-browser.ts";
export {
  ANY_VIEWPORT,
  DEFAULT_VIEWPORT,
  findAnyViewport,
  findViewport,
  VIEWPORT_LIST,
  type Viewport,
} from "./tabs/viewport.ts";

// The platform's browsers and connections to them.
export {
  ACCOUNT_SEPARATOR,
  acquireBrowser,
  acquireKeptBrowser,
  type BrowserBinding,
  BrowserUnavailableError,
  closeBrowser,
  KeepAliveRefusedError,
  type DevToolsDocument,
  isBrowserGone,
  listBrowsers,
  openDevToolsSocket,
  readCloseReason,
  readDevToolsDocument,
  readLimits,
} from "./connection/binding.ts";
export {
  attachSession,
  type DroppedEvents,
  dropEvents,
  openControlConnection,
  refusalOf,
} from "./connection/control-connection.ts";

// Connections of clients, passed on to the browser.
export { ClientFiles } from "./files/client-files.ts";
export { ClientContexts } from "./relay/client-contexts.ts";
export { MAX_WINDOW_SIZE } from "./relay/intercepted-methods.ts";
export { Relay } from "./relay/relay.ts";
export { serveShownTab, showsTab } from "./relay/shown-tab.ts";
export { closeSocket } from "./relay/sockets.ts";

// Tabs, their pictures and input, for the computer and the live view.
export type { TargetInfo } from "./connection/attached-targets.ts";
export * from "./connection/helper-page.ts";
export * from "./connection/isolated-world.ts";
export {
  type CDPSession,
  CDPSessionEvent,
  type Connection,
  type KeyDefinition,
  type KeyInput,
  keyDefinitions,
  ProtocolError,
} from "./connection/puppeteer.ts";
export type { TargetObserver } from "./connection/target-observer.ts";
export { Screencast, type ScreencastFormat, type ScreencastFrame } from "./tabs/screencast.ts";
export type { Dialog, Tab } from "./tabs/tab.ts";
export type { Tabs } from "./tabs/tabs.ts";
export { sizeFirstWindow } from "./tabs/windows.ts";
export { zoomTab } from "./tabs/zoom.ts";

// Downloads and uploads.
export { PrivateContexts } from "./contexts/private-contexts.ts";
export { BrowserDisk, NotSavedError, type TreeFile } from "./files/browser-disk.ts";
export { readInChunks } from "./files/chunks.ts";
export { DOWNLOADS_DIRECTORY, numberedName, toFileName } from "./files/download-destinations.ts";
export { Downloads } from "./files/downloads.ts";
export type { FileContent, FileDestination, SessionFiles } from "./files/session-files.ts";

// Cookies and storage, for profiles.
export { type BrowserState, browserStateSchema, collectBrowserState } from "./state/browser-state.ts";
export { MAX_ORIGINS, VisitedOrigins } from "./state/visited-origins.ts";

// Extensions.
export type * from "./extensions/browser-extension.ts";
export { compileMatchPattern, MatchPatternError } from "./extensions/match-pattern.ts";

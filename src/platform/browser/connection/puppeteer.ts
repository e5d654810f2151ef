/** Puppeteer's internal modules, which may change with any version. */
export { type CDPSession, CDPSessionEvent } from "@cloudflare/puppeteer/internal/api/CDPSession.js";
export { Connection } from "@cloudflare/puppeteer/internal/cdp/Connection.js";
export type { ConnectionTransport } from "@cloudflare/puppeteer/internal/common/ConnectionTransport.js";
export { ProtocolError } from "@cloudflare/puppeteer/internal/common/Errors.js";
export {
  _keyDefinitions as keyDefinitions,
  type KeyDefinition,
  type KeyInput,
} from "@cloudflare/puppeteer/internal/common/USKeyboardLayout.js";

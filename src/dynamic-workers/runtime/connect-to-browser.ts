import { type Browser, type BrowserWorker, connect } from "@cloudflare/playwright";

/**
 * Connects Playwright to a session's browser as it is: its context and its tabs, and `close()` only lets go of it.
 *
 * @param open asks for the socket.
 * @param sessionId any name; Playwright builds the address from it, which nobody reads here.
 */
export function connectToBrowser(open: () => Promise<Response>, sessionId: string): Promise<Browser> {
  const endpoint: BrowserWorker = { fetch: open };
  // The types do not have `persistent`; without it the browser would look empty, and be closed at the end.
  const options: { sessionId: string } = Object.assign({ sessionId }, { persistent: true });
  return connect(endpoint, options);
}

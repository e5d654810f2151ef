import { type Browser, type BrowserWorker, connect } from "@cloudflare/playwright";

/** Keeps the context and tabs. `close()` only disconnects, and the id only becomes part of an ignored URL. */
export function connectToBrowser(open: () => Promise<Response>, sessionId: string): Promise<Browser> {
  const endpoint: BrowserWorker = { fetch: open };
  // The types lack `persistent`. Without it, the browser would appear empty, and would be closed at the end.
  const options: { sessionId: string } = Object.assign({ sessionId }, { persistent: true });
  return connect(endpoint, options);
}

import type Kernel from "@onkernel/sdk";
import { type Browser, chromium, type Page } from "playwright-core";

/** Creates a session that is deleted after use. */
export async function openSession(kernel: Kernel, params: Kernel.BrowserCreateParams = {}) {
  const session = await kernel.browsers.create(params);
  return Object.assign(session, {
    [Symbol.asyncDispose]: () => kernel.browsers.deleteByID(session.session_id),
  });
}

/** The page that a session shows when a client connects. */
export function firstPage(browser: Browser): Page {
  const page = browser.contexts()[0]?.pages()[0];
  if (page === undefined) throw new Error("the session has no page");
  return page;
}

export async function connectPage(session: {
  cdp_ws_url: string;
}): Promise<{ browser: Browser; page: Page }> {
  const browser = await chromium.connectOverCDP(session.cdp_ws_url);
  return { browser, page: firstPage(browser) };
}

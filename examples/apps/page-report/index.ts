import { Kernel, type KernelContext } from "@onkernel/sdk";
import { chromium } from "playwright-core";
import { type PageReport, readPage } from "./read-page.ts";

const kernel = new Kernel();
const app = kernel.app("page-report");

interface ReportInput {
  url: string;
}

/** Opens a page in a new browser and reports its contents. */
app.action("report", async (context: KernelContext, payload?: ReportInput): Promise<PageReport> => {
  if (payload?.url === undefined)
    throw new Error('Invoke this with a payload such as {"url": "https://example.com"}');
  const session = await kernel.browsers.create({ invocation_id: context.invocation_id });
  console.log(`Watch it at ${session.browser_live_view_url}`);
  try {
    const browser = await chromium.connectOverCDP(session.cdp_ws_url);
    const page = browser.contexts()[0]?.pages()[0];
    if (page === undefined) throw new Error("The browser has no page");
    await page.goto(payload.url);
    const report = await readPage(page);
    console.log(`${report.links.length} links on "${report.title}"`);
    return report;
  } finally {
    // Otherwise the session would end with the invocation.
    await kernel.browsers.deleteByID(session.session_id);
  }
});

export default app;

import type Kernel from "@onkernel/sdk";
import { DevToolsClient, type PageSize } from "./devtools-client.ts";

export interface ComparedBrowsers {
  session: Awaited<ReturnType<Kernel["browsers"]["create"]>>;
  /** A client at the session's page. */
  driver: DevToolsClient;
  /** A client at the page of the Chrome that is driven directly. */
  chrome: DevToolsClient;
}

/** Works with a session and with a Chrome driven directly whose page has the same size, then ends the session. */
export async function withComparedBrowsers<T>(
  { kernel, chromeURL, viewport }: { kernel: Kernel; chromeURL: string; viewport: PageSize },
  work: (browsers: ComparedBrowsers) => Promise<T>,
): Promise<T> {
  const session = await kernel.browsers.create({ viewport, timeout_seconds: 600 });
  const clients: DevToolsClient[] = [];
  const connect = async (url: string): Promise<DevToolsClient> => {
    const client = await DevToolsClient.connect(url);
    clients.push(client);
    await client.attachToPage();
    return client;
  };
  try {
    const driver = await connect(session.cdp_ws_url);
    const chrome = await connect(chromeURL);
    await chrome.sizePage(viewport);
    await driver.requirePageSize(viewport);
    return await work({ session, driver, chrome });
  } finally {
    for (const client of clients) client.close();
    await kernel.browsers.deleteByID(session.session_id);
  }
}

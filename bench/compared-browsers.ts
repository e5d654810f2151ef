import type Kernel from "@onkernel/sdk";
import { DevToolsClient, type PageSize } from "./devtools-client.ts";
import { openSession } from "./session.ts";

export interface ComparedBrowsers {
  session: Awaited<ReturnType<Kernel["browsers"]["create"]>>;
  /** Attached to the page of the session. */
  driver: DevToolsClient;
  /** Attached to the page of the Chrome without Berth. */
  chrome: DevToolsClient;
}

/** Runs work with a session and a Chrome without Berth, whose pages have the same size. */
export async function withComparedBrowsers<T>(
  { kernel, chromeURL, viewport }: { kernel: Kernel; chromeURL: string; viewport: PageSize },
  work: (browsers: ComparedBrowsers) => Promise<T>,
): Promise<T> {
  await using session = await openSession(kernel, { viewport });
  using clients = new DisposableStack();
  const connect = async (url: string): Promise<DevToolsClient> => {
    const client = clients.adopt(await DevToolsClient.connect(url), (opened) => opened.close());
    await client.attachToPage();
    return client;
  };
  const driver = await connect(session.cdp_ws_url);
  const chrome = await connect(chromeURL);
  await chrome.resizePage(viewport);
  await driver.requirePageSize(viewport);
  return await work({ session, driver, chrome });
}

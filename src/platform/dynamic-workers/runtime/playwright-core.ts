/** Replaces `playwright-core` and `playwright`, which cannot run in Workers. It only connects to sessions. */
import { type Browser, devices, errors, request, selectors } from "@cloudflare/playwright";
import { connectToBrowser } from "./connect-to-browser.ts";

type Endpoint = string | { wsEndpoint?: string; endpointURL?: string };

function newBrowserType(name: string) {
  const refuse = (what: string) => async (): Promise<never> => {
    throw new Error(
      `${name}.${what} is not available here: create a browser with kernel.browsers.create() and connect to its ` +
        "cdp_ws_url with chromium.connectOverCDP()",
    );
  };
  return {
    name: () => name,
    executablePath: () => "",
    connect: refuse("connect"),
    launch: refuse("launch"),
    launchPersistentContext: refuse("launchPersistentContext"),
    launchServer: refuse("launchServer"),
    connectOverCDP: refuse("connectOverCDP"),
  };
}

async function connectOverCDP(endpoint: Endpoint): Promise<Browser> {
  const address = typeof endpoint === "string" ? endpoint : (endpoint.wsEndpoint ?? endpoint.endpointURL);
  if (address === undefined) throw new Error("connectOverCDP requires the address of a browser");
  const url = new URL(address);
  url.protocol = url.protocol.replace(/^ws/, "http");
  const sessionId = url.pathname.split("/").at(-1) ?? "";
  return connectToBrowser(() => fetch(url, { headers: { upgrade: "websocket" } }), sessionId);
}

export const chromium = { ...newBrowserType("chromium"), connectOverCDP };
export const firefox = newBrowserType("firefox");
export const webkit = newBrowserType("webkit");
export { devices, errors, request, selectors };

export default { chromium, firefox, webkit, devices, errors, selectors, request };

/** Code that connects to a session, by the tool. */
export function connectCode(
  origin: string,
  { session_id, cdp_ws_url }: { session_id: string; cdp_ws_url: string },
) {
  const key = "$KERNEL_API_KEY";
  return {
    Playwright: `import { chromium } from "playwright-core";

const browser = await chromium.connectOverCDP("${cdp_ws_url}");
const page = browser.contexts()[0].pages()[0];
console.log(await page.title());
await browser.close(); // the session goes on`,
    Puppeteer: `import puppeteer from "puppeteer-core";

const browser = await puppeteer.connect({ browserWSEndpoint: "${cdp_ws_url}" });
const [page] = await browser.pages();
console.log(await page.title());
await browser.disconnect();`,
    curl: `curl ${origin}/browsers/${session_id} -H "authorization: Bearer ${key}"
curl -X POST ${origin}/browsers/${session_id}/computer/screenshot \\
  -H "authorization: Bearer ${key}" -o screen.png`,
  };
}

/** A URL without its token. */
export function maskToken(url: string): string {
  return url.replace(/jwt=[^&]*/, "jwt=…");
}

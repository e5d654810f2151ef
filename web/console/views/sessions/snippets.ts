/** Where the examples take the API key from. */
export const KEY = "KERNEL_API_KEY";

/** @param url an expression, such as a quoted text. */
export function playwrightSnippet(url: string): string {
  return `import { chromium } from "playwright-core";

const browser = await chromium.connectOverCDP(${url});
const [page] = browser.contexts()[0].pages();
await page.goto("https://example.com");
console.log(await page.title());
await browser.close();
`;
}

/** @param url an expression, such as a quoted text. */
export function puppeteerSnippet(url: string): string {
  return `import puppeteer from "puppeteer-core";

const browser = await puppeteer.connect({
  browserWSEndpoint: ${url},
  defaultViewport: null,
});
const [page] = await browser.pages();
await page.goto("https://example.com");
console.log(await page.title());
await browser.disconnect();
`;
}

/** @param url of WebDriver BiDi. Selenium's classic commands work only in sessions that it created. */
function seleniumSnippet(url: string): string {
  return `import BiDi from "selenium-webdriver/bidi/index.js";

const bidi = new BiDi(${JSON.stringify(url)});
await bidi.waitForConnection();
const send = async (method, params) => (await bidi.send({ method, params })).result;
await send("session.new", { capabilities: {} });
const { contexts } = await send("browsingContext.getTree", {});
const { context } = contexts[0];
await send("browsingContext.navigate", { context, url: "https://example.com", wait: "complete" });
const title = { expression: "document.title", target: { context }, awaitPromise: false };
console.log((await send("script.evaluate", title)).result.value);
await bidi.close();
`;
}

/** The configuration of an MCP client for one server. */
export function mcpSnippet(server: object): string {
  return `${JSON.stringify({ mcpServers: { berth: server } }, null, 2)}\n`;
}

function curlSnippet(id: string, cdpURL: string): string {
  const { protocol, host, pathname, search } = new URL(cdpURL);
  const origin = `${protocol.replace("ws", "http")}//${host}`;
  const screenshot = quoteForShell(`${origin}/browsers/${id}/computer/screenshot`);
  return `# The open tabs
curl ${quoteForShell(`${origin}${pathname}/json/list${search}`)}

# A screenshot
curl -X POST ${screenshot} \\
  -H "authorization: Bearer $${KEY}" -o screenshot.png
`;
}

interface URLs {
  session_id: string;
  cdp_ws_url: string;
  webdriver_ws_url: string;
}

/** Code for tools that connect to an active session. */
export function connectSnippets({ session_id, cdp_ws_url, webdriver_ws_url }: URLs) {
  const quoted = JSON.stringify(cdp_ws_url);
  const args = ["-y", "@playwright/mcp@latest", "--cdp-endpoint", cdp_ws_url];
  return [
    { id: "playwright", label: "Playwright", code: playwrightSnippet(quoted) },
    { id: "puppeteer", label: "Puppeteer", code: puppeteerSnippet(quoted) },
    { id: "selenium", label: "Selenium", code: seleniumSnippet(webdriver_ws_url) },
    { id: "mcp", label: "MCP", code: mcpSnippet({ command: "npx", args }) },
    { id: "curl", label: "curl", code: curlSnippet(session_id, cdp_ws_url) },
  ];
}

/** Without tokens. */
export function maskToken(text: string): string {
  return text.replace(/jwt=[\w.-]*/g, "jwt=…");
}

export function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** What is told when the service is up: where it is, its key, and three lines that drive a session. */
export function readyBanner(url: string, apiKey: string): string {
  return `
Berth is ready.

  URL      ${url}
  API key  ${apiKey}

Three lines to paste into another terminal, in this folder; they drive a session:

  export KERNEL_BASE_URL=${url} KERNEL_API_KEY=${shellQuote(apiKey)}
  ${CREATE_SESSION}
  ${DRIVE_SESSION}

Ctrl-C stops it. What follows is the service's log.
`;
}

const CREATE_SESSION = `export CDP_URL=$(curl -s -X POST $KERNEL_BASE_URL/browsers -H "Authorization: Bearer $KERNEL_API_KEY" | node -p 'JSON.parse(fs.readFileSync(0)).cdp_ws_url')`;

// Both quotes matter: the shell takes the single ones, and the script must hold none.
const DRIVE_SESSION = `node -e 'import("playwright-core").then(async ({ chromium }) => { const browser = await chromium.connectOverCDP(process.env.CDP_URL); const [page] = browser.contexts()[0].pages(); await page.goto("data:text/html,<title>Hello from Berth</title>"); console.log(await page.title()); await browser.close(); })'`;

function shellQuote(text: string): string {
  return /^[\w.-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

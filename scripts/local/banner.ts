export function readyBanner(url: string, apiKey: string): string {
  return `
Berth is ready.

  URL      ${url}
  API key  ${apiKey}
  Console  ${url}/console

To try a session, paste these lines into another terminal, in this folder:

  export KERNEL_BASE_URL=${url} KERNEL_API_KEY=${shellQuote(apiKey)}
  ${CREATE_SESSION}
  ${DRIVE_SESSION}

Press Ctrl-C to stop. The service's log follows.
`;
}

const CREATE_SESSION = `export CDP_URL=$(curl -s -X POST $KERNEL_BASE_URL/browsers -H "Authorization: Bearer $KERNEL_API_KEY" | node -p 'JSON.parse(fs.readFileSync(0)).cdp_ws_url')`;

// The script must not contain single quotes, because the shell quotes it with them.
const DRIVE_SESSION = `node -e 'import("playwright-core").then(async ({ chromium }) => { const browser = await chromium.connectOverCDP(process.env.CDP_URL); const [page] = browser.contexts()[0].pages(); await page.goto("data:text/html,<title>Hello from Berth</title>"); console.log(await page.title()); await browser.close(); })'`;

function shellQuote(text: string): string {
  return /^[\w.-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

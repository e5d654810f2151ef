import { randomUUID } from "node:crypto";
import { newSignInToken } from "../../src/features/organizations/sign-in-link.ts";
import type { Address } from "./address.ts";
import { LOCAL_API_KEY_ID } from "./database.ts";

/** Returns a link that opens the console signed in, once; without one on addresses that others reach. */
export async function consoleLink({ url, isLoopback }: Address, tokenSecret: string): Promise<string> {
  if (!isLoopback) return `${url}/console`;
  const token = await newSignInToken(tokenSecret, { id: randomUUID(), keyId: LOCAL_API_KEY_ID });
  return `${url}/console#sign-in=${encodeURIComponent(token)}`;
}

export function readyBanner(url: string, apiKey: string, consoleURL: string): string {
  return `
Berth is ready.

  URL      ${url}
  API key  ${apiKey}
  Docs     ${url}/docs
  Console  ${consoleURL}
${consoleURL.includes("#") ? LINK_NOTE : ""}
To try a session, paste these lines into another terminal, in this folder:

  export KERNEL_BASE_URL=${url} KERNEL_API_KEY=${shellQuote(apiKey)}
  ${CREATE_SESSION}
  ${DRIVE_SESSION}

Press Ctrl-C to stop. The service's log follows.
`;
}

const LINK_NOTE = "           (signs you in once, within 15 minutes; later, sign in with the API key)\n";

const CREATE_SESSION = `export CDP_URL=$(curl -s -X POST $KERNEL_BASE_URL/browsers -H "Authorization: Bearer $KERNEL_API_KEY" | node -p 'JSON.parse(fs.readFileSync(0)).cdp_ws_url')`;

// The script must not contain single quotes, because the shell quotes it with them.
const DRIVE_SESSION = `node -e 'import("playwright-core").then(async ({ chromium }) => { const browser = await chromium.connectOverCDP(process.env.CDP_URL); const [page] = browser.contexts()[0].pages(); await page.goto("data:text/html,<title>Hello from Berth</title>"); console.log(await page.title()); await browser.close(); })'`;

function shellQuote(text: string): string {
  return /^[\w.-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

import type { Protocol } from "devtools-protocol";
import { resolveWithin } from "../../../lib/common/concurrency.ts";
import { logError } from "../../../lib/common/log.ts";
import { withHelperPage } from "../connection/helper-page.ts";
import type { Connection } from "../connection/puppeteer.ts";
import type { BrowserProxy } from "./browser-proxy.ts";

/** The proxy only needs to ask for credentials, not to reach this host. */
const ADDRESS = "http://berth.invalid/";

const TIMEOUT_MS = 8000;

/** Sites, and proxies of clients' contexts, can ask for credentials too. */
export function isChallengeOf(
  { server }: BrowserProxy,
  { source, origin }: Protocol.Fetch.AuthChallenge,
): boolean {
  return source === "Proxy" && URL.canParse(origin) && new URL(origin).origin === new URL(server).origin;
}

/**
 * Stores proxy credentials in a context, which then uses them for all requests. DevTools cannot authenticate
 * WebSockets, and session requests need no interception this way. One request in a hidden page triggers the
 * challenge; if the proxy does not answer in time, the context has no credentials.
 */
export async function authenticate(
  connection: Connection,
  proxy: BrowserProxy,
  browserContextId: string,
): Promise<void> {
  const { credentials } = proxy;
  if (credentials === undefined) return;
  const visit = withHelperPage(
    connection,
    async ({ session }) => {
      let isAnswered = false;
      session.on("Fetch.authRequired", ({ requestId, authChallenge }) => {
        // A second challenge means that the proxy refused them.
        const isFirstChallenge = isChallengeOf(proxy, authChallenge) && !isAnswered;
        isAnswered = true;
        const authChallengeResponse = isFirstChallenge
          ? ({ response: "ProvideCredentials", ...credentials } as const)
          : ({ response: "CancelAuth" } as const);
        session.send("Fetch.continueWithAuth", { requestId, authChallengeResponse }).catch(() => undefined);
      });
      session.on("Fetch.requestPaused", ({ requestId }) => {
        session.send("Fetch.continueRequest", { requestId }).catch(() => undefined);
      });
      await session.send("Fetch.enable", { handleAuthRequests: true, patterns: [{ urlPattern: "*" }] });
      await session.send("Page.navigate", { url: ADDRESS });
    },
    browserContextId,
  );
  await resolveWithin(
    visit.catch((error: unknown) => logError("proxy_not_authenticated", error)),
    TIMEOUT_MS,
  );
}

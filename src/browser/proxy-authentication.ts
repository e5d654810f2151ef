import type { Connection } from "@cloudflare/puppeteer/internal/cdp/Connection.js";
import { withinTime } from "../concurrency.ts";
import { logError } from "../log.ts";
import type { BrowserProxy } from "./browser-proxy.ts";
import { withHelperPage } from "./helper-page.ts";

/** Never resolved, since the proxy does that. It need not answer: that it asks for credentials will do. */
const ADDRESS = "http://berth.invalid/";

/** How long a proxy may take to ask. */
const PATIENCE_MS = 3000;

/**
 * Tells a context the credentials of its proxy, which it keeps from then on and uses for all that its pages do, the
 * opening of WebSockets included, for which no DevTools client is ever asked. So the requests of the session's pages
 * need not stop here.
 *
 * A page that nobody sees makes one request; a proxy that does not answer in time has the context go without.
 */
export async function authenticate(
  connection: Connection,
  credentials: NonNullable<BrowserProxy["credentials"]>,
  browserContextId: string,
): Promise<void> {
  const visit = withHelperPage(
    connection,
    async ({ session }) => {
      let isTold = false;
      session.on("Fetch.authRequired", ({ requestId, authChallenge }) => {
        // Asked once more, the proxy has refused them.
        const isNews = authChallenge.source === "Proxy" && !isTold;
        isTold = true;
        const authChallengeResponse = isNews
          ? ({ response: "ProvideCredentials", ...credentials } as const)
          : ({ response: "CancelAuth" } as const);
        session.send("Fetch.continueWithAuth", { requestId, authChallengeResponse }).catch(() => undefined);
      });
      session.on("Fetch.requestPaused", ({ requestId }) => {
        session.send("Fetch.continueRequest", { requestId }).catch(() => undefined);
      });
      await session.send("Fetch.enable", { handleAuthRequests: true, patterns: [{ urlPattern: "*" }] });
      // Answered once the site has answered, or when it is known why it does not.
      await session.send("Page.navigate", { url: ADDRESS });
    },
    browserContextId,
  );
  await withinTime(
    visit.catch((error: unknown) => logError("proxy_not_authenticated", error)),
    PATIENCE_MS,
  );
}

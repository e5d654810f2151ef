import type { Protocol } from "devtools-protocol";
import { withinTime } from "../../common/concurrency.ts";
import { logError } from "../../common/log.ts";
import { withHelperPage } from "../connection/helper-page.ts";
import type { Connection } from "../connection/puppeteer.ts";
import type { BrowserProxy } from "./browser-proxy.ts";

/** Never resolved, since the proxy does that. It need not answer: that it asks for credentials will do. */
const ADDRESS = "http://berth.invalid/";

/** How long a proxy may take to ask. */
const TIMEOUT_MS = 3000;

/** Whether it is this proxy that asks: a site may ask too, and so may another proxy of a context that a client made. */
export function isChallengeOf(
  { server }: BrowserProxy,
  { source, origin }: Protocol.Fetch.AuthChallenge,
): boolean {
  return source === "Proxy" && URL.canParse(origin) && new URL(origin).origin === new URL(server).origin;
}

/**
 * Tells a context the credentials of its proxy, which it keeps from then on and uses for all that its pages do, the
 * opening of WebSockets included, for which no DevTools client is ever asked. So the requests of the session's pages
 * need not stop here.
 *
 * A page that nobody sees makes one request; a proxy that does not answer in time has the context go without.
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
      let isTold = false;
      session.on("Fetch.authRequired", ({ requestId, authChallenge }) => {
        // Asked once more, the proxy has refused them.
        const isNews = isChallengeOf(proxy, authChallenge) && !isTold;
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
    TIMEOUT_MS,
  );
}

import { resolveWithin } from "../../../lib/common/concurrency.ts";
import { withHelperPage } from "../connection/helper-page.ts";
import type { Connection } from "../connection/puppeteer.ts";

const CHECK_TIMEOUT_MS = 10_000;

const PROXY_ERROR =
  /^net::ERR_(PROXY_|SOCKS_CONNECTION_FAILED|TUNNEL_CONNECTION_FAILED|UNEXPECTED_PROXY_AUTH|MANDATORY_PROXY)/;

const CREDENTIALS_REFUSED = 407;

/**
 * Loads `url` in a hidden page of the context. Errors of the site do not count.
 *
 * @returns the proxy's error; undefined if the browser can use the proxy.
 */
export async function findProxyError(
  connection: Connection,
  browserContextId: string,
  url: string,
): Promise<string | undefined> {
  const visit = withHelperPage(
    connection,
    async ({ session }) => {
      let status = 0;
      session.on("Network.responseReceived", ({ response }) => {
        status = response.status;
      });
      // The proxy may answer with its own page.
      await session.send("Emulation.setScriptExecutionDisabled", { value: true });
      await session.send("Network.enable");
      const { errorText = "" } = await session.send("Page.navigate", { url });
      if (status === CREDENTIALS_REFUSED) return { fault: "it refuses the credentials" };
      return { fault: PROXY_ERROR.test(errorText) ? errorText.replace("net::", "") : undefined };
    },
    browserContextId,
  );
  const outcome = await resolveWithin(visit, CHECK_TIMEOUT_MS);
  if (outcome !== undefined) return outcome.fault;
  visit.catch(() => undefined);
  return `it did not answer within ${CHECK_TIMEOUT_MS / 1000} seconds`;
}

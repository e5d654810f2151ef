import { settleAll } from "../../../lib/common/concurrency.ts";
import { type HelperPage, withHelperPage } from "../connection/helper-page.ts";
import type { CDPSession, Connection } from "../connection/puppeteer.ts";

const MAX_CONCURRENT_PAGES = 4;

const EMPTY_PAGE = btoa(`<!doctype html><link rel="icon" href="data:,">`);

/** The browser never opens these addresses, so it stores nothing for them. */
const UNREACHABLE = ["net::ERR_UNSAFE_PORT", "net::ERR_INVALID_URL", "net::ERR_DISALLOWED_URL_SCHEME"];

/**
 * Runs `work` in an empty hidden page of each http(s) origin, several at once. No request leaves the browser,
 * and service workers are bypassed. Origins that the browser refuses are skipped.
 *
 * @throws Error the first failure, after running work has ended; remaining origins are skipped.
 */
export async function visitOrigins(
  connection: Connection,
  scope: { browserContextId?: string; origins: readonly string[] },
  work: (page: HelperPage, origin: string) => Promise<void>,
): Promise<void> {
  const origins = [...new Set(scope.origins)].filter((origin) => /^https?:\/\//.test(origin));
  const queue = groupBySite(origins).values();
  let isFailed = false;
  const visitQueued = async (page: HelperPage) => {
    const visit = await withoutNetwork(page.session);
    for (const origin of flatten(queue)) {
      if (isFailed) return;
      if (await visit(origin)) await work(page, origin);
    }
  };
  const pages = Array.from({ length: Math.min(MAX_CONCURRENT_PAGES, origins.length) }, async () => {
    try {
      await withHelperPage(connection, visitQueued, scope.browserContextId);
    } catch (error) {
      isFailed = true;
      throw error;
    }
  });
  await settleAll(pages);
}

/** Each new site costs the browser a process, so origins of one site share a page. */
function groupBySite(origins: readonly string[]): string[][] {
  const toSite = (origin: string) => new URL(origin).hostname.split(".").slice(-2).join(".");
  return [...Map.groupBy(origins, toSite).values()];
}

function* flatten<T>(groups: Iterable<readonly T[]>): Generator<T> {
  for (const group of groups) yield* group;
}

async function withoutNetwork(session: CDPSession): Promise<(origin: string) => Promise<boolean>> {
  let current = "";
  session.on("Fetch.requestPaused", ({ requestId, request }) => {
    // The browser may try https before http, and falls back when that fails.
    const answered = request.url.startsWith(`${current}/`)
      ? session.send("Fetch.fulfillRequest", {
          requestId,
          responseCode: 200,
          responseHeaders: [{ name: "content-type", value: "text/html" }],
          body: EMPTY_PAGE,
        })
      : session.send("Fetch.failRequest", { requestId, errorReason: "ConnectionRefused" });
    answered.catch(() => undefined);
  });
  await session.send("Fetch.enable", { patterns: [{ urlPattern: "*" }] });
  await session.send("Network.enable");
  await session.send("Network.setBypassServiceWorker", { bypass: true });
  return async (origin) => {
    current = origin;
    const { errorText } = await session.send("Page.navigate", { url: `${origin}/` });
    if (errorText === undefined) return true;
    if (UNREACHABLE.includes(errorText)) return false;
    throw new Error(`The browser could not open a page of ${origin}: ${errorText}`);
  };
}

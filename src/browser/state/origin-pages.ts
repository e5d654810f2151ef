import { allDone } from "../../common/concurrency.ts";
import { type HelperPage, withHelperPage } from "../connection/helper-page.ts";
import type { CDPSession, Connection } from "../connection/puppeteer.ts";

/** How many pages work side by side. */
const PAGES = 4;

/** No favicon is looked for. */
const EMPTY_PAGE = btoa(`<!doctype html><link rel="icon" href="data:,">`);

/** Errors of addresses that a browser goes to under no circumstances, so that it keeps nothing for them. */
const UNREACHABLE = ["net::ERR_UNSAFE_PORT", "net::ERR_INVALID_URL", "net::ERR_DISALLOWED_URL_SCHEME"];

/**
 * Works in an empty page of each of these origins, in hidden pages, some side by side. No request leaves the browser,
 * and service workers are passed by.
 *
 * @param scope.origins those of http and https are visited, each once; the browser refuses some, which are left out.
 * @throws Error the first failure, when nothing is under way any more; the origins left over are not visited.
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
  const pages = Array.from({ length: Math.min(PAGES, origins.length) }, async () => {
    try {
      await withHelperPage(connection, visitQueued, scope.browserContextId);
    } catch (error) {
      isFailed = true;
      throw error;
    }
  });
  await allDone(pages);
}

/** Those of one site one after the other in one page: the next site is a process of the browser's to start. */
function groupBySite(origins: readonly string[]): string[][] {
  // Near enough to what browsers take for a site: a mistake costs time only.
  const toSite = (origin: string) => new URL(origin).hostname.split(".").slice(-2).join(".");
  return [...Map.groupBy(origins, toSite).values()];
}

function* flatten<T>(groups: Iterable<readonly T[]>): Generator<T> {
  for (const group of groups) yield* group;
}

/**
 * Keeps a page from the network.
 *
 * @returns goes to an empty page of an origin; false when the browser does not.
 */
async function withoutNetwork(session: CDPSession): Promise<(origin: string) => Promise<boolean>> {
  let current = "";
  session.on("Fetch.requestPaused", ({ requestId, request }) => {
    // Of the origin only: the browser may try https first where http is asked for, and falls back when that fails.
    const answered = request.url.startsWith(`${current}/`)
      ? session.send("Fetch.fulfillRequest", {
          requestId,
          responseCode: 200,
          responseHeaders: [{ name: "content-type", value: "text/html" }],
          body: EMPTY_PAGE,
        })
      : session.send("Fetch.failRequest", { requestId, errorReason: "ConnectionRefused" });
    // The page is closed with its requests.
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

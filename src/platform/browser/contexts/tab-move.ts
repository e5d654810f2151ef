import { pause } from "../../../lib/common/concurrency.ts";
import { mayOpen } from "../allowed-urls.ts";
import type { Connection } from "../connection/puppeteer.ts";
import type { Tab } from "../tabs/tab.ts";
import type { Tabs } from "../tabs/tabs.ts";
import type { MainContext } from "./main-context.ts";
import type { PrivateContexts } from "./private-contexts.ts";

/** Targets whose scripts can make requests on their own. */
const ACTIVE_TYPES = ["page", "service_worker", "shared_worker"];

/** The browser answers a close command before the target is closed. */
const CLOSE_TIMEOUT_MS = 8000;
const CLOSE_POLL_INTERVAL_MS = 20;

const BLANK = "about:blank";

export interface TabList {
  urls: readonly string[];
  front: number | undefined;
}

interface SessionBrowser {
  connection: Connection;
  tabs: Tabs;
  privateContexts: PrivateContexts;
}

/** @param main undefined if the session uses the browser's default context. */
export async function listTabs(
  { connection, tabs }: SessionBrowser,
  main: MainContext | undefined,
): Promise<TabList> {
  const { browserContextIds } = await connection.send("Target.getBrowserContexts");
  const isOwn = ({ contextId = "" }: Tab) =>
    main === undefined ? !browserContextIds.includes(contextId) : contextId === main.id;
  const front = await tabs.findFront();
  const own = tabs.all().filter(isOwn);
  const urls = own.map(({ url }) =>
    url.startsWith("chrome-error:") || url === "" || !mayOpen(url) ? BLANK : url,
  );
  const index = front === undefined ? -1 : own.indexOf(front);
  return { urls, front: index < 0 ? undefined : index };
}

/**
 * Opens tabs in the session's main context if it has none, and closes everything in other contexts. A
 * repeated call completes a failed one.
 *
 * @throws when pages of other contexts stay open.
 */
export async function moveTabs(
  browser: SessionBrowser,
  main: MainContext,
  { urls, front }: TabList,
): Promise<void> {
  const { tabs } = browser;
  if (!tabs.all().some(({ contextId }) => contextId === main.id)) {
    const opened: Tab[] = [];
    for (const url of urls.length === 0 ? [BLANK] : urls) opened.push(await tabs.open(url));
    const frontTab = front === undefined ? undefined : opened[front];
    if (frontTab !== undefined) await tabs.activate(frontTab);
  }
  const deadline = Date.now() + CLOSE_TIMEOUT_MS;
  while ((await closeAllExcept(browser, main)) > 0) {
    if (Date.now() > deadline) throw new Error("Pages of the earlier context are still open");
    await pause(CLOSE_POLL_INTERVAL_MS);
  }
}

/** @returns how many targets and contexts were still open. */
async function closeAllExcept(
  { connection, privateContexts }: SessionBrowser,
  main: MainContext,
): Promise<number> {
  const [{ targetInfos }, { browserContextIds }] = await Promise.all([
    connection.send("Target.getTargets"),
    connection.send("Target.getBrowserContexts"),
  ]);
  const targets = targetInfos.filter(
    ({ type, browserContextId }) => ACTIVE_TYPES.includes(type) && browserContextId === main.defaultId,
  );
  const contexts = browserContextIds.filter((id) => id !== main.id && !privateContexts.has(id));
  await Promise.allSettled([
    ...targets.map(({ targetId }) => connection.send("Target.closeTarget", { targetId })),
    ...contexts.map((id) => connection.send("Target.disposeBrowserContext", { browserContextId: id })),
  ]);
  return targets.length + contexts.length;
}

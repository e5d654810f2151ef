import { resolveWithin, sharing, tryWithin } from "../../../lib/common/concurrency.ts";
import { requireOpenable } from "../allowed-urls.ts";
import type { TargetInfo } from "../connection/attached-targets.ts";
import { evaluateIsolated } from "../connection/isolated-world.ts";
import type { CDPSession, Connection } from "../connection/puppeteer.ts";
import type { MainContext } from "../contexts/main-context.ts";
import { findFrontTab } from "./front-tab.ts";
import { Tab } from "./tab.ts";

/** A page that does not answer in time counts as visible. A new page may still have to start. */
const VISIBILITY_TIMEOUT_MS = 300;
const START_TIMEOUT_MS = 2000;

const DISCOVERED_TYPES = ["page", "iframe", "service_worker", "shared_worker", "other"];

const VISIBILITY = "document.visibilityState";

const FIRST_PAGE_TIMEOUT_MS = 5000;

/** A page that takes longer counts as hung. */
const RESPONSE_TIMEOUT_MS = 1000;

/** How long after a background click a new tab counts as its result. */
const OPENED_BEHIND_MS = 2000;

export class Tabs {
  readonly #connection: Connection;
  readonly #listPages: () => Promise<string[]>;
  readonly #mainContext: () => MainContext | undefined;
  readonly #tabs = new Map<string, Tab>();
  readonly #behind = new Set<string>();
  readonly #listeners = new Set<() => void>();
  #lastKnownFront: string | undefined;
  #openedBehindAt = 0;
  readonly #openFirst = sharing(() => this.open("about:blank"));

  constructor(
    connection: Connection,
    options: { listPages: () => Promise<string[]>; mainContext: () => MainContext | undefined },
  ) {
    this.#connection = connection;
    this.#listPages = options.listPages;
    this.#mainContext = options.mainContext;
    connection.on("Target.targetInfoChanged", ({ targetInfo }) => {
      this.#tabs.get(targetInfo.targetId)?.updateInfo(targetInfo);
    });
  }

  async follow(): Promise<void> {
    await this.#connection.send("Target.setDiscoverTargets", {
      discover: true,
      filter: [...DISCOVERED_TYPES.map((type) => ({ type })), { exclude: true }],
    });
  }

  /**
   * Waits until a page shows something, even about:blank. Before that, Puppeteer may see a browser without
   * pages, and the page's first navigation may replace a client's. Until then it has an address but no title.
   */
  async waitForFirstPage(): Promise<void> {
    const shown = Promise.withResolvers<void>();
    const look = () => {
      if (this.all().some(({ url, title }) => url !== "" && title !== "")) shown.resolve();
    };
    using _listening = this.onChange(look);
    look();
    await resolveWithin(shown.promise, FIRST_PAGE_TIMEOUT_MS);
  }

  /** The browser reports changed addresses, but not a title that changes alone. */
  async readTitles(): Promise<void> {
    const { targetInfos } = await this.#connection.send("Target.getTargets", {
      filter: [{ type: "page" }, { exclude: true }],
    });
    for (const info of targetInfos) this.#tabs.get(info.targetId)?.updateInfo(info);
  }

  async add(session: CDPSession, target: TargetInfo): Promise<void> {
    const tab: Tab = new Tab(
      session,
      target,
      () => this.#notify(),
      () => this.#remove(tab),
    );
    this.#tabs.set(tab.id, tab);
    if (Date.now() - this.#openedBehindAt < OPENED_BEHIND_MS) {
      this.#openedBehindAt = 0;
      this.#behind.add(tab.id);
    }
    const [isVisible] = await Promise.all([startsVisible(tab), tab.follow()]);
    if (!isVisible) this.#behind.add(tab.id);
    this.#notify();
  }

  all(): Tab[] {
    return [...this.#tabs.values()];
  }

  /** Tabs whose page runs forever or never begins, for which Playwright would wait. Takes up to a second. */
  async findHung(): Promise<Tab[]> {
    const responsive = await Promise.all(this.all().map(responds));
    return this.all().filter((_, index) => responsive[index] === false);
  }

  get(id: string): Tab | undefined {
    return this.#tabs.get(id);
  }

  async front(): Promise<Tab> {
    return (await this.findFront()) ?? this.#openFirst();
  }

  async findFront(): Promise<Tab | undefined> {
    const tab = await this.#findFront();
    if (tab === undefined) return undefined;
    this.#lastKnownFront = tab.id;
    this.#behind.delete(tab.id);
    return tab;
  }

  async open(url: string): Promise<Tab> {
    requireOpenable(url);
    const browserContextId = this.#mainContext()?.id;
    const { targetId } = await this.#connection.send("Target.createTarget", { url, browserContextId });
    // The tab was added by its attachment, before this reply.
    const tab = this.#tabs.get(targetId);
    if (tab === undefined) throw new Error("The tab was closed while it opened");
    this.#lastKnownFront = targetId;
    return tab;
  }

  async activate(tab: Tab): Promise<void> {
    await this.#connection.send("Target.activateTarget", { targetId: tab.id });
    this.noteShown(tab.id);
  }

  /** The browser's list does not change when a tab's window comes to the front. */
  noteShown(id: string): void {
    if (!this.#tabs.has(id)) return;
    for (const other of this.#tabs.keys()) this.#behind.add(other);
    this.#behind.delete(id);
    this.#lastKnownFront = id;
    this.#notify();
  }

  async close(tab: Tab): Promise<void> {
    await tab.session.send("Page.close");
  }

  /** Announces that the next input may open a background tab, as a middle click does. */
  expectBackgroundTab(): void {
    this.#openedBehindAt = Date.now();
  }

  onChange(listener: () => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  async #findFront(): Promise<Tab | undefined> {
    const tabs = this.all();
    if (tabs.length <= 1) return tabs[0];
    const listed = await this.#listPages();
    const byRecency = listed.filter((id) => this.#tabs.has(id));
    const [latest] = byRecency;
    const lastKnown = this.#lastKnownFront !== undefined ? this.#tabs.get(this.#lastKnownFront) : undefined;
    const doubtful =
      latest !== undefined && this.#behind.has(latest) ? [this.#tabs.get(latest), lastKnown] : [];
    const visibility = new Map<string, boolean>();
    await Promise.all(
      doubtful.map(async (tab) => {
        if (tab !== undefined) visibility.set(tab.id, await reportsVisible(tab));
      }),
    );
    const front = findFrontTab({
      byRecency,
      lastKnown: lastKnown?.id,
      behind: this.#behind,
      reportsVisible: (id) => visibility.get(id) ?? true,
    });
    return front === undefined ? tabs[0] : this.#tabs.get(front);
  }

  #remove(tab: Tab): void {
    if (this.#tabs.get(tab.id) !== tab) return;
    this.#tabs.delete(tab.id);
    this.#behind.delete(tab.id);
    this.#notify();
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }
}

async function responds(tab: Tab): Promise<boolean> {
  // Clients are told about dialogs and crashes.
  if (tab.dialog !== undefined || tab.hasCrashed) return true;
  const asked = tab.session.send("Runtime.evaluate", { expression: "1" }).catch(() => undefined);
  const answer = await tab.waitFor(Promise.all([asked, hasBegun(tab)]), RESPONSE_TIMEOUT_MS);
  return answer !== "late";
}

/** Waits out the empty page from before the first response. Only its frame, which has no URL, reveals it. */
async function hasBegun({ session }: Tab): Promise<void> {
  const navigated = Promise.withResolvers<unknown>();
  session.on("Page.frameNavigated", navigated.resolve);
  const tree = await session.send("Page.getFrameTree").catch(() => undefined);
  if (tree?.frameTree.frame.url === "") await resolveWithin(navigated.promise, 2 * RESPONSE_TIMEOUT_MS);
  session.off("Page.frameNavigated", navigated.resolve);
}

/** Evaluated in Berth's world, because a page can override its own value. */
async function reportsVisible(tab: Tab): Promise<boolean> {
  const asked = evaluateIsolated(tab.session, tab.id, VISIBILITY);
  return (await tryWithin(asked, VISIBILITY_TIMEOUT_MS)) !== "hidden";
}

/** Evaluated before the first script, in the page's own world: the first navigation removes other worlds. */
async function startsVisible({ session }: Tab): Promise<boolean> {
  const asked = session.send("Runtime.evaluate", { expression: VISIBILITY, returnByValue: true });
  const answer = await tryWithin(asked, START_TIMEOUT_MS);
  return answer?.result.value !== "hidden";
}

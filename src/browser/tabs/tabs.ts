import { withinTime } from "../../common/concurrency.ts";
import type { TargetInfo } from "../connection/attached-targets.ts";
import { evaluateIsolated } from "../connection/isolated-world.ts";
import type { CDPSession, Connection } from "../connection/puppeteer.ts";
import type { MainContext } from "../contexts/main-context.ts";
import { findFrontTab } from "./front-tab.ts";
import { Tab } from "./tab.ts";

/** A page that does not say within this time whether it is visible is taken to be; a new one may have to start. */
const VISIBILITY_TIMEOUT_MS = 300;
const START_TIMEOUT_MS = 2000;

const DISCOVERED_TYPES = ["page", "iframe", "service_worker", "shared_worker"];

const VISIBILITY = "document.visibilityState";

/** How long the first page may take to show anything. */
const FIRST_PAGE_TIMEOUT_MS = 5000;

/** Since how lately a click must have opened a tab behind for a new tab to be taken for that one. */
const OPENED_BEHIND_MS = 2000;

/** The tabs of a browser, in the order of their opening, and which of them is in front. */
export class Tabs {
  readonly #connection: Connection;
  readonly #listPages: () => Promise<string[]>;
  readonly #mainContext: () => MainContext | undefined;
  readonly #tabs = new Map<string, Tab>();
  readonly #behind = new Set<string>();
  readonly #listeners = new Set<() => void>();
  #believedFront: string | undefined;
  #openedBehindAt = 0;
  #openingFirst: Promise<Tab> | undefined;

  /**
   * @param options.listPages ids of the browser's pages, the one opened or shown last first.
   * @param options.mainContext that tabs are opened in; undefined while it is the browser's default one.
   */
  constructor(
    connection: Connection,
    options: { listPages: () => Promise<string[]>; mainContext: () => MainContext | undefined },
  ) {
    this.#connection = connection;
    this.#listPages = options.listPages;
    this.#mainContext = options.mainContext;
    connection.on("Target.targetInfoChanged", ({ targetInfo }) => {
      this.#tabs.get(targetInfo.targetId)?.hearInfo(targetInfo);
    });
  }

  /** Begins to hear of the tabs' titles and addresses, and of what has a target of its own below them. */
  async follow(): Promise<void> {
    await this.#connection.send("Target.setDiscoverTargets", {
      discover: true,
      filter: [...DISCOVERED_TYPES.map((type) => ({ type })), { exclude: true }],
    });
  }

  /**
   * Waits until a page shows something, be it about:blank. Before that Puppeteer may take the browser for one without
   * pages, and what the page shows then comes over what a client has led it to. A page that is on its way to its
   * first address has that address, and no title.
   */
  async firstShown(): Promise<void> {
    const shown = Promise.withResolvers<void>();
    const look = () => {
      if (this.all().some(({ url, title }) => url !== "" && title !== "")) shown.resolve();
    };
    using _listening = this.onChange(look);
    look();
    await withinTime(shown.promise, FIRST_PAGE_TIMEOUT_MS);
  }

  /** Asks for the tabs' titles: the browser tells of an address that changes, and not of a title that does alone. */
  async readTitles(): Promise<void> {
    const { targetInfos } = await this.#connection.send("Target.getTargets", {
      filter: [{ type: "page" }, { exclude: true }],
    });
    for (const info of targetInfos) this.#tabs.get(info.targetId)?.hearInfo(info);
  }

  /** Takes in a page that the control connection was attached to. */
  async add(session: CDPSession, target: TargetInfo): Promise<void> {
    const tab: Tab = new Tab(
      session,
      target,
      () => this.#tell(),
      () => this.#remove(tab),
    );
    this.#tabs.set(tab.id, tab);
    if (Date.now() - this.#openedBehindAt < OPENED_BEHIND_MS) {
      this.#openedBehindAt = 0;
      this.#behind.add(tab.id);
    }
    const [isVisible] = await Promise.all([startsVisible(tab), tab.follow()]);
    if (!isVisible) this.#behind.add(tab.id);
    this.#tell();
  }

  all(): Tab[] {
    return [...this.#tabs.values()];
  }

  get(id: string): Tab | undefined {
    return this.#tabs.get(id);
  }

  /** The tab that a person would see. Where the last one was closed, a new one, as a desktop shows. */
  async front(): Promise<Tab> {
    const tab = await this.findFront();
    if (tab !== undefined) return tab;
    this.#openingFirst ??= this.open("about:blank").finally(() => {
      this.#openingFirst = undefined;
    });
    return this.#openingFirst;
  }

  /** The tab that a person would see; undefined while there is none. */
  async findFront(): Promise<Tab | undefined> {
    const tab = await this.#findFront();
    if (tab === undefined) return undefined;
    this.#believedFront = tab.id;
    this.#behind.delete(tab.id);
    return tab;
  }

  /** Opens a tab in front. */
  async open(url: string): Promise<Tab> {
    const browserContextId = this.#mainContext()?.id;
    const { targetId } = await this.#connection.send("Target.createTarget", { url, browserContextId });
    // The reply comes after the attachment, which has put it in.
    const tab = this.#tabs.get(targetId);
    if (tab === undefined) throw new Error("The tab was closed as it opened");
    this.#believedFront = targetId;
    return tab;
  }

  async activate(tab: Tab): Promise<void> {
    await this.#connection.send("Target.activateTarget", { targetId: tab.id });
    this.#believedFront = tab.id;
    this.#behind.delete(tab.id);
    this.#tell();
  }

  /** Closes a tab as its close button does: its page may ask first. */
  async close(tab: Tab): Promise<void> {
    await tab.session.send("Page.close");
  }

  /** Says that input is about to open a tab behind the one in front, as a middle click on a link does. */
  expectTabBehind(): void {
    this.#openedBehindAt = Date.now();
  }

  /** Calls `listener` after each change of the tabs; its end is the disposal of what is returned. */
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
    const believed = this.#believedFront !== undefined ? this.#tabs.get(this.#believedFront) : undefined;
    const doubtful =
      latest !== undefined && this.#behind.has(latest) ? [this.#tabs.get(latest), believed] : [];
    const visibility = new Map<string, boolean>();
    await Promise.all(
      doubtful.map(async (tab) => {
        if (tab !== undefined) visibility.set(tab.id, await saysVisible(tab));
      }),
    );
    const front = findFrontTab({
      byRecency,
      believed: believed?.id,
      behind: this.#behind,
      saysVisible: (id) => visibility.get(id) ?? true,
    });
    return front === undefined ? tabs[0] : this.#tabs.get(front);
  }

  #remove(tab: Tab): void {
    if (this.#tabs.get(tab.id) !== tab) return;
    this.#tabs.delete(tab.id);
    this.#behind.delete(tab.id);
    this.#tell();
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

/** Asked of a page that runs. In a world of Berth's own: a page could have changed what it says itself. */
async function saysVisible(tab: Tab): Promise<boolean> {
  const asked = evaluateIsolated(tab.session, tab.id, VISIBILITY);
  return (
    (await withinTime(
      asked.catch(() => undefined),
      VISIBILITY_TIMEOUT_MS,
    )) !== "hidden"
  );
}

/** Asked before a new page's first script, whose going to its address takes every other world with it. */
async function startsVisible({ session }: Tab): Promise<boolean> {
  const asked = session.send("Runtime.evaluate", { expression: VISIBILITY, returnByValue: true });
  const answer = await withinTime(
    asked.catch(() => undefined),
    START_TIMEOUT_MS,
  );
  return answer?.result.value !== "hidden";
}

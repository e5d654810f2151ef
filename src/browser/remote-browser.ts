import { z } from "zod";
import { pause } from "../common/concurrency.ts";
import { logError } from "../common/log.ts";
import { drawSelectLists, guardWebRtc } from "../page-scripts/bundled.js";
import { toCall } from "../page-scripts/page-function.ts";
import { AttachedTargets, type Preparation, type TargetInfo } from "./connection/attached-targets.ts";
import { readDevToolsDocument } from "./connection/binding.ts";
import { openControlConnection } from "./connection/control-connection.ts";
import { type HelperPage, withHelperPage } from "./connection/helper-page.ts";
import { BERTH_WORLD } from "./connection/isolated-world.ts";
import { type CDPSession, CDPSessionEvent, type Connection } from "./connection/puppeteer.ts";
import type { BrowserProxy } from "./contexts/browser-proxy.ts";
import { type MainContext, openMainContext } from "./contexts/main-context.ts";
import { PrivateContexts } from "./contexts/private-contexts.ts";
import { authenticate } from "./contexts/proxy-authentication.ts";
import { findProxyFault } from "./contexts/proxy-check.ts";
import type { BrowserExtensions } from "./extensions/browser-extension.ts";
import { ContentScripts } from "./extensions/content-scripts.ts";
import { withoutLoaded } from "./extensions/loaded-extensions.ts";
import { BrowserDisk } from "./files/browser-disk.ts";
import { BrowserDownloads } from "./files/browser-downloads.ts";
import type { Downloads } from "./files/downloads.ts";
import { FileChoosers } from "./files/file-choosers.ts";
import type { SessionFiles } from "./files/session-files.ts";
import { NET_EXPORT_PAGE } from "./relay/intercepted-methods.ts";
import { type BrowserState, collectBrowserState, restoreBrowserState } from "./state/browser-state.ts";
import { STEALTH_TARGET_TYPES, Stealth } from "./stealth/stealth.ts";
import { readClipboard, writeClipboard } from "./tabs/clipboard.ts";
import { captureLastPicture } from "./tabs/screencast.ts";
import type { Tab } from "./tabs/tab.ts";
import { Tabs } from "./tabs/tabs.ts";
import type { Viewport } from "./tabs/viewport.ts";
import { untilOuterSize, Windows } from "./tabs/windows.ts";

const listedPagesSchema = z.array(z.object({ id: z.string(), type: z.string() }));

/** Targets with documents of their own: selects are painted in them, and extensions run. */
const DOCUMENT_TYPES = ["page", "iframe"];

/** Targets that have others below them. */
const PARENT_TYPES = ["page", "iframe", "worker"];

/** Targets whose scripts may make requests by themselves. */
const ACTIVE_TYPES = ["page", "service_worker", "shared_worker"];

/** How long closing may take, which the browser answers before it is done, and how often it is looked. */
const CLOSING_TIMEOUT_MS = 8000;
const CLOSING_PAUSE_MS = 20;

const BLANK = "about:blank";

/** How long a context that was told a proxy's credentials is not told them again. */
const AUTHENTICATION_PAUSE_MS = 5000;

/** Addresses of tabs, and the place among them of the one in front. */
export interface TabList {
  urls: readonly string[];
  front: number | undefined;
}

interface RemoteBrowserOptions {
  viewport: Viewport;
  /** Take from pages what tells that a program drives the browser. */
  stealth: boolean;
  /** The context that the session's pages are in now; undefined while that is the browser's default one. */
  mainContext: () => MainContext | undefined;
  /** The proxy of that context, where it has one. */
  proxy: () => Promise<BrowserProxy | undefined>;
  /** Called with each address that a page or frame has gone to, a worker was started from. */
  onVisit: (url: string) => void;
  /** Loaded by the browser, where it does that; else they run in every page as far as content scripts do. */
  extensions?: BrowserExtensions;
  /** What pages may be given. */
  files: SessionFiles;
  /** Takes what the browser downloads. */
  downloads: Downloads;
  /** Called once, when the connection is lost; not after {@link RemoteBrowser.disconnect}. */
  onDisconnected: () => void;
}

/** One browser, driven for its session's own purposes over a connection of its own. */
export class RemoteBrowser {
  readonly tabs: Tabs;
  readonly disk: BrowserDisk;
  readonly downloads: BrowserDownloads;
  readonly fileChoosers: FileChoosers;
  readonly privateContexts: PrivateContexts;
  readonly #connection: Connection;
  readonly #windows: Windows;
  readonly #targets: AttachedTargets;
  readonly #stealth: Stealth | undefined;
  readonly #contentScripts: ContentScripts | undefined;
  readonly #mainContext: () => MainContext | undefined;
  readonly #onVisit: (url: string) => void;
  readonly #proxy: () => Promise<BrowserProxy | undefined>;
  #onDisconnected: () => void;
  #shown: Promise<void> = Promise.resolve();
  readonly #authenticating = new Map<string, Promise<void>>();
  readonly #authenticatedAt = new Map<string, number>();
  /** The contexts with the session's proxy. Those that a client gave a proxy of its own never hear its credentials. */
  readonly #proxiedContexts = new Set<string>();
  #paintsSelectLists = false;
  #takesFileChoosers = false;

  private constructor(
    connection: Connection,
    options: Omit<RemoteBrowserOptions, "stealth"> & {
      stealth: Stealth | undefined;
      listPages: () => Promise<string[]>;
    },
  ) {
    this.#connection = connection;
    this.#stealth = options.stealth;
    this.#mainContext = options.mainContext;
    this.#proxy = options.proxy;
    const { extensions, mainContext } = options;
    this.#contentScripts =
      extensions === undefined || extensions.list.length === 0 ? undefined : new ContentScripts(extensions);
    this.#windows = new Windows(connection, options.viewport);
    this.tabs = new Tabs(connection, { listPages: options.listPages, mainContext });
    this.privateContexts = new PrivateContexts(connection);
    this.disk = new BrowserDisk(connection, this.privateContexts);
    this.downloads = new BrowserDownloads({
      connection,
      disk: this.disk,
      contexts: this.privateContexts,
      downloads: options.downloads,
      mainContext,
    });
    this.fileChoosers = new FileChoosers({ disk: this.disk, files: options.files, tabs: this.tabs });
    this.#targets = new AttachedTargets(connection, (session, target) => this.#prepare(session, target));
    this.#onDisconnected = options.onDisconnected;
    this.#onVisit = options.onVisit;
    for (const event of ["Target.targetCreated", "Target.targetInfoChanged"] as const) {
      connection.on(event, ({ targetInfo }) => this.#noteVisit(targetInfo));
    }
    connection.once(CDPSessionEvent.Disconnected, () => this.#onDisconnected());
  }

  /**
   * Connects to a browser, begins to keep its windows at the viewport and to follow its tabs.
   *
   * @throws BrowserUnavailableError when the browser is gone; an Error when it does not answer.
   */
  static async connect(
    binding: BrowserRun,
    browserId: string,
    options: RemoteBrowserOptions,
  ): Promise<RemoteBrowser> {
    const connection = await openControlConnection(binding, browserId);
    try {
      const listPages = async () => {
        const listed: unknown = JSON.parse(await readDevToolsDocument(binding, browserId, "list"));
        return listedPagesSchema
          .parse(listed)
          .filter(({ type }) => type === "page")
          .map(({ id }) => id);
      };
      const stealth = options.stealth ? await Stealth.of(connection) : undefined;
      const extensions = options.extensions && (await withoutLoaded(connection, options.extensions));
      const browser = new RemoteBrowser(connection, { ...options, stealth, extensions, listPages });
      const types = stealth === undefined ? ["page"] : STEALTH_TARGET_TYPES;
      await Promise.all([
        browser.tabs.follow(),
        browser.downloads.start(),
        browser.#targets.attachBelow(connection, types),
      ]);
      return browser;
    } catch (error) {
      connection.dispose();
      throw error;
    }
  }

  /**
   * Makes sure that there is a page, as clients expect of a browser, and waits until every window has its size. In
   * stealth and with extensions it waits for the pages too; else what is done in them is for Berth alone, and takes a
   * client's time.
   *
   * @throws when a window cannot be sized, or a page not be prepared.
   */
  async prepareForFirstClient(): Promise<void> {
    await this.#requirePage();
    const isPlain = this.#stealth === undefined && this.#contentScripts === undefined;
    await (isPlain ? this.#targets.started() : this.#targets.prepared());
    await Promise.all(this.tabs.all().map(({ session }) => untilOuterSize(session)));
    this.#shown = this.tabs.firstShown();
    // Nearly every client wants it as it connects. Should it fail now, that client has it made.
    this.downloads.eventsContext().catch(() => undefined);
  }

  /** The same for a browser that had clients before, whose pages may stand still. */
  async prepareForNextClient(): Promise<void> {
    await this.#requirePage();
    await this.#targets.started();
  }

  get mainContext(): MainContext | undefined {
    return this.#mainContext();
  }

  /** Makes a context for the session's pages, in which none is yet. It knows no credentials of the proxy's. */
  openContext(proxy: BrowserProxy | undefined): Promise<MainContext> {
    return openMainContext(this.#connection, proxy);
  }

  /** What keeps a context's pages from using their proxy, found by loading a page; undefined: nothing. */
  findProxyFault(contextId: string, url: string): Promise<string | undefined> {
    return findProxyFault(this.#connection, contextId, url);
  }

  /** Tells a context the credentials of its proxy, the session's unless given, where it has any; at once only once. */
  async authenticate(contextId: string, given?: BrowserProxy): Promise<void> {
    const proxy = given ?? (await this.#proxy());
    if (proxy?.credentials === undefined) return;
    const underWay = this.#authenticating.get(contextId);
    if (underWay !== undefined) return underWay;
    this.#proxiedContexts.add(contextId);
    const work = authenticate(this.#connection, proxy, contextId).finally(() =>
      this.#authenticating.delete(contextId),
    );
    this.#authenticating.set(contextId, work);
    return work;
  }

  /** The addresses of the session's own tabs, those of clients' contexts left out. */
  async listTabs(): Promise<TabList> {
    const main = this.#mainContext();
    const { browserContextIds } = await this.#connection.send("Target.getBrowserContexts");
    const isOwn = ({ contextId = "" }: Tab) =>
      main === undefined ? !browserContextIds.includes(contextId) : contextId === main.id;
    const front = await this.tabs.findFront();
    const tabs = this.tabs.all().filter(isOwn);
    const urls = tabs.map(({ url }) => (url.startsWith("chrome-error:") || url === "" ? BLANK : url));
    const index = front === undefined ? -1 : tabs.indexOf(front);
    return { urls, front: index < 0 ? undefined : index };
  }

  /**
   * Opens tabs in the session's main context, unless it has one, and closes every page, worker and context that there was
   * before. Doing it again finishes what has failed.
   *
   * @throws when something of it goes on.
   */
  async moveToMainContext({ urls, front }: TabList): Promise<void> {
    const main = this.#mainContext();
    if (main === undefined) throw new Error("The session has no context of its own");
    if (!this.tabs.all().some(({ contextId }) => contextId === main.id)) {
      const tabs: Tab[] = [];
      for (const url of urls.length === 0 ? [BLANK] : urls) tabs.push(await this.tabs.open(url));
      const frontTab = front === undefined ? undefined : tabs[front];
      if (frontTab !== undefined) await this.tabs.activate(frontTab);
    }
    const giveUpAt = Date.now() + CLOSING_TIMEOUT_MS;
    while ((await this.#closeAllBut(main)) > 0) {
      if (Date.now() > giveUpAt) throw new Error("Pages of the context before are still there");
      await pause(CLOSING_PAUSE_MS);
    }
  }

  /** @returns how much there was to close. */
  async #closeAllBut(main: MainContext): Promise<number> {
    const [{ targetInfos }, { browserContextIds }] = await Promise.all([
      this.#connection.send("Target.getTargets"),
      this.#connection.send("Target.getBrowserContexts"),
    ]);
    const targets = targetInfos.filter(
      ({ type, browserContextId }) => ACTIVE_TYPES.includes(type) && browserContextId === main.defaultId,
    );
    const contexts = browserContextIds.filter((id) => id !== main.id && !this.privateContexts.has(id));
    await Promise.allSettled([
      ...targets.map(({ targetId }) => this.#connection.send("Target.closeTarget", { targetId })),
      ...contexts.map((id) =>
        this.#connection.send("Target.disposeBrowserContext", { browserContextId: id }),
      ),
    ]);
    return targets.length + contexts.length;
  }

  /**
   * The cookies of the session's main context, and what these origins keep there.
   *
   * @throws when a part of it cannot be had.
   */
  collectState(origins: readonly string[]): Promise<BrowserState> {
    const browserContextId = this.#mainContext()?.id;
    return collectBrowserState(this.#connection, { browserContextId, origins });
  }

  /**
   * Puts such content into a context, beside what is there; into the main one when none is named.
   *
   * @returns the cookies that the browser refused.
   */
  restoreState(
    state: BrowserState,
    contextId = this.#mainContext()?.id,
  ): Promise<{ refusedCookies: string[] }> {
    return restoreBrowserState(this.#connection, state, contextId);
  }

  /** Disposes of a context that is not used after all. */
  async closeContext({ id }: MainContext): Promise<void> {
    await this.#connection.send("Target.disposeBrowserContext", { browserContextId: id });
  }

  /** Resolves when there is a page that clients can use: one that is on its way to its first address they may miss. */
  get shown(): Promise<void> {
    return this.#shown;
  }

  /** Gives the browser's windows another size. */
  async resize(viewport: Viewport): Promise<void> {
    const front = await this.tabs.front();
    await this.#windows.resize(viewport, front.session);
  }

  /** Sends the browser a command: proves that it lives, and keeps the platform from thinking it idle. */
  async ping(): Promise<void> {
    await this.#connection.send("Browser.getVersion");
  }

  /**
   * From now on the lists of selects are part of the pages' pictures, and clicks reach them. Changes how selects
   * look, so it is for browsers that somebody looks at.
   */
  async paintSelectLists(): Promise<void> {
    if (this.#paintsSelectLists) return;
    this.#paintsSelectLists = true;
    const documents = this.#targets.attached(DOCUMENT_TYPES);
    // One that closes meanwhile is not what the others wait for.
    await Promise.allSettled(documents.map((session) => this.#paintSelectListsIn(session)));
  }

  /**
   * From now on the file choosers that Berth's own input opens are dialogs of their tabs. Otherwise Chrome dismisses
   * each as it opens, and tells the page; so it is for browsers that somebody uses with mouse and keyboard.
   */
  async takeFileChoosers(): Promise<void> {
    if (this.#takesFileChoosers) return;
    this.#takesFileChoosers = true;
    const documents = this.#targets.attached(DOCUMENT_TYPES);
    await Promise.allSettled(documents.map((session) => this.fileChoosers.follow(session)));
  }

  /** The text in the clipboard that all pages of the browser share. */
  readClipboard(): Promise<string> {
    return readClipboard(this.#connection);
  }

  writeClipboard(text: string): Promise<void> {
    return writeClipboard(this.#connection, text);
  }

  /** The last picture that a tab has painted; see {@link captureLastPicture}. */
  captureLastPicture(tab: Tab): Promise<string | undefined> {
    return captureLastPicture(this.#connection, tab.id);
  }

  /** Does work in a page that nobody sees; see {@link withHelperPage}. */
  withHelperPage<T>(work: (page: HelperPage) => Promise<T>): Promise<T> {
    return withHelperPage(this.#connection, work);
  }

  /** Ends the connection; the browser goes on. */
  disconnect(): void {
    this.#onDisconnected = () => undefined;
    this.#connection.dispose();
  }

  async #requirePage(): Promise<void> {
    const { targetInfos } = await this.#connection.send("Target.getTargets");
    if (targetInfos.some((target) => target.type === "page" && !this.#isForeign(target))) return;
    await this.#connection.send("Target.createTarget", {
      url: "about:blank",
      browserContextId: this.#mainContext()?.id,
    });
  }

  /** Whether a target is none of the session's: it is in the browser's default context, and that is not its main one. */
  #isForeign({ browserContextId }: TargetInfo): boolean {
    const context = this.#mainContext();
    return context !== undefined && browserContextId === context.defaultId;
  }

  #noteVisit({ url, targetId }: TargetInfo): void {
    this.#onVisit(url);
    // A client's own script may open it, which no check of commands sees.
    if (this.#mainContext()?.proxy !== undefined && url.startsWith(NET_EXPORT_PAGE)) {
      this.#connection.send("Target.closeTarget", { targetId }).catch(() => undefined);
    }
  }

  /** Whoever opens it there, it would be without the session's proxy. */
  async #closeForeign({ type, targetId }: TargetInfo): Promise<void> {
    if (type === "page") await this.#connection.send("Target.closeTarget", { targetId });
  }

  #prepare(session: CDPSession, target: TargetInfo): Preparation {
    if (this.#isForeign(target)) return { beforeStart: this.#closeForeign(target), done: Promise.resolve() };
    const isPage = target.type === "page";
    const works: Promise<unknown>[] = [];
    if (this.#stealth !== undefined) {
      works.push(this.#stealth.prepare(session, target));
      if (PARENT_TYPES.includes(target.type)) {
        works.push(this.#targets.attachBelow(session, STEALTH_TARGET_TYPES));
      }
    }
    if (isPage) {
      session.on("Page.frameNavigated", ({ frame }) => this.#onVisit(frame.url));
      works.push(this.tabs.add(session, target));
    }
    if (DOCUMENT_TYPES.includes(target.type)) {
      if (this.#contentScripts !== undefined) {
        works.push(this.#targets.attachBelow(session, ["iframe"]), this.#contentScripts.prepare(session));
      }
      if (this.#mainContext()?.proxy !== undefined) works.push(this.#guardProxy(session, target));
      if (this.#paintsSelectLists) works.push(this.#paintSelectListsIn(session));
      if (this.#takesFileChoosers) works.push(this.fileChoosers.follow(session));
    }
    return {
      beforeStart: isPage
        ? Promise.all([this.#windows.sizeWindowOf(session, target), this.downloads.addPage(session, target)])
        : Promise.resolve(),
      done: Promise.all(works),
    };
  }

  /** Keeps what a page does from going around the proxy, and the proxy from being forgotten. */
  async #guardProxy(session: CDPSession, { browserContextId }: TargetInfo): Promise<void> {
    session.on("Page.frameNavigated", ({ frame }) => {
      // A proxy that did not answer before, or asks anew, is told the credentials for the next try.
      if (frame.unreachableUrl !== undefined && browserContextId !== undefined) {
        this.#authenticateAgain(browserContextId);
      }
    });
    await Promise.all([
      this.#targets.attachBelow(session, ["iframe"]),
      session.send("Page.enable"),
      session.send("Page.addScriptToEvaluateOnNewDocument", {
        source: toCall(guardWebRtc),
        runImmediately: true,
      }),
    ]);
  }

  #authenticateAgain(contextId: string): void {
    if (contextId !== this.#mainContext()?.id && !this.#proxiedContexts.has(contextId)) return;
    const now = Date.now();
    if (now - (this.#authenticatedAt.get(contextId) ?? 0) < AUTHENTICATION_PAUSE_MS) return;
    this.#authenticatedAt.set(contextId, now);
    this.authenticate(contextId).catch((error) => logError("proxy_not_authenticated", error));
  }

  /** In a page or frame, and in those of its frames that have a process and hence a target of their own. */
  async #paintSelectListsIn(session: CDPSession): Promise<void> {
    await Promise.all([
      this.#targets.attachBelow(session, ["iframe"]),
      session.send("Page.enable"),
      session.send("Page.addScriptToEvaluateOnNewDocument", {
        source: toCall(drawSelectLists),
        worldName: BERTH_WORLD,
        runImmediately: true,
      }),
    ]);
  }
}

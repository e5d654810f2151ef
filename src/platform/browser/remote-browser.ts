import { mayOpen } from "./allowed-urls.ts";
import {
  AttachedTargets,
  DOCUMENT_TYPES,
  type Preparation,
  type TargetInfo,
} from "./connection/attached-targets.ts";
import { type BrowserBinding, listPageIds } from "./connection/binding.ts";
import { openControlConnection, refusalOf } from "./connection/control-connection.ts";
import { type HelperPage, withHelperPage, withSecurePage } from "./connection/helper-page.ts";
import { type CDPSession, CDPSessionEvent, type Connection } from "./connection/puppeteer.ts";
import type { TargetObserver } from "./connection/target-observer.ts";
import type { BrowserProxy } from "./contexts/browser-proxy.ts";
import { type MainContext, openMainContext } from "./contexts/main-context.ts";
import { PrivateContexts } from "./contexts/private-contexts.ts";
import { ProxyAuthenticator } from "./contexts/proxy-authenticator.ts";
import { findProxyError } from "./contexts/proxy-check.ts";
import { guardProxy } from "./contexts/proxy-guard.ts";
import { listTabs, moveTabs, type TabList } from "./contexts/tab-move.ts";
import type { BrowserExtensions } from "./extensions/browser-extension.ts";
import { ContentScripts } from "./extensions/content-scripts.ts";
import { loadIntoBrowser, readLoadedIds } from "./extensions/loaded-extensions.ts";
import { BrowserDisk } from "./files/browser-disk.ts";
import { BrowserDownloads } from "./files/browser-downloads.ts";
import type { Downloads } from "./files/downloads.ts";
import { FileChoosers } from "./files/file-choosers.ts";
import type { SessionFiles } from "./files/session-files.ts";
import { type BrowserState, collectBrowserState, restoreBrowserState } from "./state/browser-state.ts";
import { STEALTH_TARGET_TYPES, Stealth } from "./stealth/stealth.ts";
import { readClipboard, writeClipboard } from "./tabs/clipboard.ts";
import { captureLastPicture, type ScreencastFormat } from "./tabs/screencast.ts";
import { SelectLists } from "./tabs/select-lists.ts";
import type { Tab } from "./tabs/tab.ts";
import { Tabs } from "./tabs/tabs.ts";
import type { Viewport } from "./tabs/viewport.ts";
import { Windows } from "./tabs/windows.ts";

/** Closed when they open a page that clients must not control. */
const CLOSED_TYPES = ["page", "other"];

const PARENT_TYPES = ["page", "iframe", "worker"];

/** These belong to no page. */
const SHARED_WORKER_TYPES = ["shared_worker", "service_worker"];

interface RemoteBrowserOptions {
  viewport: Viewport;
  /** Hide from pages that the browser is automated. */
  stealth: boolean;
  mainContext: () => MainContext | undefined;
  proxy: () => Promise<BrowserProxy | undefined>;
  onVisit: (url: string) => void;
  /** Called with a target that clients must no longer control. */
  onForbidden: (targetId: string) => void;
  /** Loaded by the browser if it can; otherwise only their content scripts run. */
  extensions?: BrowserExtensions;
  files: SessionFiles;
  downloads: Downloads;
  observer?: TargetObserver;
  /** Called once when the connection is lost, but not after {@link RemoteBrowser.disconnect}. */
  onDisconnected: () => void;
}

/**
 * A session's browser, controlled over Berth's own connection.
 *
 * @example
 * ```ts
 * const browser = await RemoteBrowser.connect(env.BROWSER, browserId, options);
 * await browser.prepareForFirstClient();
 * const tab = await browser.tabs.front();
 * await tab.navigate("https://example.com");
 * browser.disconnect(); // the browser keeps running
 * ```
 */
export class RemoteBrowser {
  readonly tabs: Tabs;
  readonly disk: BrowserDisk;
  readonly downloads: BrowserDownloads;
  readonly fileChoosers: FileChoosers;
  readonly privateContexts: PrivateContexts;
  readonly #connection: Connection;
  readonly #windows: Windows;
  readonly #targets: AttachedTargets;
  readonly #selectLists: SelectLists;
  readonly #stealth: Stealth | undefined;
  readonly #contentScripts: ContentScripts | undefined;
  readonly #mainContext: () => MainContext | undefined;
  readonly #onVisit: (url: string) => void;
  readonly #onForbidden: (targetId: string) => void;
  readonly #extensionIds: ReadonlySet<string>;
  readonly #observer: TargetObserver | undefined;
  readonly #authenticator: ProxyAuthenticator;
  #onDisconnected: () => void;
  #shown: Promise<void> = Promise.resolve();
  #takesFileChoosers = false;

  private constructor(
    connection: Connection,
    options: Omit<RemoteBrowserOptions, "stealth"> & {
      stealth: Stealth | undefined;
      extensionIds: ReadonlySet<string>;
      listPages: () => Promise<string[]>;
    },
  ) {
    this.#connection = connection;
    this.#stealth = options.stealth;
    this.#mainContext = options.mainContext;
    this.#authenticator = new ProxyAuthenticator(connection, options.proxy);
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
    this.#targets = new AttachedTargets(connection, (session, target, { isNew }) =>
      this.#prepare(session, target, isNew),
    );
    this.#selectLists = new SelectLists(this.#targets);
    this.#onDisconnected = options.onDisconnected;
    this.#onVisit = options.onVisit;
    this.#onForbidden = options.onForbidden;
    this.#extensionIds = options.extensionIds;
    this.#observer = options.observer;
    for (const event of ["Target.targetCreated", "Target.targetInfoChanged"] as const) {
      connection.on(event, ({ targetInfo }) => this.#noteURL(targetInfo));
    }
    connection.once(CDPSessionEvent.Disconnected, () => this.#onDisconnected());
  }

  /** @throws BrowserUnavailableError if the browser is gone. @throws Error if the browser does not answer. */
  static async connect(
    binding: BrowserBinding,
    browserId: string,
    options: RemoteBrowserOptions,
  ): Promise<RemoteBrowser> {
    const connection = await openControlConnection(binding, browserId);
    try {
      const listPages = () => listPageIds(binding, browserId);
      const stealth = options.stealth ? await Stealth.create(connection) : undefined;
      const extensions = options.extensions && (await loadIntoBrowser(connection, options.extensions));
      const extensionIds = await readLoadedIds(connection, options.extensions);
      const parts = { stealth, extensions, extensionIds, listPages };
      const browser = new RemoteBrowser(connection, { ...options, ...parts });
      const workers = options.observer?.observesWorkers ? SHARED_WORKER_TYPES : [];
      const types = stealth === undefined ? ["page", ...workers] : STEALTH_TARGET_TYPES;
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
   * Opens a page if there is none, and sizes every window. Waits for prepared pages only in stealth mode or
   * with content scripts, because clients depend on them.
   *
   * @throws when a window cannot be sized or a page cannot be prepared.
   */
  async prepareForFirstClient(): Promise<void> {
    await this.#requirePage();
    const isPlain = this.#stealth === undefined && this.#contentScripts === undefined;
    await (isPlain ? this.#targets.started() : this.#targets.prepared());
    await Promise.all(this.tabs.all().map(({ session }) => this.#windows.waitUntilSized(session)));
    this.#shown = this.tabs.waitForFirstPage();
    // Nearly every client needs this context. If it fails now, the first client creates it.
    this.downloads.eventsContext().catch(() => undefined);
  }

  /** Does not wait for pages to be prepared, because a client may have left a page that does not answer. */
  async prepareForNextClient(): Promise<void> {
    await this.#requirePage();
    await this.#targets.started();
  }

  get mainContext(): MainContext | undefined {
    return this.#mainContext();
  }

  /** Whether clients may open the URL and control its page. */
  mayOpen(url: string): boolean {
    return mayOpen(url, this.#extensionIds);
  }

  /** Whether clients may control the target; true for one that does not exist. */
  async mayAttach(targetId: string): Promise<boolean> {
    const answer = this.#connection.send("Target.getTargetInfo", { targetId });
    return answer.then(
      ({ targetInfo }) => this.mayOpen(targetInfo.url),
      (error) => refusalOf(error) !== undefined,
    );
  }

  openContext(proxy: BrowserProxy | undefined): Promise<MainContext> {
    return openMainContext(this.#connection, proxy);
  }

  findProxyError(contextId: string, url: string): Promise<string | undefined> {
    return findProxyError(this.#connection, contextId, url);
  }

  authenticate(contextId: string, proxy?: BrowserProxy): Promise<void> {
    return this.#authenticator.authenticate(contextId, proxy);
  }

  listTabs(): Promise<TabList> {
    return listTabs(this.#parts, this.#mainContext());
  }

  /** See {@link moveTabs}. */
  async moveToMainContext(list: TabList): Promise<void> {
    const main = this.#mainContext();
    if (main === undefined) throw new Error("The session has no context of its own");
    await moveTabs(this.#parts, main, list);
  }

  collectState(origins: readonly string[]): Promise<BrowserState> {
    const browserContextId = this.#mainContext()?.id;
    return collectBrowserState(this.#connection, { browserContextId, origins });
  }

  restoreState(
    state: BrowserState,
    contextId = this.#mainContext()?.id,
  ): Promise<{ refusedCookies: string[] }> {
    return restoreBrowserState(this.#connection, state, contextId);
  }

  async closeContext({ id }: MainContext): Promise<void> {
    await this.#connection.send("Target.disposeBrowserContext", { browserContextId: id });
  }

  get shown(): Promise<void> {
    return this.#shown;
  }

  async resize(viewport: Viewport): Promise<void> {
    const front = await this.tabs.front();
    await this.#windows.resize(viewport, front.session);
  }

  /** Checks that the browser answers, and resets the platform's idle timer. */
  async ping(): Promise<void> {
    await this.#connection.send("Browser.getVersion");
  }

  paintSelectLists(): Promise<void> {
    return this.#selectLists.paint();
  }

  /**
   * Shows file choosers as dialogs of their tabs. Chrome then dismisses the native chooser and notifies the
   * page, so only browsers with mouse and keyboard input use it.
   */
  async takeFileChoosers(): Promise<void> {
    if (this.#takesFileChoosers) return;
    this.#takesFileChoosers = true;
    const documents = this.#targets.attached(DOCUMENT_TYPES);
    await Promise.allSettled(documents.map((session) => this.fileChoosers.follow(session)));
  }

  /** Lets the observer see the frames in other processes and the workers that it wants. */
  async observeChildren(): Promise<void> {
    const works = this.#targets.attached(PARENT_TYPES).map((session) => this.#observeBelow(session));
    if (this.#observer?.observesWorkers) {
      works.push(this.#targets.attachBelow(this.#connection, SHARED_WORKER_TYPES));
    }
    await Promise.allSettled(works);
  }

  readClipboard(): Promise<string> {
    return readClipboard(this.#connection);
  }

  writeClipboard(text: string): Promise<void> {
    return writeClipboard(this.#connection, text);
  }

  captureLastPicture(tab: Tab, format?: ScreencastFormat): Promise<string | undefined> {
    return captureLastPicture(this.#connection, tab.id, format);
  }

  withHelperPage<T>(work: (page: HelperPage) => Promise<T>): Promise<T> {
    return withHelperPage(this.#connection, work);
  }

  /** Like {@link withHelperPage}, in a secure origin and a context of its own. */
  withSecurePage<T>(work: (page: HelperPage) => Promise<T>): Promise<T> {
    return this.privateContexts.with((id) => withSecurePage(this.#connection, work, id));
  }

  disconnect(): void {
    this.#onDisconnected = () => undefined;
    this.#connection.dispose();
  }

  get #parts() {
    return { connection: this.#connection, tabs: this.tabs, privateContexts: this.privateContexts };
  }

  async #requirePage(): Promise<void> {
    const { targetInfos } = await this.#connection.send("Target.getTargets");
    if (targetInfos.some((target) => target.type === "page" && !this.#isForeign(target))) return;
    await this.#connection.send("Target.createTarget", {
      url: "about:blank",
      browserContextId: this.#mainContext()?.id,
    });
  }

  #isForeign({ browserContextId }: TargetInfo): boolean {
    const context = this.#mainContext();
    return context !== undefined && browserContextId === context.defaultId;
  }

  #noteURL({ type, url, targetId }: TargetInfo): void {
    if (this.mayOpen(url)) {
      this.#onVisit(url);
      return;
    }
    this.#onForbidden(targetId);
    // An extension can open it.
    if (CLOSED_TYPES.includes(type))
      this.#connection.send("Target.closeTarget", { targetId }).catch(() => undefined);
  }

  /** A page in the default context would bypass the session's proxy. */
  async #closeForeign({ type, targetId }: TargetInfo): Promise<void> {
    if (type === "page") await this.#connection.send("Target.closeTarget", { targetId });
  }

  #prepare(session: CDPSession, target: TargetInfo, isNew: boolean): Preparation {
    if (this.#isForeign(target)) return { beforeStart: this.#closeForeign(target), done: Promise.resolve() };
    const isPage = target.type === "page";
    const isDocument = DOCUMENT_TYPES.includes(target.type);
    const sharesRuntime = isDocument && this.#contentScripts !== undefined;
    const works: Promise<unknown>[] = [];
    // Before stealth, which starts service workers.
    this.#observer?.observe(session, target, { isNew, sharesRuntime });
    if (PARENT_TYPES.includes(target.type)) works.push(this.#observeBelow(session));
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
    if (isDocument) {
      if (this.#contentScripts !== undefined) {
        works.push(this.#targets.attachBelow(session, ["iframe"]), this.#contentScripts.prepare(session));
      }
      if (this.#mainContext()?.proxy !== undefined) works.push(this.#guardProxy(session, target));
      if (this.#selectLists.isPainting) works.push(this.#selectLists.paintIn(session));
      if (this.#takesFileChoosers) works.push(this.fileChoosers.follow(session));
    }
    return {
      beforeStart: isPage
        ? Promise.all([this.#windows.sizeWindowOf(session, target), this.downloads.addPage(session, target)])
        : Promise.resolve(),
      done: Promise.all(works),
    };
  }

  async #observeBelow(session: CDPSession): Promise<void> {
    const { observesFrames = false, observesWorkers = false } = this.#observer ?? {};
    const types = [...(observesFrames ? ["iframe"] : []), ...(observesWorkers ? ["worker"] : [])];
    await this.#targets.attachBelow(session, types);
  }

  #guardProxy(session: CDPSession, { browserContextId }: TargetInfo): Promise<void> {
    return guardProxy(session, this.#targets, () => {
      if (browserContextId !== undefined) {
        this.#authenticator.retry(browserContextId, this.#mainContext()?.id);
      }
    });
  }
}

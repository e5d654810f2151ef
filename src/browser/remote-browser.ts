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
import { Windows, waitForOuterSize } from "./tabs/windows.ts";

const listedPagesSchema = z.array(z.object({ id: z.string(), type: z.string() }));

const DOCUMENT_TYPES = ["page", "iframe"];

const PARENT_TYPES = ["page", "iframe", "worker"];

/** Targets whose scripts can make requests on their own. */
const ACTIVE_TYPES = ["page", "service_worker", "shared_worker"];

/** The browser answers a close command before the target is closed. */
const CLOSE_TIMEOUT_MS = 8000;
const CLOSE_POLL_INTERVAL_MS = 20;

const BLANK = "about:blank";

const AUTHENTICATION_INTERVAL_MS = 5000;

export interface TabList {
  urls: readonly string[];
  front: number | undefined;
}

interface RemoteBrowserOptions {
  viewport: Viewport;
  /** Hide from pages that a program controls the browser. */
  stealth: boolean;
  mainContext: () => MainContext | undefined;
  proxy: () => Promise<BrowserProxy | undefined>;
  onVisit: (url: string) => void;
  /** Loaded by the browser if it can; otherwise only their content scripts run. */
  extensions?: BrowserExtensions;
  files: SessionFiles;
  downloads: Downloads;
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
  readonly #stealth: Stealth | undefined;
  readonly #contentScripts: ContentScripts | undefined;
  readonly #mainContext: () => MainContext | undefined;
  readonly #onVisit: (url: string) => void;
  readonly #proxy: () => Promise<BrowserProxy | undefined>;
  #onDisconnected: () => void;
  #shown: Promise<void> = Promise.resolve();
  readonly #authenticating = new Map<string, Promise<void>>();
  readonly #authenticatedAt = new Map<string, number>();
  /** Contexts with the session's proxy. A context with a client's own proxy never gets its credentials. */
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
   * @throws BrowserUnavailableError when the browser is gone.
   * @throws Error when the browser does not answer.
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
      const stealth = options.stealth ? await Stealth.create(connection) : undefined;
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
   * Opens a page if there is none, and sizes every window. Waits for prepared pages only in stealth mode or
   * with content scripts, because clients depend on them.
   *
   * @throws when a window cannot be sized or a page cannot be prepared.
   */
  async prepareForFirstClient(): Promise<void> {
    await this.#requirePage();
    const isPlain = this.#stealth === undefined && this.#contentScripts === undefined;
    await (isPlain ? this.#targets.started() : this.#targets.prepared());
    await Promise.all(this.tabs.all().map(({ session }) => waitForOuterSize(session)));
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

  openContext(proxy: BrowserProxy | undefined): Promise<MainContext> {
    return openMainContext(this.#connection, proxy);
  }

  findProxyFault(contextId: string, url: string): Promise<string | undefined> {
    return findProxyFault(this.#connection, contextId, url);
  }

  /** Gives a context its proxy's credentials. Concurrent calls share one attempt. */
  async authenticate(contextId: string, given?: BrowserProxy): Promise<void> {
    const proxy = given ?? (await this.#proxy());
    if (proxy?.credentials === undefined) return;
    const pending = this.#authenticating.get(contextId);
    if (pending !== undefined) return pending;
    this.#proxiedContexts.add(contextId);
    const work = authenticate(this.#connection, proxy, contextId).finally(() =>
      this.#authenticating.delete(contextId),
    );
    this.#authenticating.set(contextId, work);
    return work;
  }

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
   * Opens tabs in the session's main context if it has none, and closes everything in other contexts. A
   * repeated call completes a failed one.
   *
   * @throws when pages of other contexts stay open.
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
    const deadline = Date.now() + CLOSE_TIMEOUT_MS;
    while ((await this.#closeAllExcept(main)) > 0) {
      if (Date.now() > deadline) throw new Error("Pages of the context before are still there");
      await pause(CLOSE_POLL_INTERVAL_MS);
    }
  }

  async #closeAllExcept(main: MainContext): Promise<number> {
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

  /**
   * Draws the lists of selects into the pages, because screenshots and screencasts do not contain native
   * ones. It changes how selects look, so only browsers with viewers use it.
   */
  async paintSelectLists(): Promise<void> {
    if (this.#paintsSelectLists) return;
    this.#paintsSelectLists = true;
    const documents = this.#targets.attached(DOCUMENT_TYPES);
    await Promise.allSettled(documents.map((session) => this.#paintSelectListsIn(session)));
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

  readClipboard(): Promise<string> {
    return readClipboard(this.#connection);
  }

  writeClipboard(text: string): Promise<void> {
    return writeClipboard(this.#connection, text);
  }

  captureLastPicture(tab: Tab): Promise<string | undefined> {
    return captureLastPicture(this.#connection, tab.id);
  }

  withHelperPage<T>(work: (page: HelperPage) => Promise<T>): Promise<T> {
    return withHelperPage(this.#connection, work);
  }

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

  #isForeign({ browserContextId }: TargetInfo): boolean {
    const context = this.#mainContext();
    return context !== undefined && browserContextId === context.defaultId;
  }

  #noteVisit({ url, targetId }: TargetInfo): void {
    this.#onVisit(url);
    // A page's script can open it without a command.
    if (this.#mainContext()?.proxy !== undefined && url.startsWith(NET_EXPORT_PAGE)) {
      this.#connection.send("Target.closeTarget", { targetId }).catch(() => undefined);
    }
  }

  /** A page in the default context would bypass the session's proxy. */
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

  async #guardProxy(session: CDPSession, { browserContextId }: TargetInfo): Promise<void> {
    session.on("Page.frameNavigated", ({ frame }) => {
      if (frame.unreachableUrl !== undefined && browserContextId !== undefined) {
        this.#retryAuthentication(browserContextId);
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

  #retryAuthentication(contextId: string): void {
    if (contextId !== this.#mainContext()?.id && !this.#proxiedContexts.has(contextId)) return;
    const now = Date.now();
    if (now - (this.#authenticatedAt.get(contextId) ?? 0) < AUTHENTICATION_INTERVAL_MS) return;
    this.#authenticatedAt.set(contextId, now);
    this.authenticate(contextId).catch((error) => logError("proxy_not_authenticated", error));
  }

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

import type { CDPSession } from "@cloudflare/puppeteer/internal/api/CDPSession.js";
import { CDPSessionEvent } from "@cloudflare/puppeteer/internal/api/CDPSession.js";
import type { Connection } from "@cloudflare/puppeteer/internal/cdp/Connection.js";
import { z } from "zod";
import { AttachedTargets, type Preparation, type TargetInfo } from "./attached-targets.ts";
import { readDevToolsDocument } from "./binding.ts";
import { BrowserDisk } from "./browser-disk.ts";
import { BrowserDownloads } from "./browser-downloads.ts";
import { readClipboard, writeClipboard } from "./clipboard.ts";
import { type BrowserExtensions, ContentScripts } from "./content-scripts.ts";
import { openControlConnection } from "./control-connection.ts";
import type { Downloads } from "./downloads.ts";
import { FileChoosers } from "./file-choosers.ts";
import { type HelperPage, withHelperPage } from "./helper-page.ts";
import { BERTH_WORLD } from "./isolated-world.ts";
import { withoutLoaded } from "./loaded-extensions.ts";
import { PrivateContexts } from "./private-contexts.ts";
import { captureLastPicture } from "./screencast.ts";
import { SELECT_LIST_SCRIPT } from "./select-lists.ts";
import type { SessionFiles } from "./session-files.ts";
import { STEALTH_TARGET_TYPES, Stealth } from "./stealth.ts";
import type { Tab } from "./tab.ts";
import { Tabs } from "./tabs.ts";
import type { Viewport } from "./viewport.ts";
import { Windows } from "./windows.ts";

const listedPagesSchema = z.array(z.object({ id: z.string(), type: z.string() }));

/** Targets with documents of their own: selects are painted in them, and extensions run. */
const DOCUMENT_TYPES = ["page", "iframe"];

/** Targets that have others below them. */
const PARENT_TYPES = ["page", "iframe", "worker"];

interface RemoteBrowserOptions {
  viewport: Viewport;
  /** Take from pages what tells that a program drives the browser. */
  stealth: boolean;
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
  #onDisconnected: () => void;
  #shown: Promise<void> = Promise.resolve();
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
    const { extensions } = options;
    this.#contentScripts =
      extensions === undefined || extensions.list.length === 0 ? undefined : new ContentScripts(extensions);
    this.#windows = new Windows(connection, options.viewport);
    this.tabs = new Tabs(connection, options.listPages);
    this.privateContexts = new PrivateContexts(connection);
    this.disk = new BrowserDisk(connection, this.privateContexts);
    this.downloads = new BrowserDownloads({
      connection,
      disk: this.disk,
      contexts: this.privateContexts,
      downloads: options.downloads,
    });
    this.fileChoosers = new FileChoosers({ disk: this.disk, files: options.files, tabs: this.tabs });
    this.#targets = new AttachedTargets(connection, (session, target) => this.#prepare(session, target));
    this.#onDisconnected = options.onDisconnected;
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
    this.#shown = this.tabs.firstShown();
    // Nearly every client wants it as it connects. Should it fail now, that client has it made.
    this.downloads.eventsContext().catch(() => undefined);
  }

  /** The same for a browser that had clients before, whose pages may stand still. */
  async prepareForNextClient(): Promise<void> {
    await this.#requirePage();
    await this.#targets.started();
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
    if (targetInfos.some((target) => target.type === "page")) return;
    await this.#connection.send("Target.createTarget", { url: "about:blank" });
  }

  #prepare(session: CDPSession, target: TargetInfo): Preparation {
    const isPage = target.type === "page";
    const works: Promise<unknown>[] = [];
    if (this.#stealth !== undefined) {
      works.push(this.#stealth.prepare(session, target));
      if (PARENT_TYPES.includes(target.type)) {
        works.push(this.#targets.attachBelow(session, STEALTH_TARGET_TYPES));
      }
    }
    if (isPage) works.push(this.tabs.add(session, target));
    if (DOCUMENT_TYPES.includes(target.type)) {
      if (this.#contentScripts !== undefined) {
        works.push(this.#targets.attachBelow(session, ["iframe"]), this.#contentScripts.prepare(session));
      }
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

  /** In a page or frame, and in those of its frames that have a process and hence a target of their own. */
  async #paintSelectListsIn(session: CDPSession): Promise<void> {
    await Promise.all([
      this.#targets.attachBelow(session, ["iframe"]),
      session.send("Page.enable"),
      session.send("Page.addScriptToEvaluateOnNewDocument", {
        source: SELECT_LIST_SCRIPT,
        worldName: BERTH_WORLD,
        runImmediately: true,
      }),
    ]);
  }
}

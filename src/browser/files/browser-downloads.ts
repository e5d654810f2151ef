import type { Protocol } from "devtools-protocol";
import { logError } from "../../common/log.ts";
import type { TargetInfo } from "../connection/attached-targets.ts";
import { refusalOf } from "../connection/control-connection.ts";
import { type CDPSession, CDPSessionEvent, type Connection } from "../connection/puppeteer.ts";
import type { MainContext } from "../contexts/main-context.ts";
import type { PrivateContexts } from "../contexts/private-contexts.ts";
import type { BrowserDisk } from "./browser-disk.ts";
import { DEFAULT_CONTEXT } from "./download-behaviors.ts";
import type { DownloadBehavior } from "./download-places.ts";
import type { DownloadClient, Downloads, Places } from "./downloads.ts";

interface BrowserDownloadsOptions {
  connection: Connection;
  disk: BrowserDisk;
  contexts: PrivateContexts;
  downloads: Downloads;
  /** The session's main context now; undefined while that is the browser's default one. */
  mainContext: () => MainContext | undefined;
}

/**
 * The downloads of one browser. In each of its contexts they are put, under their GUIDs, where Berth reads them. What
 * clients want to become of them is kept in mind, and not told to the browser but for a refusal: it forgets all about
 * a context when any session ends that has said something about it.
 */
export class BrowserDownloads {
  readonly #options: BrowserDownloadsOptions;
  /** Of each id that a context goes by the one that it has here, once the context is set up. */
  readonly #contexts = new Map<string, Promise<string>>();
  readonly #contextsOfPages = new Map<string, string | undefined>();
  /** Contexts of downloads that the pages of their frames have told of. */
  readonly #contextsHeard = new Map<string, string | undefined>();
  readonly #begun = new Map<string, Promise<Places>>();
  #eventsContext: Promise<string> | undefined;
  #isOver = false;

  constructor(options: BrowserDownloadsOptions) {
    this.#options = options;
    const { connection } = options;
    connection.on("Browser.downloadWillBegin", (event) => this.#begin(event));
    connection.on("Browser.downloadProgress", ({ guid, state }) => {
      if (state === "canceled") this.#drop(guid);
      if (state === "completed") void this.#store(guid);
    });
    connection.once(CDPSessionEvent.Disconnected, () => {
      this.#isOver = true;
      for (const guid of [...this.#begun.keys()]) this.#drop(guid);
    });
  }

  /**
   * Begins with the default context; each other follows with its first page. A browser that lets nobody have its
   * downloads is used without them.
   */
  async start(): Promise<void> {
    this.#contexts.set(DEFAULT_CONTEXT, Promise.resolve(DEFAULT_CONTEXT));
    await this.apply(DEFAULT_CONTEXT).catch((error) => {
      if (refusalOf(error) === undefined) throw error;
      logError("downloads_not_followed", error);
    });
  }

  /** Sets a page's context up, and follows the downloads of the page's frames. */
  async addPage(session: CDPSession, { targetId, browserContextId }: TargetInfo): Promise<void> {
    this.#contextsOfPages.set(targetId, browserContextId);
    session.once(CDPSessionEvent.Disconnected, () => this.#contextsOfPages.delete(targetId));
    session.on("Page.downloadWillBegin", ({ guid }) => this.#contextsHeard.set(guid, browserContextId));
    await this.#setUp(browserContextId).catch((error) => {
      // The context was disposed of meanwhile, or the browser refuses as it did at the start.
      if (refusalOf(error) === undefined) throw error;
    });
  }

  /**
   * Notes what a client wants to become of a context's downloads.
   *
   * @param contextId the browser's id of it; its default one when absent.
   * @param behavior undefined when it has no wish any more.
   * @throws what {@link refusalOf} explains when there is no such context.
   */
  async setBehavior(
    client: DownloadClient,
    contextId: string | undefined,
    behavior: DownloadBehavior | undefined,
  ): Promise<void> {
    const { behaviors } = this.#options.downloads;
    const id = await this.#setUp(contextId);
    const wasDenied = behaviors.isDenied(id);
    behaviors.set(client, id, behavior);
    if (behaviors.isDenied(id) !== wasDenied) await this.apply(id);
  }

  /** Tells the browser whether a context may download; `contextId` as {@link Downloads} knows it. */
  async apply(contextId: string): Promise<void> {
    await this.#tellBrowser(contextId, contextId);
  }

  /**
   * A context in which nothing is ever downloaded: a client's session that is to hear of downloads, which takes a
   * command about some context, is sent one about this one.
   */
  eventsContext(): Promise<string> {
    this.#eventsContext ??= this.#options.contexts.open().catch((error) => {
      this.#eventsContext = undefined;
      throw error;
    });
    return this.#eventsContext;
  }

  #setUp(contextId = DEFAULT_CONTEXT): Promise<string> {
    const known = this.#contexts.get(contextId);
    if (known !== undefined) return known;
    const setUp = this.#setUpContext(contextId);
    this.#contexts.set(contextId, setUp);
    setUp.catch(() => this.#contexts.delete(contextId));
    return setUp;
  }

  async #setUpContext(contextId: string): Promise<string> {
    const { connection, mainContext } = this.#options;
    if (contextId === mainContext()?.id) {
      await this.#tellBrowser(contextId, DEFAULT_CONTEXT);
      return DEFAULT_CONTEXT;
    }
    const { browserContextIds } = await connection.send("Target.getBrowserContexts");
    // The default one has an id too, which is not in the list.
    const id = browserContextIds.includes(contextId) ? contextId : DEFAULT_CONTEXT;
    await this.#tellBrowser(contextId, id);
    return id;
  }

  async #tellBrowser(contextId: string, id: string): Promise<void> {
    const { connection, disk, downloads, mainContext } = this.#options;
    const downloadPath = await disk.directory();
    const browserContextId = contextId === DEFAULT_CONTEXT ? mainContext()?.id : contextId;
    await connection.send("Browser.setDownloadBehavior", {
      behavior: downloads.behaviors.isDenied(id) ? "deny" : "allowAndName",
      downloadPath,
      eventsEnabled: true,
      ...(browserContextId === undefined ? {} : { browserContextId }),
    });
  }

  #begin({ guid, frameId, suggestedFilename }: Protocol.Browser.DownloadWillBeginEvent): void {
    const { disk, downloads } = this.#options;
    if (disk.isOwnFrame(frameId)) return;
    const contextId = this.#contextOf(frameId, guid);
    this.#begun.set(
      guid,
      contextId.then((id) => downloads.begin({ guid, name: suggestedFilename }, id)),
    );
  }

  /** A page that a download was opened in may close as the download begins, so it is remembered. */
  async #contextOf(frameId: string, guid: string): Promise<string> {
    const heard = this.#contextsOfPages.get(frameId) ?? this.#contextsHeard.get(guid);
    this.#contextsHeard.delete(guid);
    try {
      return await this.#setUp(heard ?? (await this.#askContextOf(frameId)));
    } catch {
      // It was disposed of meanwhile.
      return DEFAULT_CONTEXT;
    }
  }

  /** A frame with a process of its own is a target. */
  async #askContextOf(frameId: string): Promise<string | undefined> {
    const { targetInfos } = await this.#options.connection.send("Target.getTargets");
    return targetInfos.find(({ targetId }) => targetId === frameId)?.browserContextId;
  }

  async #store(guid: string): Promise<void> {
    const { disk, downloads } = this.#options;
    const places = this.#begun.get(guid);
    if (places === undefined) return;
    this.#begun.delete(guid);
    try {
      const path = `${await disk.directory()}/${guid}`;
      await downloads.store(guid, await places, (use) => disk.read(path, use));
      await disk.clear(path);
    } catch (error) {
      // What is left on its disk ends with the browser.
      if (!this.#isOver) logError("download_not_cleared", error);
    }
  }

  #drop(guid: string): void {
    if (this.#begun.delete(guid)) this.#options.downloads.drop(guid);
  }
}

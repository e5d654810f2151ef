import type { Protocol } from "devtools-protocol";
import { logError } from "../../../lib/common/log.ts";
import type { TargetInfo } from "../connection/attached-targets.ts";
import { orUndefinedIfRefused, refusalOf } from "../connection/control-connection.ts";
import { type CDPSession, CDPSessionEvent, type Connection } from "../connection/puppeteer.ts";
import type { MainContext } from "../contexts/main-context.ts";
import type { PrivateContexts } from "../contexts/private-contexts.ts";
import type { BrowserDisk } from "./browser-disk.ts";
import { DEFAULT_CONTEXT } from "./download-behaviors.ts";
import type { DownloadBehavior } from "./download-destinations.ts";
import type { DownloadClient, Downloads, Places } from "./downloads.ts";

interface BrowserDownloadsOptions {
  connection: Connection;
  disk: BrowserDisk;
  contexts: PrivateContexts;
  downloads: Downloads;
  mainContext: () => MainContext | undefined;
}

/**
 * Collects downloads. All contexts save them under their GUIDs in one directory. Clients' settings are kept
 * here; the browser learns only denials, as it resets a context's behavior when a session that set it ends.
 */
export class BrowserDownloads {
  readonly #options: BrowserDownloadsOptions;
  readonly #contexts = new Map<string, Promise<string>>();
  readonly #contextsOfPages = new Map<string, string | undefined>();
  readonly #reportedContexts = new Map<string, string | undefined>();
  readonly #begun = new Map<string, Promise<Places>>();
  #eventsContext: Promise<string> | undefined;
  #isDisconnected = false;

  constructor(options: BrowserDownloadsOptions) {
    this.#options = options;
    const { connection } = options;
    connection.on("Browser.downloadWillBegin", (event) => this.#begin(event));
    connection.on("Browser.downloadProgress", ({ guid, state }) => {
      if (state === "canceled") this.#drop(guid);
      if (state === "completed") void this.#store(guid);
    });
    connection.once(CDPSessionEvent.Disconnected, () => {
      this.#isDisconnected = true;
      for (const guid of [...this.#begun.keys()]) this.#drop(guid);
    });
  }

  /** Other contexts follow with their first page. A browser that refuses is used without downloads. */
  async start(): Promise<void> {
    this.#contexts.set(DEFAULT_CONTEXT, Promise.resolve(DEFAULT_CONTEXT));
    await this.apply(DEFAULT_CONTEXT).catch((error) => {
      if (refusalOf(error) === undefined) throw error;
      logError("downloads_not_followed", error);
    });
  }

  async addPage(session: CDPSession, { targetId, browserContextId }: TargetInfo): Promise<void> {
    this.#contextsOfPages.set(targetId, browserContextId);
    session.once(CDPSessionEvent.Disconnected, () => this.#contextsOfPages.delete(targetId));
    session.on("Page.downloadWillBegin", ({ guid }) => this.#reportedContexts.set(guid, browserContextId));
    await orUndefinedIfRefused(this.#setUp(browserContextId));
  }

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

  async apply(contextId: string): Promise<void> {
    await this.#sendBehavior(contextId, contextId);
  }

  /** Without downloads: a client's subscription to download events must not change a real context. */
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
      await this.#sendBehavior(contextId, DEFAULT_CONTEXT);
      return DEFAULT_CONTEXT;
    }
    const { browserContextIds } = await connection.send("Target.getBrowserContexts");
    const id = browserContextIds.includes(contextId) ? contextId : DEFAULT_CONTEXT;
    await this.#sendBehavior(contextId, id);
    return id;
  }

  async #sendBehavior(contextId: string, id: string): Promise<void> {
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

  /** The page may close as its download begins, so its context is remembered. */
  async #contextOf(frameId: string, guid: string): Promise<string> {
    const reported = this.#contextsOfPages.get(frameId) ?? this.#reportedContexts.get(guid);
    this.#reportedContexts.delete(guid);
    try {
      return await this.#setUp(reported ?? (await this.#askContextOf(frameId)));
    } catch {
      return DEFAULT_CONTEXT;
    }
  }

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
      if (!this.#isDisconnected) logError("download_not_cleared", error);
    }
  }

  #drop(guid: string): void {
    if (this.#begun.delete(guid)) this.#options.downloads.drop(guid);
  }
}

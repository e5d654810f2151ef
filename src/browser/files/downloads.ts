import { DownloadBehaviors } from "./download-behaviors.ts";
import { type Download, placesOf } from "./download-places.ts";
import type { SessionFiles } from "./session-files.ts";
import { WorkSlots } from "./work-slots.ts";

/** So many downloads are copied at once: each holds a few chunks in memory. */
const MAX_CONCURRENT_COPIES = 3;

/** How much earlier a client's connection may tell of a download's end than the session's own of its beginning. */
const EVENT_TIMEOUT_MS = 5000;

/** Of so many downloads is it remembered what became of them, for clients that hear of their end later. */
const REMEMBERED = 200;

/** Whoever wants something to become of downloads: an identity, and nothing else. */
export type DownloadClient = object;

/** Where a download belongs; it is stored at the first place. */
export type Places = ReturnType<typeof placesOf<DownloadClient>>;

/** Reads what a browser has downloaded, as long as `use` takes. */
export type ReadDownload = <T>(use: (body: ReadableStream<Uint8Array>) => Promise<T>) => Promise<T>;

interface DownloadsOptions {
  files: SessionFiles;
  /** Called as a copy begins; what it returns is disposed at its end. */
  beginUse: () => Disposable;
  /** Called when a download that is complete in the browser cannot be put where it belongs. */
  onFailure: (error: unknown) => void;
}

/** Where a download is now. */
export class StoredDownload {
  readonly #path: string;
  readonly #pathsOfClients: ReadonlyMap<DownloadClient | undefined, string>;

  constructor(path: string, pathsOfClients: ReadonlyMap<DownloadClient | undefined, string>) {
    this.#path = path;
    this.#pathsOfClients = pathsOfClients;
  }

  /** Its path where that client wanted it, else where it was put first. */
  pathFor(client: DownloadClient): string {
    return this.#pathsOfClients.get(client) ?? this.#path;
  }
}

interface Result extends PromiseWithResolvers<StoredDownload | undefined> {
  /** `asked`: nobody but a client that waits for its end has told of it. */
  state: "asked" | "begun" | "settled";
}

/** A session's downloads on their way from its browser to its files, over whatever connection to the browser. */
export class Downloads {
  readonly behaviors = new DownloadBehaviors<DownloadClient>();
  readonly #options: DownloadsOptions;
  readonly #slots = new WorkSlots(MAX_CONCURRENT_COPIES);
  readonly #results = new Map<string, Result>();

  constructor(options: DownloadsOptions) {
    this.#options = options;
  }

  /** Notes that a download has begun. @returns where it will be. */
  begin(download: Download, contextId: string): Places {
    const result = this.#result(download.guid);
    if (result.state === "asked") result.state = "begun";
    return placesOf(download, this.behaviors.of(contextId));
  }

  /** Stores a download that is complete. When that fails, those who wait for it are told that nothing comes of it. */
  async store(guid: string, places: Places, read: ReadDownload): Promise<void> {
    const { beginUse, onFailure } = this.#options;
    using _use = beginUse();
    try {
      this.#settle(guid, await this.#slots.run(() => this.#store(places, read)));
    } catch (error) {
      onFailure(error);
      this.drop(guid);
    }
  }

  /** Notes that nothing comes of a download. */
  drop(guid: string): void {
    this.#settle(guid, undefined);
  }

  /**
   * Waits until a download that is complete in the browser can be read.
   *
   * @returns undefined when nothing comes of it.
   */
  async whenStored(guid: string): Promise<StoredDownload | undefined> {
    const result = this.#result(guid);
    const timer = setTimeout(() => {
      if (result.state === "asked") this.drop(guid);
    }, EVENT_TIMEOUT_MS);
    try {
      return await result.promise;
    } finally {
      clearTimeout(timer);
    }
  }

  async #store(places: Places, read: ReadDownload): Promise<StoredDownload> {
    const { files, onFailure } = this.#options;
    const [first, ...others] = places;
    const path = await read((body) => files.store(first.place, body));
    const pathsOfClients = new Map([[first.client, path]]);
    for (const { client, place } of others) {
      try {
        pathsOfClients.set(client, await files.link(path, place));
      } catch (error) {
        // One client's directory that cannot be is no reason to keep the file from the others.
        onFailure(error);
      }
    }
    return new StoredDownload(path, pathsOfClients);
  }

  #settle(guid: string, stored: StoredDownload | undefined): void {
    const result = this.#result(guid);
    result.state = "settled";
    result.resolve(stored);
    for (const [oldest, { state }] of this.#results) {
      if (this.#results.size <= REMEMBERED) return;
      if (state === "settled") this.#results.delete(oldest);
    }
  }

  #result(guid: string): Result {
    const found = this.#results.get(guid);
    if (found !== undefined) return found;
    const result: Result = { ...Promise.withResolvers<StoredDownload | undefined>(), state: "asked" };
    this.#results.set(guid, result);
    return result;
  }
}

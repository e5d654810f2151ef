import { Semaphore } from "../../../lib/common/semaphore.ts";
import { DownloadBehaviors } from "./download-behaviors.ts";
import { type Download, downloadDestinations } from "./download-destinations.ts";
import type { SessionFiles } from "./session-files.ts";

const MAX_CONCURRENT_COPIES = 3;

/** A client's connection may report a download's end this much before the session's reports its start. */
const EVENT_TIMEOUT_MS = 5000;

const MAX_RESULTS = 200;

export type DownloadClient = object;

/** The download is stored at the first place and linked at the others. */
export type Places = ReturnType<typeof downloadDestinations<DownloadClient>>;

export type ReadDownload = <T>(use: (body: ReadableStream<Uint8Array>) => Promise<T>) => Promise<T>;

interface DownloadsOptions {
  files: SessionFiles;
  beginUse: () => Disposable;
  onFailure: (error: unknown) => void;
}

export class StoredDownload {
  readonly path: string;
  readonly #pathsOfClients: ReadonlyMap<DownloadClient | undefined, string>;

  constructor(path: string, pathsOfClients: ReadonlyMap<DownloadClient | undefined, string>) {
    this.path = path;
    this.#pathsOfClients = pathsOfClients;
  }

  pathFor(client: DownloadClient): string {
    return this.#pathsOfClients.get(client) ?? this.path;
  }
}

interface Result extends PromiseWithResolvers<StoredDownload | undefined> {
  /** `asked`: a client waits for it, but the session has not reported its start. */
  state: "asked" | "begun" | "settled";
}

/** Moves downloads from the browser to the session's files. It outlives connections to the browser. */
export class Downloads {
  readonly behaviors = new DownloadBehaviors<DownloadClient>();
  readonly #options: DownloadsOptions;
  readonly #slots = new Semaphore(MAX_CONCURRENT_COPIES);
  readonly #results = new Map<string, Result>();
  onStored: (guid: string, path: string) => void = () => undefined;

  constructor(options: DownloadsOptions) {
    this.#options = options;
  }

  begin(download: Download, contextId: string): Places {
    const result = this.#result(download.guid);
    if (result.state === "asked") result.state = "begun";
    return downloadDestinations(download, this.behaviors.of(contextId));
  }

  async store(guid: string, places: Places, read: ReadDownload): Promise<void> {
    const { beginUse, onFailure } = this.#options;
    using _use = beginUse();
    try {
      const stored = await this.#slots.run(() => this.#store(places, read));
      this.#settle(guid, stored);
      this.onStored(guid, stored.path);
    } catch (error) {
      onFailure(error);
      this.drop(guid);
    }
  }

  drop(guid: string): void {
    this.#settle(guid, undefined);
  }

  async waitUntilStored(guid: string): Promise<StoredDownload | undefined> {
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
        // One invalid directory must not keep the file from others.
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
      if (this.#results.size <= MAX_RESULTS) return;
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

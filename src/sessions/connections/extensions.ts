import type { BrowserExtension, ExtensionStorage, LoadedExtensions } from "../../browser/index.ts";
import { loadExtension } from "../../extensions/index.ts";
import type { SessionRecord, SessionStorage } from "../record.ts";

/** The extensions of a session: read once, and what they keep. */
export class SessionExtensions {
  readonly #files: R2Bucket;
  readonly #kept: SessionStorage;
  readonly #storage: ExtensionStorage;
  #list: Promise<BrowserExtension[]> | undefined;

  constructor(files: R2Bucket, storage: SessionStorage) {
    this.#files = files;
    this.#kept = storage;
    this.#storage = {
      read: (area) => storage.readExtensionItems(area),
      write: (area, items) => storage.writeExtensionItems(area, items),
    };
  }

  /** @returns undefined where the session has none. @throws when one cannot be read. */
  async load(record: SessionRecord) {
    const { organizationId, extensionIds } = record;
    if (extensionIds.length === 0) return undefined;
    this.#list ??= Promise.all(extensionIds.map((id) => loadExtension(this.#files, organizationId, id)));
    try {
      return { list: await this.#list, storage: this.#storage, loaded: this.#loadedBy(record) };
    } catch (error) {
      this.#list = undefined;
      throw error;
    }
  }

  /** Each browser is given them to load once, as the session starts: what it has loaded stays with it. */
  #loadedBy({ browserId, phase, proxyId }: SessionRecord): LoadedExtensions {
    return {
      read: () => {
        // Their background scripts are in no context that has a proxy.
        if (proxyId !== null) return [];
        const noted = this.#kept.readLoadedExtensions();
        if (noted !== undefined && noted.browserId === browserId) return noted.ids;
        return phase === "starting" ? undefined : [];
      },
      write: (ids) => {
        // The start may have been taken back: nothing is written to a storage that was emptied.
        if (browserId === undefined || this.#kept.readRecord()?.browserId !== browserId) return;
        this.#kept.writeLoadedExtensions({ browserId, ids });
      },
    };
  }
}

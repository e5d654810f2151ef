import { exports } from "cloudflare:workers";
import type {
  BrowserExtension,
  ExtensionStorage,
  LoadedExtensions,
} from "../../../platform/browser/index.ts";
import { loadExtension } from "../../extensions/index.ts";
import type { SessionRecord, SessionStorage } from "../record.ts";

/** The extensions of a session, which are read once, and their storage. */
export class SessionExtensions {
  readonly #sessionStorage: SessionStorage;
  readonly #storage: ExtensionStorage;
  #list: Promise<BrowserExtension[]> | undefined;

  constructor(storage: SessionStorage) {
    this.#sessionStorage = storage;
    this.#storage = {
      read: (area) => storage.readExtensionItems(area),
      write: (area, items) => storage.writeExtensionItems(area, items),
    };
  }

  /** @returns undefined if the session has none. @throws when one cannot be read. */
  async load(record: SessionRecord) {
    const { organizationId, extensionIds } = record;
    if (extensionIds.length === 0) return undefined;
    this.#list ??= Promise.all(
      extensionIds.map((id) =>
        loadExtension(id, () => exports.OutgoingCalls.readExtension(organizationId, id)),
      ),
    );
    try {
      return { list: await this.#list, storage: this.#storage, loaded: this.#loadedIn(record) };
    } catch (error) {
      this.#list = undefined;
      throw error;
    }
  }

  /** A browser loads extensions once, as the session starts, and keeps them. */
  #loadedIn({ browserId, phase, proxyId }: SessionRecord): LoadedExtensions {
    return {
      read: () => {
        // Background scripts do not use a context's proxy.
        if (proxyId !== null) return [];
        const stored = this.#sessionStorage.readLoadedExtensions();
        if (stored !== undefined && stored.browserId === browserId) return stored.ids;
        return phase === "starting" ? undefined : [];
      },
      write: (ids) => {
        // The start may have been undone. Nothing is written to an emptied storage.
        if (browserId === undefined || this.#sessionStorage.readRecord()?.browserId !== browserId) return;
        this.#sessionStorage.writeLoadedExtensions({ browserId, ids });
      },
    };
  }
}

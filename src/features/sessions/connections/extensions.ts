import { exports } from "cloudflare:workers";
import type {
  BrowserExtension,
  ExtensionStorage,
  LoadedExtensions,
} from "../../../platform/browser/index.ts";
import { loadExtension } from "../../extensions/index.ts";
import type { SessionRecord } from "../record.ts";
import type { SessionState } from "../state.ts";

/** The extensions of a session, which are read once, and their storage. */
export class SessionExtensions {
  readonly #state: SessionState;
  readonly #storage: ExtensionStorage;
  #list: Promise<BrowserExtension[]> | undefined;

  constructor(state: SessionState) {
    const { storage } = state;
    this.#state = state;
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
        const stored = this.#state.storage.readLoadedExtensions();
        if (stored !== undefined && stored.browserId === browserId) return stored.ids;
        return phase === "starting" ? undefined : [];
      },
      write: (ids) => {
        // The start may have been undone. Nothing is written to an emptied storage.
        if (browserId === undefined || this.#state.record?.browserId !== browserId) return;
        this.#state.storage.writeLoadedExtensions({ browserId, ids });
      },
    };
  }
}

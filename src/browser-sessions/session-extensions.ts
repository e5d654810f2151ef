import type { BrowserExtension, ExtensionStorage } from "../browser/content-scripts.ts";
import { loadExtension } from "../extensions/load-extension.ts";
import type { SessionRecord, SessionStorage } from "./session-record.ts";

/** The extensions of a session: read once, and what they keep. */
export class SessionExtensions {
  readonly #files: R2Bucket;
  readonly #storage: ExtensionStorage;
  #list: Promise<BrowserExtension[]> | undefined;

  constructor(files: R2Bucket, storage: SessionStorage) {
    this.#files = files;
    this.#storage = {
      read: (area) => storage.readExtensionItems(area),
      write: (area, items) => storage.writeExtensionItems(area, items),
    };
  }

  /** @returns undefined where the session has none. @throws when one cannot be read. */
  async load({ organizationId, extensionIds }: SessionRecord) {
    if (extensionIds.length === 0) return undefined;
    this.#list ??= Promise.all(extensionIds.map((id) => loadExtension(this.#files, organizationId, id)));
    try {
      return { list: await this.#list, storage: this.#storage };
    } catch (error) {
      this.#list = undefined;
      throw error;
    }
  }
}

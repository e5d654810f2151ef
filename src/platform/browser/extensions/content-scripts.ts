import { logError } from "../../../lib/common/log.ts";
import type { CDPSession } from "../connection/puppeteer.ts";
import type { BrowserExtensions } from "./browser-extension.ts";
import { type DocumentScript, toDocumentScripts } from "./content-script-source.ts";
import { ExtensionStorageServer } from "./extension-storage-server.ts";
import { hasStoragePermission } from "./extension-world.ts";

export class ContentScripts {
  readonly #scripts: DocumentScript[] = [];
  readonly #storages: ExtensionStorageServer[] = [];

  /** Skips an extension with an invalid match pattern, as Chrome does. */
  constructor({ list, storage }: BrowserExtensions) {
    for (const extension of list) {
      try {
        this.#scripts.push(...toDocumentScripts(extension));
      } catch (error) {
        logError("extension_not_run", error, { extension: extension.id });
        continue;
      }
      if (hasStoragePermission(extension))
        this.#storages.push(new ExtensionStorageServer(extension, storage));
    }
  }

  async prepare(session: CDPSession): Promise<void> {
    // Storage first, because scripts use it as soon as they run.
    const served = this.#storages.map((storage) => storage.serve(session));
    // Bindings exist in new documents' worlds only while the Runtime domain is enabled.
    if (this.#storages.length > 0) served.push(session.send("Runtime.enable"));
    await Promise.all([
      ...served,
      session.send("Page.enable"),
      ...this.#scripts.map((script) =>
        session.send("Page.addScriptToEvaluateOnNewDocument", { ...script, runImmediately: true }),
      ),
    ]);
  }
}

import { logError } from "../../common/log.ts";
import type { CDPSession } from "../connection/puppeteer.ts";
import type { BrowserExtensions } from "./browser-extension.ts";
import { type DocumentScript, toDocumentScripts } from "./content-script-source.ts";
import { ExtensionStorageServer } from "./extension-storage-server.ts";
import { mayStore } from "./extension-world.ts";

/** Runs the content scripts of extensions in the pages of a browser that does not load them itself. */
export class ContentScripts {
  readonly #scripts: DocumentScript[] = [];
  readonly #storages: ExtensionStorageServer[] = [];

  /** An extension with a match pattern that is none is left out, as Chrome does not load it. */
  constructor({ list, storage }: BrowserExtensions) {
    for (const extension of list) {
      try {
        this.#scripts.push(...toDocumentScripts(extension));
      } catch (error) {
        logError("extension_not_run", error, { extension: extension.id });
        continue;
      }
      if (mayStore(extension)) this.#storages.push(new ExtensionStorageServer(extension, storage));
    }
  }

  /** In a page, or in a frame with a target of its own: in the documents that are there and in all to come. */
  async prepare(session: CDPSession): Promise<void> {
    // The storage first: scripts use it as soon as they run.
    const served = this.#storages.map((storage) => storage.serve(session));
    // Bindings are made in new documents' worlds, and heard of, only while the domain is enabled.
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

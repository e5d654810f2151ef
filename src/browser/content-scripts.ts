import type { CDPSession } from "@cloudflare/puppeteer/internal/api/CDPSession.js";
import { logError } from "../common/log.ts";
import type { TreeFile } from "./browser-disk.ts";
import { type DocumentScript, toDocumentScripts } from "./content-script-source.ts";
import { ExtensionStorageServer } from "./extension-storage-server.ts";
import { mayStore } from "./extension-world.ts";

/** One extension: as far as it runs in pages, and its files for a browser that loads it. */
export interface BrowserExtension {
  /** 32 letters a to p, or any id that is safe in the name of a world. */
  id: string;
  /** manifest.json as it was uploaded; what chrome.runtime.getManifest answers. */
  manifest: Record<string, unknown>;
  contentScripts: readonly ContentScript[];
  /** Files that pages may be given (web_accessible_resources), by path: data: URLs. */
  resources: Readonly<Record<string, string>>;
  /** All that its zip has, from manifest.json on. Read anew by each call: it is too much to be kept. */
  readFiles(): Promise<TreeFile[]>;
}

export interface ContentScript {
  matches: readonly string[];
  excludeMatches: readonly string[];
  includeGlobs: readonly string[];
  excludeGlobs: readonly string[];
  /** Source texts, in order. */
  js: readonly string[];
  css: readonly string[];
  runAt: "document_start" | "document_end" | "document_idle";
  allFrames: boolean;
  matchAboutBlank: boolean;
  world: "ISOLATED" | "MAIN";
}

/** What an extension's storage areas keep beyond a connection to the browser, over all pages of the session. */
export interface ExtensionStorage {
  /** @param key the extension's id for chrome.storage.local; see {@link storageKey} for the others. */
  read(key: string): Promise<Record<string, unknown>> | Record<string, unknown>;
  write(key: string, items: Record<string, unknown>): Promise<void> | void;
}

/** Which of a browser's extensions it has loaded itself, kept beyond a connection to it. */
export interface LoadedExtensions {
  /** Their ids; undefined as long as the browser was given none to load. */
  read(): readonly string[] | undefined;
  write(ids: readonly string[]): void;
}

/** The extensions of a browser. */
export interface BrowserExtensions {
  list: readonly BrowserExtension[];
  storage: ExtensionStorage;
  /** Absent: the browser is to load none. */
  loaded?: LoadedExtensions;
}

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

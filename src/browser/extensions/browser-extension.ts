import type { ScriptConditions } from "../../page-scripts/extension-protocol.ts";
import type { TreeFile } from "../files/browser-disk.ts";

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

export interface ContentScript extends ScriptConditions {
  /** Source texts, in order. */
  js: readonly string[];
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

import type { ScriptConditions } from "../../page-scripts/extension-protocol.ts";
import type { TreeFile } from "../files/browser-disk.ts";

export interface BrowserExtension {
  /** 32 letters a to p, or any id that is valid in a world's name. */
  id: string;
  manifest: Record<string, unknown>;
  contentScripts: readonly ContentScript[];
  resources: Readonly<Record<string, string>>;
  /** Reads on each call, because the files are too large to keep. */
  readFiles(): Promise<TreeFile[]>;
}

export interface ContentScript extends ScriptConditions {
  js: readonly string[];
  world: "ISOLATED" | "MAIN";
}

export interface ExtensionStorage {
  read(key: string): Promise<Record<string, unknown>> | Record<string, unknown>;
  write(key: string, items: Record<string, unknown>): Promise<void> | void;
}

export interface LoadedExtensions {
  read(): readonly string[] | undefined;
  write(ids: readonly string[]): void;
}

export interface BrowserExtensions {
  list: readonly BrowserExtension[];
  storage: ExtensionStorage;
  loaded?: LoadedExtensions;
}

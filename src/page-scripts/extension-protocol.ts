/** The variable of an extension's world through which storage reaches it, and through which its scripts report. */
export const WORLD_HOOK = "berthExtension";

export const STORAGE_AREAS = ["local", "sync", "session"] as const;

export type StorageArea = (typeof STORAGE_AREAS)[number];

/** Of each area of an extension. */
export const STORAGE_QUOTA_BYTES = 10_485_760;

/** How a key's value changed; one side is absent where there was, or is, none. */
export type StorageChanges = Record<string, { oldValue?: unknown; newValue?: unknown }>;

/** What an extension's world is sent: an answer to its request, or a change. */
export interface StorageMessage {
  answer?: { id: number; value?: unknown; error?: string };
  changed?: { area: StorageArea; changes: StorageChanges };
}

export type RunAt = "document_start" | "document_end" | "document_idle";

/** Where and when a content script runs, and its style sheets. */
export interface ScriptConditions {
  matches: readonly string[];
  excludeMatches: readonly string[];
  includeGlobs: readonly string[];
  excludeGlobs: readonly string[];
  css: readonly string[];
  runAt: RunAt;
  allFrames: boolean;
  matchAboutBlank: boolean;
}

/** A content script for the scheduler: its patterns and globs are sources of regular expressions. */
export interface ScheduledScript extends ScriptConditions {
  index: number;
}

/** What an extension's world knows of the extension. */
export interface ExtensionDescription {
  id: string;
  manifest: Record<string, unknown>;
  /** data: URLs by path. */
  resources: Readonly<Record<string, string>>;
  /** Null where the extension has no storage. */
  storageBinding: string | null;
}

export const WORLD_HOOK = "berthExtension";

export const STORAGE_AREAS = ["local", "sync", "session"] as const;

export type StorageArea = (typeof STORAGE_AREAS)[number];

export const STORAGE_QUOTA_BYTES = 10_485_760;

export type StorageChanges = Record<string, { oldValue?: unknown; newValue?: unknown }>;

export interface StorageMessage {
  answer?: { id: number; value?: unknown; error?: string };
  changed?: { area: StorageArea; changes: StorageChanges };
}

export type RunAt = "document_start" | "document_end" | "document_idle";

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

export interface ScheduledScript extends ScriptConditions {
  index: number;
}

export interface ExtensionDescription {
  id: string;
  manifest: Record<string, unknown>;
  resources: Readonly<Record<string, string>>;
  storageBinding: string | null;
}

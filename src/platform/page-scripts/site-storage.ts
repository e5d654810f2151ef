import type { EncodedValue } from "./stored-values.ts";

export interface IndexDescription {
  name: string;
  keyPath: string | string[];
  unique: boolean;
  multiEntry: boolean;
}

export interface StoreDescription {
  name: string;
  keyPath: string | string[] | null;
  autoIncrement: boolean;
  indexes: IndexDescription[];
}

export interface SavedStore extends StoreDescription {
  lastNumber: number;
  records: EncodedValue[][];
}

export interface SavedDatabase {
  name: string;
  version: number;
  stores: SavedStore[];
}

export interface SiteStorage {
  localStorage: [key: string, value: string][];
  databases: SavedDatabase[];
}

declare global {
  var berthStorageText: string | undefined;
}

/** Never splits a surrogate pair. */
export function readStoragePiece({ from, length }: { from: number; length: number }): string {
  const piece = globalThis.berthStorageText?.slice(from, from + length) ?? "";
  return /[\uD800-\uDBFF]$/.test(piece) ? piece.slice(0, -1) : piece;
}

export function writeStoragePiece(piece: string): void {
  globalThis.berthStorageText = (globalThis.berthStorageText ?? "") + piece;
}

export function checkOrigin(origin: string): void {
  if (location.origin !== origin) throw new Error(`The browser went to ${location.origin} instead`);
}

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

export interface KeptStore extends StoreDescription {
  /** The last number that the store gave to a record; 0 where it gives none. */
  lastNumber: number;
  /** Of each its value, and its key where the value does not hold it. */
  records: EncodedValue[][];
}

export interface KeptDatabase {
  name: string;
  version: number;
  stores: KeptStore[];
}

/** What an origin keeps. */
export interface SiteStorage {
  localStorage: [key: string, value: string][];
  databases: KeptDatabase[];
}

declare global {
  /** A {@link SiteStorage} as JSON, while it is carried over in pieces. */
  var berthStorageText: string | undefined;
}

/** A piece of the text that `collectStorage` left. It never ends between the two halves of a character. */
export function readStoragePiece({ from, length }: { from: number; length: number }): string {
  const piece = globalThis.berthStorageText?.slice(from, from + length) ?? "";
  return /[\uD800-\uDBFF]$/.test(piece) ? piece.slice(0, -1) : piece;
}

/** Adds a piece to the text that `restoreStorage` takes. */
export function writeStoragePiece(piece: string): void {
  globalThis.berthStorageText = (globalThis.berthStorageText ?? "") + piece;
}

export function checkOrigin(origin: string): void {
  if (location.origin !== origin) throw new Error(`The browser went to ${location.origin} instead`);
}

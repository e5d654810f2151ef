import { completion, isNamed, requestResult } from "./indexed-db.ts";
import { checkOrigin, type SavedDatabase, type SiteStorage, type StoreDescription } from "./site-storage.ts";
import { decode } from "./stored-values.ts";

type StoreRecord = unknown[];

/** Keeps existing data, except databases with another structure, which are replaced. */
export async function restoreStorage({ origin }: { origin: string }): Promise<void> {
  checkOrigin(origin);
  const kept: SiteStorage = JSON.parse(globalThis.berthStorageText ?? "");
  for (const [key, value] of kept.localStorage) localStorage.setItem(key, value);
  for (const database of kept.databases) await restoreDatabase(database);
}

async function restoreDatabase(kept: SavedDatabase): Promise<void> {
  const contents: StoreRecord[][] = [];
  for (const { records } of kept.stores) {
    const decoded: StoreRecord[] = [];
    for (const record of records) decoded.push(await Promise.all(record.map(decode)));
    contents.push(decoded);
  }
  const database = await openFor(kept);
  database.onversionchange = () => database.close();
  try {
    if (kept.stores.length === 0) return;
    const names = kept.stores.map(({ name }) => name);
    const transaction = database.transaction(names, "readwrite");
    const completed = completion(transaction);
    completed.catch(() => undefined);
    try {
      for (const [index, { name, lastNumber }] of kept.stores.entries()) {
        const store = transaction.objectStore(name);
        await putRecords(store, contents[index] ?? []);
        if (store.autoIncrement) await countFrom(store, lastNumber);
      }
    } catch (error) {
      if (transaction.error === null) transaction.abort();
      throw error;
    }
    await completed;
  } finally {
    database.close();
  }
}

async function openFor(kept: SavedDatabase): Promise<IDBDatabase> {
  const present = (await indexedDB.databases()).find(({ name }) => name === kept.name);
  if (present !== undefined) {
    const version = Math.max(present.version ?? 0, kept.version);
    const database = await openBeside({ ...kept, version });
    if (database !== undefined) return database;
    await requestResult(indexedDB.deleteDatabase(kept.name));
  }
  return open(kept);
}

async function openBeside(kept: SavedDatabase): Promise<IDBDatabase | undefined> {
  const database = await open(kept).catch((error) => {
    if (isNamed(error, "AbortError", "ConstraintError")) return undefined;
    throw error;
  });
  if (database === undefined || hasAll(database, kept.stores)) return database;
  database.close();
  return undefined;
}

function open({ name, version, stores }: SavedDatabase): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(name, version);
    request.onupgradeneeded = () => {
      if (request.transaction !== null) createStores(request.result, request.transaction, stores);
    };
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

function createStores(database: IDBDatabase, transaction: IDBTransaction, stores: StoreDescription[]): void {
  for (const description of stores) {
    const { name, keyPath, autoIncrement, indexes } = description;
    const isThere = database.objectStoreNames.contains(name);
    const mayStay = isThere && fits(transaction.objectStore(name), description);
    if (isThere && !mayStay) database.deleteObjectStore(name);
    const store = mayStay
      ? transaction.objectStore(name)
      : database.createObjectStore(name, { keyPath, autoIncrement });
    for (const { name, keyPath, unique, multiEntry } of indexes) {
      if (!store.indexNames.contains(name)) store.createIndex(name, keyPath, { unique, multiEntry });
    }
  }
}

function hasAll(database: IDBDatabase, stores: StoreDescription[]): boolean {
  return stores.every((description) => {
    if (!database.objectStoreNames.contains(description.name)) return false;
    const store = database.transaction(description.name).objectStore(description.name);
    return (
      fits(store, description) && description.indexes.every(({ name }) => store.indexNames.contains(name))
    );
  });
}

function fits(store: IDBObjectStore, { keyPath, autoIncrement }: StoreDescription): boolean {
  return JSON.stringify(store.keyPath) === JSON.stringify(keyPath) && store.autoIncrement === autoIncrement;
}

async function putRecords(store: IDBObjectStore, records: StoreRecord[]): Promise<void> {
  const put = (record: StoreRecord) => requestResult(Reflect.apply(store.put, store, record));
  const results = await Promise.allSettled(records.map(put));
  const clash = results.findLast((result) => result.status === "rejected")?.reason;
  if (clash === undefined) return;
  if (!isNamed(clash, "ConstraintError")) throw clash;
  await requestResult(store.clear());
  await Promise.all(records.map(put));
}

/** A store's generator continues from its largest number even if that record is gone. */
async function countFrom(store: IDBObjectStore, lastNumber: number): Promise<void> {
  if (lastNumber <= 0 || (await requestResult(store.getKey(lastNumber))) !== undefined) return;
  if (store.keyPath === null) {
    store.put({}, lastNumber);
  } else {
    const path = String(store.keyPath).split(".");
    store.put(path.reduceRight<unknown>((value, key) => ({ [key]: value }), lastNumber));
  }
  store.delete(lastNumber);
}

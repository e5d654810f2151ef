import { isNamed, requestResult } from "./indexed-db.ts";
import { checkOrigin, type IndexDescription } from "./site-storage.ts";
import { encode, NotPortableError } from "./stored-values.ts";

type RecordText = string | (() => Promise<string>);

export async function collectStorage({ origin, limit }: { origin: string; limit: number }) {
  let room = limit;
  let skipped = 0;
  const takeRoom = (size: number) => {
    room -= size;
    if (room < 0) throw new Error(`It keeps more than ${limit} bytes`);
  };

  const toRecord = (parts: ReturnType<typeof encode>[]): RecordText => {
    const later = parts.flatMap((part) => part.later);
    const toText = () => JSON.stringify(parts.map(({ encoded }) => encoded));
    if (later.length > 0) {
      takeRoom(parts.reduce((sum, { bytes }) => sum + bytes, 0));
      return async () => {
        for (const complete of later) await complete();
        return toText();
      };
    }
    const text = toText();
    takeRoom(text.length);
    return text;
  };
  const readRecord = (store: IDBObjectStore, value: unknown, key: IDBValidKey | undefined) => {
    try {
      return toRecord([encode(value), ...(store.keyPath === null ? [encode(key)] : [])]);
    } catch (error) {
      if (!(error instanceof NotPortableError)) throw error;
      skipped += 1;
      return undefined;
    }
  };

  const readRecords = async (store: IDBObjectStore): Promise<RecordText[]> => {
    const records: RecordText[] = [];
    let count = 8;
    let range: IDBKeyRange | null = null;
    for (;;) {
      const [keys, values]: [IDBValidKey[], unknown[]] = await Promise.all([
        requestResult(store.getAllKeys(range, count)),
        requestResult(store.getAll(range, count)),
      ]);
      const before = room;
      for (const [index, value] of values.entries()) {
        const record = readRecord(store, value, keys[index]);
        if (record !== undefined) records.push(record);
      }
      if (keys.length < count) return records;
      range = IDBKeyRange.lowerBound(keys.at(-1), true);
      count = before - room < 65_536 ? Math.min(count * 2, 512) : Math.max(count >> 1, 1);
    }
  };

  const collectDatabase = async (name: string): Promise<string | undefined> => {
    const database = await openDatabase(name);
    if (database === undefined) return undefined;
    database.onversionchange = () => database.close();
    try {
      const names = [...database.objectStoreNames];
      const stores = [];
      if (names.length > 0) {
        const transaction = database.transaction(names);
        for (const name of names) {
          const store = transaction.objectStore(name);
          stores.push({ description: describeStore(store), records: await readRecords(store) });
        }
      }
      const texts = [];
      for (const { description, records } of stores) {
        const lastNumber = description.autoIncrement ? await readLastNumber(database, description.name) : 0;
        const complete = [];
        for (const record of records) complete.push(typeof record === "string" ? record : await record());
        texts.push(withList({ ...description, lastNumber }, "records", complete));
      }
      return withList({ name, version: database.version }, "stores", texts);
    } finally {
      database.close();
    }
  };

  checkOrigin(origin);
  // Properties such as "length" would hide keys.
  const items = Array.from({ length: localStorage.length }, (_, index) => {
    const key = localStorage.key(index) ?? "";
    return [key, localStorage.getItem(key)];
  });
  takeRoom(JSON.stringify(items).length);
  const databases = [];
  for (const { name = "" } of await indexedDB.databases()) {
    const text = await collectDatabase(name);
    if (text !== undefined) databases.push(text);
  }
  const isEmpty = items.length === 0 && databases.length === 0;
  const text = isEmpty ? "" : withList({ localStorage: items }, "databases", databases);
  globalThis.berthStorageText = text;
  return { length: text.length, skipped };
}

function openDatabase(name: string): Promise<IDBDatabase | undefined> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(name);
    // The database was just deleted and must not be created again.
    request.onupgradeneeded = () => request.transaction?.abort();
    request.onsuccess = () => resolve(request.result);
    request.onerror = () =>
      isNamed(request.error, "AbortError") ? resolve(undefined) : reject(request.error);
  });
}

function describeStore(store: IDBObjectStore) {
  const { name, keyPath, autoIncrement } = store;
  const indexes = [...store.indexNames].map((name): IndexDescription => {
    const { keyPath, unique, multiEntry } = store.index(name);
    return { name, keyPath, unique, multiEntry };
  });
  return { name, keyPath, autoIncrement, indexes };
}

/** The generator is only readable by adding a record, which is rolled back. */
async function readLastNumber(database: IDBDatabase, name: string): Promise<number> {
  const transaction = database.transaction(name, "readwrite");
  try {
    return Number(await requestResult(transaction.objectStore(name).add({}))) - 1;
  } catch (error) {
    if (isNamed(error, "ConstraintError")) return 2 ** 53;
    throw error;
  } finally {
    transaction.abort();
  }
}

function withList(object: object, name: string, items: string[]): string {
  return `${JSON.stringify(object).slice(0, -1)},"${name}":[${items.join(",")}]}`;
}

import { STORED_VALUES } from "./stored-values-source.ts";

/** The page's variable that holds the text of its origin's storage while it is carried over in pieces. */
const TEXT = "globalThis.berthStorageText";

/** What both directions have in common. */
const SHARED = `
const { NotPortableError, encode, decode } = ${STORED_VALUES};

const settle = (request) =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = (event) => {
      // It is for whoever waits to decide what becomes of the transaction.
      event.preventDefault();
      reject(request.error);
    };
  });
const completion = (transaction) =>
  new Promise((resolve, reject) => {
    transaction.oncomplete = resolve;
    transaction.onabort = () => reject(transaction.error ?? new Error("A transaction was aborted"));
  });
const checkOrigin = (origin) => {
  if (location.origin !== origin) throw new Error("The browser went to " + location.origin + " instead");
};
`;

/**
 * Collects what the page's origin keeps in localStorage and IndexedDB, as a text that stays in the page. One transaction
 * reads a database, so that what it takes is of one moment.
 *
 * Its argument: the origin, and the largest size of the text. Its answer: the text's length, 0 where the origin keeps
 * nothing, and how many records are left out because they cannot be taken out of the browser.
 */
export const COLLECT_STORAGE = `async ({ origin, limit }) => {
  ${SHARED}
  let room = limit;
  let skipped = 0;
  const takeRoom = (size) => {
    room -= size;
    if (room < 0) throw new Error("It keeps more than " + limit + " bytes");
  };
  const trySync = (work) => {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof NotPortableError)) throw error;
      skipped += 1;
      return undefined;
    }
  };

  // Each a text, or what makes it once the transaction is over.
  const toRecord = (parts) => {
    const later = parts.flatMap((part) => part.later);
    const toText = () => JSON.stringify(parts.map(({ table }) => table));
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

  const readRecords = async (store) => {
    const records = [];
    // The size of a batch follows that of the records: a page is not to hold much more than it may tell.
    let count = 8;
    let range = null;
    for (;;) {
      const [keys, values] = await Promise.all([
        settle(store.getAllKeys(range, count)),
        settle(store.getAll(range, count)),
      ]);
      const before = room;
      for (const [index, value] of values.entries()) {
        const record = trySync(() =>
          toRecord([encode(value), ...(store.keyPath === null ? [encode(keys[index])] : [])]),
        );
        if (record !== undefined) records.push(record);
      }
      if (keys.length < count) return records;
      range = IDBKeyRange.lowerBound(keys.at(-1), true);
      count = before - room < 65_536 ? Math.min(count * 2, 512) : Math.max(count >> 1, 1);
    }
  };

  // Nothing tells the last number that a store gave to a record but the next one, which is taken back.
  const readLastNumber = async (database, name) => {
    const transaction = database.transaction(name, "readwrite");
    try {
      return (await settle(transaction.objectStore(name).add({}))) - 1;
    } catch (error) {
      if (error.name === "ConstraintError") return 2 ** 53;
      throw error;
    } finally {
      transaction.abort();
    }
  };

  const openDatabase = (name) =>
    new Promise((resolve, reject) => {
      const request = indexedDB.open(name);
      // It was deleted a moment ago, and is not to be made anew.
      request.onupgradeneeded = () => request.transaction.abort();
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => (request.error.name === "AbortError" ? resolve(undefined) : reject(request.error));
    });

  const collectDatabase = async ({ name }) => {
    const database = await openDatabase(name);
    if (database === undefined) return undefined;
    // The site's own pages need not wait for this one.
    database.onversionchange = () => database.close();
    try {
      const names = [...database.objectStoreNames];
      const stores = [];
      const transaction = names.length === 0 ? undefined : database.transaction(names);
      for (const name of names) {
        const store = transaction.objectStore(name);
        const { keyPath, autoIncrement } = store;
        const indexes = [...store.indexNames].map((name) => {
          const { keyPath, unique, multiEntry } = store.index(name);
          return { name, keyPath, unique, multiEntry };
        });
        stores.push({ about: { name, keyPath, autoIncrement, indexes }, records: await readRecords(store) });
      }
      const texts = [];
      for (const { about, records } of stores) {
        const lastNumber = about.autoIncrement ? await readLastNumber(database, about.name) : 0;
        const complete = [];
        for (const record of records) complete.push(typeof record === "string" ? record : await record());
        const opening = JSON.stringify({ ...about, lastNumber });
        texts.push(opening.slice(0, -1) + ',"records":[' + complete.join(",") + "]}");
      }
      const opening = JSON.stringify({ name, version: database.version });
      return opening.slice(0, -1) + ',"stores":[' + texts.join(",") + "]}";
    } finally {
      database.close();
    }
  };

  checkOrigin(origin);
  // Not by names: those that Storage has itself, such as "length", would be missed.
  const keys = Array.from({ length: localStorage.length }, (_, index) => localStorage.key(index));
  const items = JSON.stringify(keys.map((key) => [key, localStorage.getItem(key)]));
  takeRoom(items.length);
  const databases = [];
  for (const about of await indexedDB.databases()) {
    const text = await collectDatabase(about);
    if (text !== undefined) databases.push(text);
  }
  const isEmpty = keys.length === 0 && databases.length === 0;
  ${TEXT} = isEmpty ? "" : '{"localStorage":' + items + ',"databases":[' + databases.join(",") + "]}";
  return JSON.stringify({ length: ${TEXT}.length, skipped });
}`;

/** A piece of the text that {@link COLLECT_STORAGE} left; it never ends between the two halves of a character. */
export const READ_PIECE = `async ({ from, length }) => {
  const piece = ${TEXT}.slice(from, from + length);
  return /[\\uD800-\\uDBFF]$/.test(piece) ? piece.slice(0, -1) : piece;
}`;

/** Adds a piece to the text that {@link RESTORE_STORAGE} takes. */
export const WRITE_PIECE = `async (piece) => {
  ${TEXT} = (${TEXT} ?? "") + piece;
  return "";
}`;

/**
 * Puts the text that was carried into the page into localStorage and IndexedDB of the page's origin. What is there
 * already stays, unless it is in the way: a database of another structure gives way as a whole.
 *
 * Its argument: the origin.
 */
export const RESTORE_STORAGE = `async ({ origin }) => {
  ${SHARED}
  const isSame = (first, second) => JSON.stringify(first) === JSON.stringify(second);
  const fits = (store, { keyPath, autoIncrement }) =>
    isSame(store.keyPath, keyPath) && store.autoIncrement === autoIncrement;

  const prepare = (database, transaction, stores) => {
    for (const about of stores) {
      const { name, keyPath, autoIncrement, indexes } = about;
      const isThere = database.objectStoreNames.contains(name);
      const mayStay = isThere && fits(transaction.objectStore(name), about);
      if (isThere && !mayStay) database.deleteObjectStore(name);
      const store = mayStay
        ? transaction.objectStore(name)
        : database.createObjectStore(name, { keyPath, autoIncrement });
      for (const { name, keyPath, unique, multiEntry } of indexes) {
        if (!store.indexNames.contains(name)) store.createIndex(name, keyPath, { unique, multiEntry });
      }
    }
  };
  const open = (name, version, stores) =>
    new Promise((resolve, reject) => {
      const request = indexedDB.open(name, version);
      request.onupgradeneeded = () => prepare(request.result, request.transaction, stores);
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
  const hasAll = (database, stores) =>
    stores.every((about) => {
      if (!database.objectStoreNames.contains(about.name)) return false;
      const store = database.transaction(about.name).objectStore(about.name);
      return fits(store, about) && about.indexes.every(({ name }) => store.indexNames.contains(name));
    });
  /** The database with the stores, and with what else it has if that can stay; undefined if it cannot. */
  const openBeside = async ({ version }, { name, stores }) => {
    const database = await open(name, version, stores).catch((error) => {
      // What it holds and an index do not go together.
      if (error.name === "AbortError" || error.name === "ConstraintError") return undefined;
      throw error;
    });
    if (database === undefined || hasAll(database, stores)) return database;
    database.close();
    return undefined;
  };
  const openFor = async (kept) => {
    const present = (await indexedDB.databases()).find(({ name }) => name === kept.name);
    if (present !== undefined) {
      const version = Math.max(present.version, kept.version);
      const database = await openBeside({ version }, kept);
      if (database !== undefined) return database;
      await settle(indexedDB.deleteDatabase(kept.name));
    }
    return open(kept.name, kept.version, kept.stores);
  };

  // A store counts on from the largest number that it was ever given, even if the record is gone.
  const countFrom = async (store, lastNumber) => {
    if (lastNumber <= 0 || (await settle(store.getKey(lastNumber))) !== undefined) return;
    if (store.keyPath === null) {
      store.put({}, lastNumber);
    } else {
      const path = store.keyPath.split(".");
      store.put(path.reduceRight((value, key) => ({ [key]: value }), lastNumber));
    }
    store.delete(lastNumber);
  };
  const putAll = (store, records) => Promise.all(records.map((record) => settle(store.put(...record))));
  const restoreStore = async (store, { lastNumber }, records) => {
    let clash;
    const puts = records.map((record) =>
      settle(store.put(...record)).catch((error) => {
        clash = error;
      }),
    );
    await Promise.all(puts);
    if (clash !== undefined) {
      // A unique index lets no record of the two into the other's place.
      if (clash.name !== "ConstraintError") throw clash;
      await settle(store.clear());
      await putAll(store, records);
    }
    if (store.autoIncrement) await countFrom(store, lastNumber);
  };
  const restoreDatabase = async (kept) => {
    const contents = [];
    // Before the transaction, which does not wait for it.
    for (const { records } of kept.stores) {
      const decoded = [];
      for (const record of records) decoded.push(await Promise.all(record.map(decode)));
      contents.push(decoded);
    }
    const database = await openFor(kept);
    database.onversionchange = () => database.close();
    try {
      if (kept.stores.length === 0) return;
      const transaction = database.transaction(kept.stores.map(({ name }) => name), "readwrite");
      const completed = completion(transaction);
      completed.catch(() => undefined);
      try {
        for (const [index, about] of kept.stores.entries()) {
          await restoreStore(transaction.objectStore(about.name), about, contents[index]);
        }
      } catch (error) {
        if (transaction.error === null) transaction.abort();
        throw error;
      }
      await completed;
    } finally {
      database.close();
    }
  };

  checkOrigin(origin);
  const kept = JSON.parse(${TEXT});
  for (const [key, value] of kept.localStorage) localStorage.setItem(key, value);
  for (const database of kept.databases) await restoreDatabase(database);
  return "";
}`;
